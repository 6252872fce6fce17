import { type ErrorCode, ViewerError } from '../../../../shared/contract/errors.ts';
import { answerLink, type ThreadLink } from '../../../machine/workers/threadLink.ts';
import type { StoredFrameWish, SentFrame } from '../byteSource.ts';
import { createStore, type StoreOptions } from './createStore.ts';
import { createDiskRanges, type StoredObject } from './diskRanges.ts';
import { createHttpClient } from './httpClient.ts';
import { createInFlight, type ReadUrgency } from './inFlight.ts';
import { createListedObjects } from './listedObjects.ts';
import { createRangeCache } from './rangeCache.ts';
import { RemoteFailure } from './remoteClient.ts';
import { labelOfInput, parseRemoteInput } from './remoteInput.ts';
import {
  FIRST_SPAN,
  type ObjectPlace,
  type ObjectState,
  type ReadPurpose,
  type ReadWish,
  type RemoteAnswer,
  type RemoteBytes,
  type RemoteEntry,
  type RemoteListing,
  type RemoteNews,
  type RemotePage,
  type RemoteQuestion,
  type ByteSpan,
} from './remoteMessages.ts';
import { createRemoteReader, type RemoteReader, type SpanOptions } from './remoteReader.ts';
import type { RemoteStore, StoreListing } from './remoteStore.ts';
import { hostHeader } from './webHost.ts';

export type RemoteSetup = StoreOptions & {
  /** The number of each input is the place of the input in this list after `firstOrigin`. */
  readonly inputs: readonly string[];
  readonly firstOrigin: number;
  /** Most requests to one machine at the same time. */
  readonly requests: number;
  /** How long another machine may take for one answer to a listing or a search; undefined: the usual time. */
  readonly listingMs?: number | undefined;
  /** Most objects of one input. */
  readonly maxObjects: number;
  /** Memory for ranges that were read, and for first ranges that are read ahead of the scan. */
  readonly cacheBytes: number;
  /** A folder for ranges that were read, which later runs find again. */
  readonly cacheFolder: string | undefined;
  /** The most that it may take. */
  readonly cacheFolderBytes: number;
  /** Whether changes of the places are asked for. */
  readonly isWatched?: boolean;
};

/** The message for the user of something that went wrong. */
export type RemoteTrouble = { readonly trouble: string };
/** Another thread that asks. */
export type RemoteConnection = { readonly link: ThreadLink };

