import { type ErrorCode, ViewerError } from '../../../shared/contract/errors.ts';
import { createAsker, createWaitingAsker, LinkBroken, type ThreadLink } from '../../workers/threadLink.ts';
import type { StoredFrameWish, SentFrame } from '../byteSource.ts';
import type {
  ObjectPlace,
  ObjectState,
  RemoteAnswer,
  RemoteBytes,
  ReadWish,
  RemotePage,
  RemoteQuestion,
  ByteSpan,
} from './remoteMessages.ts';

/** Another machine could not be asked, or refused. */
export class RemoteFailure extends ViewerError {}

/** Thrown instead of waiting, while reads are put off. */
export class NotHereYet extends Error {
  override readonly name = 'NotHereYet';
}

/** How a thread that reads synchronously asks the thread that has the connections. */
export interface WaitingClient {
  list(input: string, options: { readonly recursive: boolean; readonly isFirst: boolean }): RemotePage;
  read(place: ObjectPlace, span: ByteSpan, wish: ReadWish): RemoteBytes;
  readFrame(place: ObjectPlace, wish: StoredFrameWish, expected: ObjectState): SentFrame | undefined;
}

/** How the main thread asks it. */
export interface AsyncClient {
  read(place: ObjectPlace, span: ByteSpan, expected: ObjectState): Promise<RemoteBytes>;
  look(place: ObjectPlace): Promise<ObjectState>;
}

/** Longer than any answer takes: the other thread has its own limits. */
const PATIENCE_MS = 120_000;

let waitingClient: (WaitingClient & { putOff<Result>(work: () => Result): Result }) | undefined;
/** In the main thread, by the number of the place: tests run several servers in one process. */
const asyncClients = new Map<number, AsyncClient>();

/** Called once in each thread that reads files. */
export function useRemoteLink(link: ThreadLink | undefined): void {
  waitingClient = link && createWaitingClient(link);
}

export function getWaitingClient(): WaitingClient {
  if (waitingClient === undefined) throw new RemoteFailure('origin_unavailable', 'this thread has no connection');
  return waitingClient;
}

/**
 * Runs the work so that it throws `NotHereYet` instead of waiting for bytes, which are requested meanwhile. The next try
 * finds them.
 */
export function withoutWaiting<Result>(work: () => Result): Result {
  return waitingClient === undefined ? work() : waitingClient.putOff(work);
}

export function addAsyncClient(origins: readonly number[], link: ThreadLink): () => void {
  const client = createAsyncClient(link);
  for (const origin of origins) asyncClients.set(origin, client);
  return () => {
    for (const origin of origins) asyncClients.delete(origin);
  };
}

export function getAsyncClient({ origin }: ObjectPlace): AsyncClient {
  const client = asyncClients.get(origin);
  if (client === undefined) throw new RemoteFailure('origin_unavailable', 'the connections are closed');
  return client;
}

function createWaitingClient(link: ThreadLink): NonNullable<typeof waitingClient> {
  const asker = createWaitingAsker(link, PATIENCE_MS);
  /** What was read of files that are tried again. */
  const putOffReads = new Map<string, RemoteBytes>();
  let mayWait = true;
  let current: string | undefined;

  const ask = (question: RemoteQuestion): RemoteAnswer => {
    try {
      return toAnswer(asker.ask(question));
    } catch (error) {
      throw explainBroken(error);
    }
  };

  return {
    list(input, options) {
      const answer = ask({ kind: 'list', input, ...options });
      if (answer.kind !== 'page') throw toFailure(answer);
      return answer.page;
    },
    read({ origin, key }, span, wish) {
      const isFirst = wish.expected === undefined;
      const name = `${origin} ${key}`;
      const before = isFirst ? putOffReads.get(name) : undefined;
      if (before !== undefined) {
        putOffReads.delete(name);
        return before;
      }
      if (!isFirst && !mayWait) {
        asker.tell({ kind: 'ahead', origin, key, span, ...wish } satisfies RemoteQuestion);
        throw new NotHereYet('the bytes are on their way');
      }
      const answer = ask({ kind: 'read', origin, key, span, ...wish });
      if (answer.kind !== 'bytes') throw toFailure(answer);
      // Readers do not change what they read, so the same bytes serve the second try.
      if (isFirst && !mayWait) {
        putOffReads.set(name, answer.read);
        current = name;
      }
      return answer.read;
    },
    readFrame({ origin, key }, { frame, mostBytes }, expected) {
      const answer = ask({ kind: 'frame', origin, key, frame, mostBytes, expected });
      if (answer.kind !== 'frame') throw toFailure(answer);
      return answer.frame;
    },
    putOff(work) {
      mayWait = false;
      current = undefined;
      try {
        const result = work();
        if (current !== undefined) putOffReads.delete(current);
        return result;
      } finally {
        mayWait = true;
      }
    },
  };
}

function createAsyncClient(link: ThreadLink): AsyncClient {
  const asker = createAsker(link);
  const ask = async (question: RemoteQuestion): Promise<RemoteAnswer> => {
    try {
      return toAnswer(await asker.ask(question));
    } catch (error) {
      throw explainBroken(error);
    }
  };
  return {
    async read({ origin, key }, span, expected) {
      const answer = await ask({ kind: 'read', origin, key, span, expected, keeps: false });
      if (answer.kind !== 'bytes') throw toFailure(answer);
      return answer.read;
    },
    async look({ origin, key }) {
      const answer = await ask({ kind: 'look', origin, key });
      if (answer.kind !== 'state') throw toFailure(answer);
      return answer.state;
    },
  };
}

function toAnswer(content: unknown): RemoteAnswer {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what serveRemote.ts answers
  return content as RemoteAnswer;
}

function toFailure(answer: RemoteAnswer): RemoteFailure {
  if (answer.kind === 'refusal') return new RemoteFailure(answer.refusal.code, answer.refusal.message);
  throw new Error(`unexpected answer: ${answer.kind}`);
}

function explainBroken(error: unknown): unknown {
  if (!(error instanceof LinkBroken)) return error;
  const code: ErrorCode = 'origin_unavailable';
  return new RemoteFailure(code, `the connections to other machines are closed: ${error.message}`, { cause: error });
}
