import { Worker } from 'node:worker_threads';
import { breakLink, createThreadLink, type ThreadLink } from '../../../machine/workers/threadLink.ts';
import { workerFile } from '../../../machine/workers/workerFile.ts';
import type { ListedFile } from '../listing.ts';
import { sealRef } from '../origin.ts';
import type { FolderNews } from '../watchFolders.ts';
import { addAsyncClient, getAsyncClient } from './remoteClient.ts';
import { isRemoteInput, parseRemoteInput, reachOfInput } from './remoteInput.ts';
import type { NamedPlace } from './remoteMessages.ts';
import type { RemoteConnection, RemoteSetup, RemoteTrouble } from './serveRemote.ts';

export type RemoteOptions = Omit<RemoteSetup, 'firstOrigin'> & {
  /** Called with what the user should know, such as why a place cannot be listed. */
  readonly onTrouble: (message: string) => void;
};

/** The connections to the other machines that the user has named. */
export interface RemoteAccess {
  /** The end of a new connection, for a thread that reads files. */
  readonly connect: () => ThreadLink;
  readonly places: readonly NamedPlace[];
  /** What has changed since all places were last listed, if they are watched. */
  readonly readNews: (options: { readonly recursive: boolean }) => Promise<FolderNews>;
  close(): Promise<void>;
}

/** Numbers are different for all servers of a process, because the main thread finds a connection by them. */
let nextOrigin = 0;

/** Undefined if all inputs are on this machine. */
export function openRemoteAccess({ onTrouble, inputs, ...options }: RemoteOptions): RemoteAccess | undefined {
  const remote = [...new Set(inputs.filter(isRemoteInput))];
  if (remote.length === 0) return undefined;
  const firstOrigin = nextOrigin;
  nextOrigin += remote.length;
  const setup: RemoteSetup = { ...options, inputs: remote, firstOrigin };
  const worker = new Worker(workerFile('origin.worker'), { workerData: setup, execArgv: [], resourceLimits: LIMITS });
  worker.unref();
  const links: ThreadLink[] = [];
  const connect = (): ThreadLink => {
    const { asking, answering } = createThreadLink();
    links.push(asking);
    worker.postMessage({ link: answering } satisfies RemoteConnection, [answering.port]);
    return asking;
  };
  const own = connect();
  const removeClient = addAsyncClient(
    remote.map((_, at) => firstOrigin + at),
    own,
  );
  const end = () => {
    removeClient();
    for (const link of links) breakLink(link);
    own.port.close();
  };
  worker.on('message', ({ trouble }: RemoteTrouble) => onTrouble(trouble));
  worker.on('error', (error) => onTrouble(`the connections to other machines have failed: ${String(error)}`));
  worker.on('exit', end);
  const readNews: RemoteAccess['readNews'] = async (wish) => {
    const entries: ListedFile[] = [];
    const gone: string[] = [];
    for (const [at, input] of remote.entries()) {
      const news = await getAsyncClient({ origin: firstOrigin + at }).news(input, wish);
      const { origin } = news;
      for (const { key, path } of news.entries) {
        entries.push({ path, ref: sealRef({ kind: 'object', origin, key, label: path }) });
      }
      gone.push(...news.gone);
    }
    return { entries, gone };
  };
  const places = remote.map((input, at) => ({ origin: firstOrigin + at, ...reachOfInput(parseRemoteInput(input)) }));
  return {
    connect,
    places,
    readNews,
    async close() {
      end();
      await worker.terminate();
    },
  };
}

/** Keys of a million objects fit; bytes are outside of this. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 24 };