/** The thread that has all connections to other machines. Others ask it by the numbers of places and by keys. */
export function serveRemote(setup: RemoteSetup, onTrouble: (message: string) => void): (link: ThreadLink) => void {
  const http = createHttpClient();
  const { cacheFolder } = setup;
  const mostWaitingBytes = cacheFolder === undefined ? 0 : setup.cacheBytes / 8;
  const cache = createRangeCache(setup.cacheBytes / 2 - mostWaitingBytes);
  const disk =
    cacheFolder === undefined
      ? undefined
      : createDiskRanges({ folder: cacheFolder, mostBytes: setup.cacheFolderBytes, mostWaitingBytes, onTrouble });
  const mostAhead = Math.max(1, Math.floor(setup.cacheBytes / 2 / FIRST_SPAN.to));
  const open = async (input: string) => {
    const store = await createStore(input, setup);
    const inFlight = createInFlight(Math.min(setup.requests, store.mostRequests ?? Infinity));
    const reader = createRemoteReader({ store, http, inFlight, listingMs: setup.listingMs });
    // What is in the queue cannot be overtaken, so the queue for few requests at a time is short.
    const mostQueued = QUEUED_FOR_EACH * (store.mostRequests ?? Infinity);
    const ahead = createReadAhead(reader, Math.min(mostQueued, mostAhead / setup.inputs.length));
    const listed = setup.isWatched === true ? createListedObjects(reader) : undefined;
    return { store, reader, ahead, listed, seen: createRecent(), frames: { sent: 0, refused: 0 } };
  };
  const places = setup.inputs.map((input) => {
    const opened = open(input);
    // Whoever asks gets the failure.
    opened.catch(() => undefined);
    return opened;
  });
  const listings = new Map<number, () => Promise<ListingStep>>();
  /** Of objects that come as a whole. Each holds as much as the cache keeps at most, so there are few at a time. */
  const longReads = new Map<string, Promise<void>>();
  const longReadTurns = createInFlight(2);
  const placeOf = ({ origin }: Pick<ObjectPlace, 'origin'>) => {
    const place = places[origin - setup.firstOrigin];
    if (place === undefined) throw new RemoteFailure('origin_denied', 'this place was not opened');
    return place;
  };

  async function nextPage({ input, isFirst, readsOnDemand, ...wish }: RemoteListing): Promise<RemotePage> {
    const at = setup.inputs.indexOf(input);
    const origin = setup.firstOrigin + at;
    const place = placeOf({ origin });
    const label = labelOfInput(parseRemoteInput(input));
    if (isFirst) {
      const listing = listPlace(place, { ...wish, label, maxObjects: setup.maxObjects, onTrouble });
      const expectObjects = async (entries: readonly RemoteEntry[]) => {
        const opened = await place.catch(() => undefined);
        opened?.listed?.add(entries);
        if (readsOnDemand === true) return;
        // What the server has told of an object is listed first, and the object is read later.
        opened?.ahead.expect(
          entries.flatMap((entry) => ('key' in entry && entry.told === undefined ? [entry.key] : [])),
        );
      };
      listings.set(origin, listAhead(listing, expectObjects));
    }
    const step = await listings.get(origin)?.();
    if (step === undefined || step.done === true) return { origin, entries: [], done: true };
    return { origin, entries: step.value, done: false };
  }

  async function readNews({ input, recursive }: Pick<RemoteListing, 'input' | 'recursive'>): Promise<RemoteNews> {
    const origin = setup.firstOrigin + setup.inputs.indexOf(input);
    const place = placeOf({ origin });
    const { listed } = await place;
    const label = labelOfInput(parseRemoteInput(input));
    // What is wrong was said when the place was opened.
    const listing = listPlace(place, { label, recursive, maxObjects: setup.maxObjects, onTrouble: () => undefined });
    return { origin, ...((await listed?.compare(listing)) ?? { entries: [], gone: [] }) };
  }

  async function read({
    span,
    expected,
    keeps,
    isScan,
    ...object
  }: ObjectPlace & ReadWish & ReadPurpose & { span: ByteSpan }): Promise<RemoteBytes> {
    const { store, reader, ahead, seen } = await placeOf(object);
    const { key } = object;
    const name = `${object.origin} ${object.key} ${expected?.mark ?? ''} ${expected?.size ?? ''}`;
    const kept = expected && (cache.find(name, span) ?? (await findOnDisk(storedOf(store, key, expected), name, span)));
    if (kept !== undefined) return kept;
    const urgency = urgencyOf({ isScan });
    const early = ahead.take(key, span, urgency);
    if (early === undefined && expected !== undefined && isReadAround(reader, expected, span)) {
      await readAround(reader, { store, key, name, span, expected, urgency });
      seen.add(key, expected);
      const found = cache.find(name, span);
      if (found !== undefined) return found;
    }
    const found = await (early ?? reader.readSpan(key, span, { expected, urgency }));
    seen.add(key, found.state);
    if (keeps && expected !== undefined) keep(storedOf(store, key, expected), { name, span, found });
    return found;
  }

  async function findOnDisk(
    object: StoredObject | undefined,
    name: string,
    span: ByteSpan,
  ): Promise<RemoteBytes | undefined> {
    const bytes = object && (await disk?.find(object, span));
    if (object === undefined || bytes === undefined) return undefined;
    const found = { bytes, state: object.state };
    cache.add(name, span, found);
    return found;
  }

  function keep(
    object: StoredObject | undefined,
    { name, span, found }: { name: string; span: ByteSpan; found: RemoteBytes },
  ): void {
    cache.add(name, span, found);
    if (object !== undefined && found.mayBeStored === true) disk?.add(object, span.from, found.bytes);
  }

  /** The beginning of a long object is received by itself, because its frames are. */
  function isReadAround(reader: RemoteReader, { size }: ObjectState, span: ByteSpan): boolean {
    if (!reader.sendsWhole || span.to - span.from > cache.longest) return false;
    return size <= SHORT_OBJECT || span.from >= SHORT_OBJECT || !reader.tellsLength;
  }

  /**
   * A frame of a long object of a server that sends whole objects only. Undefined if it has to be read as a part of the
   * object: reading that tells why if neither is possible.
   */
  async function readFrame({
    expected,
    frame,
    mostBytes,
    isScan,
    ...object
  }: ObjectPlace & StoredFrameWish & ReadPurpose & { expected: ObjectState }): Promise<SentFrame | undefined> {
    const { store, reader, frames } = await placeOf(object);
    if (store.locateFrame === undefined || !reader.sendsWhole || expected.size <= SHORT_OBJECT) return undefined;
    if (frames.sent === 0 && frames.refused >= MOST_REFUSED_FRAMES) return undefined;
    try {
      const sent = await reader.readFrame(object.key, { frame, mostBytes, urgency: urgencyOf({ isScan }) });
      frames.sent += 1;
      return sent;
    } catch (error) {
      if (!(error instanceof RemoteFailure) || !REFUSALS.has(error.code)) throw error;
      frames.refused += 1;
      return undefined;
    }
  }

  /**
   * A server that sends whole objects only is asked once for what several reads want: for all of an object if that can be
   * kept, otherwise for as much as can.
   */
  function readAround(reader: RemoteReader, { store, key, name, span, expected, urgency }: AroundWish): Promise<void> {
    const { size } = expected;
    const fromHere = { from: span.from, to: Math.min(size, span.from + cache.longest) };
    const around = size <= cache.longest ? { from: 0, to: size } : fromHere;
    const wanted = nameOfSpan(name, around);
    const readIt = async () => {
      try {
        const found = await reader.readSpan(key, around, { expected, urgency });
        keep(storedOf(store, key, expected), { name, span: around, found });
      } finally {
        longReads.delete(wanted);
      }
    };
    const running = longReads.get(wanted) ?? longReadTurns.run(urgency, readIt);
    longReads.set(wanted, running);
    return running;
  }

  async function look(object: ObjectPlace): Promise<ObjectState> {
    const { reader, seen } = await placeOf(object);
    const recent = seen.find(object.key);
    if (recent !== undefined) return recent;
    const { state } = await reader.readSpan(object.key, { from: 0, to: 1 }, { urgency: 'asked' });
    seen.add(object.key, state);
    return state;
  }

  async function answer(
    question: RemoteQuestion,
  ): Promise<{ answer: RemoteAnswer; transfer?: ArrayBuffer[] } | undefined> {
    try {
      switch (question.kind) {
        case 'list':
          return { answer: { kind: 'page', page: await nextPage(question) } };
        case 'news':
          return { answer: { kind: 'news', news: await readNews(question) } };
        case 'look':
          return { answer: { kind: 'state', state: await look(question) } };
        case 'expect': {
          const { ahead } = await placeOf(question);
          if (question.isUrgent) ahead.hurry(question.keys);
          else ahead.expect(question.keys);
          return undefined;
        }
        case 'ahead':
          (await placeOf(question)).ahead.start(question.key, question.span, question.expected);
          return undefined;
        case 'read': {
          const found = await read(question);
          const { reader } = await placeOf(question);
          const isSequential = reader.sendsWhole && found.state.size > SHORT_OBJECT;
          return { answer: { kind: 'bytes', read: { ...found, isSequential } }, transfer: [found.bytes.buffer] };
        }
        case 'frame': {
          const frame = await readFrame(question);
          return { answer: { kind: 'frame', frame }, ...(frame && { transfer: [frame.bytes.buffer] }) };
        }
      }
    } catch (error) {
      if (error instanceof ViewerError) {
        return { answer: { kind: 'refusal', refusal: { code: error.code, message: error.message } } };
      }
      onTrouble(`unexpected error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return { answer: { kind: 'refusal', refusal: { code: 'internal_error', message: 'see the server log' } } };
    }
  }

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what remoteClient.ts asks
  return (link) => answerLink(link, (question) => answer(question as RemoteQuestion));
}

/** Requests that wait for each one that may be sent at a time. */
const QUEUED_FOR_EACH = 4;

type AroundWish = {
  readonly store: RemoteStore;
  readonly key: string;
  readonly name: string;
  readonly span: ByteSpan;
  readonly expected: ObjectState;
  readonly urgency: ReadUrgency;
};

function urgencyOf({ isScan = false }: { isScan?: boolean | undefined }): ReadUrgency {
  return isScan ? 'waited' : 'asked';
}

/** Undefined if only a strong ETag would say that the object is the same in another run. */
function storedOf({ host, label }: RemoteStore, key: string, state: ObjectState): StoredObject | undefined {
  if (!state.mark.startsWith('"')) return undefined;
  return { place: `${host.protocol}//${hostHeader(host)} ${label}`, key, state };
}

/** An object of at most this length is received as a whole by a server that cannot send a part of it. */
const SHORT_OBJECT = 2 ** 20;
/** A server that has refused so many frames and has sent none cannot send them by themselves. */
const MOST_REFUSED_FRAMES = 3;
/** The server has answered, but not with the frame. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['file_gone', 'origin_denied', 'origin_unavailable']);

type Listing = AsyncGenerator<readonly RemoteEntry[], void>;
type ListingStep = IteratorResult<readonly RemoteEntry[], void>;

/**
 * Returns the function that gives the pages of a listing, one after another. While the objects of a page are read, the next page
 * is requested, because otherwise nothing would be in flight meanwhile.
 */
function listAhead(
  listing: Listing,
  onPage: (entries: readonly RemoteEntry[]) => Promise<void>,
): () => Promise<ListingStep> {
  const receive = async () => {
    const step = await listing.next();
    if (step.done !== true) await onPage(step.value);
    return step;
  };
  let next = receive();
  return () => {
    const page = next;
    next = page.then((step) => (step.done === true ? step : receive()));
    // Whoever asks for the page gets the failure.
    next.catch(() => undefined);
    return page;
  };
}

type ListingOptions = StoreListing & {
  readonly label: string;
  readonly maxObjects: number;
  readonly onTrouble: (message: string) => void;
};

/** The entries of a store. A listing that fails ends with an entry that says so. */
async function* listPlace(
  place: Promise<{ readonly store: RemoteStore; readonly reader: RemoteReader }>,
  options: ListingOptions,
): Listing {
  const { label } = options;
  let left = options.maxObjects;
  try {
    const { store, reader } = await place;
    for await (const entries of store.list(reader, options)) {
      yield entries.slice(0, left);
      left -= entries.length;
      if (left >= 0) continue;
      options.onTrouble(
        `${label} has more than ${options.maxObjects} objects (--max-objects); the others are not shown`,
      );
      yield [{ path: label, reason: 'limit_exceeded' }];
      return;
    }
  } catch (error) {
    // Whatever went wrong, the files of other places are shown.
    const isExpected = error instanceof ViewerError;
    options.onTrouble(isExpected ? error.message : `${label} cannot be listed: ${String(error)}`);
    yield [{ path: label, reason: isExpected ? reasonOf(error) : 'origin_failed' }];
  }
}

function reasonOf({ code }: ViewerError): 'origin_denied' | 'origin_failed' | 'input_path_unavailable' {
  if (code === 'origin_denied') return code;
  return code === 'file_gone' ? 'input_path_unavailable' : 'origin_failed';
}

type ReadAhead = {
  /** These objects are read next, in this order, after those that were expected before. */
  expect(keys: readonly string[]): void;
  /** Somebody waits for those of these objects that are expected, and were not begun. */
  hurry(keys: readonly string[]): void;
  start(key: string, span: ByteSpan, expected: ObjectState | undefined): void;
  /** Undefined also if it is still in the queue and a user asks for it: then it is read at once instead. */
  take(key: string, span: ByteSpan, urgency: ReadUrgency): Promise<RemoteBytes> | undefined;
};

type EarlyRead = { readonly read: Promise<RemoteBytes>; readonly isQueued: () => boolean };

/**
 * Reads the first bytes of the objects that were listed, many at the same time and in the order of the listing, because
 * the threads of the scan read one object after another.
 */
function createReadAhead(reader: RemoteReader, most: number): ReadAhead {
  let waiting: string[] = [];
  let next = 0;
  /** Those of them that nobody has read meanwhile. */
  const expected = new Set<string>();
  const begun = new Map<string, EarlyRead>();

  const begin = (key: string, span: ByteSpan, options: SpanOptions) => {
    let isRunning = false;
    const onStart = () => {
      isRunning = true;
    };
    const read = reader.readSpan(key, span, { ...options, onStart });
    // Whoever takes it gets the failure.
    read.catch(() => undefined);
    begun.set(nameOfSpan(key, span), { read, isQueued: () => !isRunning && options.urgency !== 'asked' });
  };
  const pump = () => {
    for (; next < waiting.length && begun.size < most; next += 1) {
      const key = waiting[next]!;
      if (expected.delete(key)) begin(key, FIRST_SPAN, { urgency: 'ahead' });
    }
    if (next < waiting.length) return;
    waiting = [];
    next = 0;
  };

  return {
    expect(keys) {
      for (const key of keys) {
        waiting.push(key);
        expected.add(key);
      }
      pump();
    },
    hurry(keys) {
      const first = keys.filter((key) => expected.has(key));
      if (first.length > FEW) {
        // Many at once must not hold up listings and frames.
        waiting = [...first, ...waiting.slice(next)];
        next = 0;
        pump();
        return;
      }
      for (const key of first) {
        expected.delete(key);
        begin(key, FIRST_SPAN, { urgency: 'asked' });
      }
    },
    start(key, span, state) {
      // What was read ahead and never taken must not fill the memory.
      for (const oldest of begun.keys()) {
        if (begun.size < 2 * most) break;
        begun.delete(oldest);
      }
      begin(key, span, { expected: state, urgency: 'ahead' });
    },
    take(key, span, urgency) {
      const name = nameOfSpan(key, span);
      const early = begun.get(name);
      // Who reads it now need not be expected any more.
      if (early === undefined && span.from === 0) expected.delete(key);
      // What is queued stays for the scan, which will ask for it.
      if (early === undefined || (urgency === 'asked' && early.isQueued())) return undefined;
      begun.delete(name);
      pump();
      return early.read;
    },
  };
}

/** As many as a user waits for at a time, other than for a volume. */
const FEW = 8;

function nameOfSpan(key: string, { from, to }: ByteSpan): string {
  return `${key}\n${from}-${to}`;
}

/** An object whose state the server has just told is not asked for again for this long. */
const RECENT_MS = 30_000;
const MOST_RECENT = 20_000;

/** The states that the server has told recently. */
function createRecent() {
  const states = new Map<string, { readonly state: ObjectState; readonly atMs: number }>();
  return {
    add(key: string, state: ObjectState): void {
      states.delete(key);
      states.set(key, { state, atMs: performance.now() });
      for (const oldest of states.keys()) {
        if (states.size <= MOST_RECENT) break;
        states.delete(oldest);
      }
    },
    find(key: string): ObjectState | undefined {
      const found = states.get(key);
      return found !== undefined && performance.now() - found.atMs < RECENT_MS ? found.state : undefined;
    },
  };
}
