import { type ErrorCode, ViewerError } from '../../../../shared/contract/errors.ts';
import { remainingTaskMs } from '../../../machine/workers/taskDeadline.ts';
import {
  createAsker,
  createWaitingAsker,
  LinkBroken,
  LinkSilent,
  type ThreadLink,
} from '../../../machine/workers/threadLink.ts';
import type { StoredFrameWish, SentFrame } from '../byteSource.ts';
import {
  type ExpectedObjects,
  FIRST_SPAN,
  type ObjectPlace,
  type ObjectState,
  type RemoteAnswer,
  type RemoteBytes,
  type ReadWish,
  type RemoteListing,
  type RemoteNews,
  type RemotePage,
  type RemoteQuestion,
  type ByteSpan,
} from './remoteMessages.ts';

/** Another machine could not be asked, or refused. */
export class RemoteFailure extends ViewerError {}

/** Thrown instead of waiting, while reads are put off. */
export class NotHereYet extends Error {
  override readonly name = 'NotHereYet';
}

/** How a thread that reads synchronously asks the thread that has the connections. */
export interface WaitingClient {
  list(listing: RemoteListing): RemotePage;
  /** Asks for the first bytes of an object without waiting for them. The next read of the object fetches them. */
  expect(place: ObjectPlace): void;
  read(place: ObjectPlace, span: ByteSpan, wish: ReadWish): RemoteBytes;
  readFrame(place: ObjectPlace, wish: StoredFrameWish, expected: ObjectState): SentFrame | undefined;
}

/** How the main thread asks it. */
export interface AsyncClient {
  read(place: ObjectPlace, span: ByteSpan, expected: ObjectState): Promise<RemoteBytes>;
  look(place: ObjectPlace): Promise<ObjectState>;
  /** What has changed since the input was last listed. */
  news(input: string, options: { readonly recursive: boolean }): Promise<RemoteNews>;
  /** These objects will be read from their beginning by other threads, in this order. */
  expect(objects: ExpectedObjects): void;
}

/** Longer than any answer takes: the other thread has its own limits. */
const PATIENCE_MS = 120_000;
/** A page of a listing may take many requests, each within its limits. */
const LISTING_PATIENCE_MS = 3_600_000;

let waitingClient: (WaitingClient & { putOff<Result>(work: () => Result): Result }) | undefined;
let waitedMs = 0;
let isScan = false;
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

/** Runs the work of a scan, whose reads leave some requests to those of users. */
export function readForScan<Result>(work: () => Result): Result {
  isScan = true;
  try {
    return work();
  } finally {
    isScan = false;
  }
}

/** How long this thread has waited for other machines so far. */
export function remoteWaitMs(): number {
  return waitedMs;
}

export function addAsyncClient(origins: readonly number[], link: ThreadLink): () => void {
  const client = createAsyncClient(link);
  for (const origin of origins) asyncClients.set(origin, client);
  return () => {
    for (const origin of origins) asyncClients.delete(origin);
  };
}

export function getAsyncClient({ origin }: Pick<ObjectPlace, 'origin'>): AsyncClient {
  const client = asyncClients.get(origin);
  if (client === undefined) throw new RemoteFailure('origin_unavailable', 'the connections are closed');
  return client;
}

function createWaitingClient(link: ThreadLink): NonNullable<typeof waitingClient> {
  const asker = createWaitingAsker(link, PATIENCE_MS);
  /** What was read of files that are tried again. */
  const putOffReads = new Map<string, RemoteBytes>();
  /** The questions for the first bytes of objects, by the name of the object. */
  const firstReads = new Map<string, number>();
  let mayWait = true;
  let current: string | undefined;

  const finish = (id: number, patienceMs = PATIENCE_MS): RemoteAnswer => {
    const began = performance.now();
    try {
      return toAnswer(asker.finish(id, Math.min(patienceMs, remainingTaskMs())));
    } catch (error) {
      throw explainBroken(error);
    } finally {
      waitedMs += performance.now() - began;
    }
  };
  const ask = (question: RemoteQuestion): RemoteAnswer => finish(asker.begin(question));
  const askFirst = ({ origin, key }: ObjectPlace): number =>
    asker.begin({ kind: 'read', origin, key, span: FIRST_SPAN, keeps: false, isScan } satisfies RemoteQuestion);

  return {
    list(listing) {
      const question: RemoteQuestion = { kind: 'list', ...listing };
      const answer = finish(asker.begin(question), LISTING_PATIENCE_MS);
      if (answer.kind !== 'page') throw toFailure(answer);
      return answer.page;
    },
    expect(place) {
      const name = nameOf(place);
      // A listing may name an object twice, and the answer to a question that nobody fetches would stay.
      if (!firstReads.has(name)) firstReads.set(name, askFirst(place));
    },
    read(place, span, wish) {
      const { origin, key } = place;
      const isFirst = wish.expected === undefined;
      const name = nameOf(place);
      const before = isFirst ? putOffReads.get(name) : undefined;
      if (before !== undefined) {
        putOffReads.delete(name);
        return before;
      }
      if (!isFirst && !mayWait) {
        asker.tell({ kind: 'ahead', origin, key, span, ...wish } satisfies RemoteQuestion);
        throw new NotHereYet('the bytes are on their way');
      }
      const begun = isFirst ? firstReads.get(name) : undefined;
      if (isFirst) firstReads.delete(name);
      const answer = begun === undefined ? ask({ kind: 'read', origin, key, span, ...wish, isScan }) : finish(begun);
      if (answer.kind !== 'bytes') throw toFailure(answer);
      // Readers do not change what they read, so the same bytes serve the second try.
      if (isFirst && !mayWait) {
        putOffReads.set(name, answer.read);
        current = name;
      }
      return answer.read;
    },
    readFrame({ origin, key }, { frame, mostBytes }, expected) {
      const answer = ask({ kind: 'frame', origin, key, frame, mostBytes, expected, isScan });
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

function nameOf({ origin, key }: ObjectPlace): string {
  return `${origin} ${key}`;
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
    async news(input, { recursive }) {
      const answer = await ask({ kind: 'news', input, recursive });
      if (answer.kind !== 'news') throw toFailure(answer);
      return answer.news;
    },
    expect: (objects) => asker.tell({ kind: 'expect', ...objects } satisfies RemoteQuestion),
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
  if (error instanceof LinkSilent) {
    return new RemoteFailure('origin_timeout', 'the server that has the file does not answer', { cause: error });
  }
  const code: ErrorCode = 'origin_unavailable';
  return new RemoteFailure(code, `the connections to other machines are closed: ${error.message}`, { cause: error });
}
