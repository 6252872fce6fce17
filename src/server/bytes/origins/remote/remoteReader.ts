import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorCode } from '../../../../shared/contract/errors.ts';
import {
  type GetOptions,
  type HttpAnswer,
  type HttpClient,
  HttpFailure,
  type HttpTarget,
  QUIET_MS,
} from './httpClient.ts';
import type { StoredFrameWish, SentFrame } from '../byteSource.ts';
import type { ReadUrgency, RequestsInFlight } from './inFlight.ts';
import { findAdvice, findConnectionAdvice } from './refusalAdvice.ts';
import { RemoteFailure } from './remoteClient.ts';
import type { ObjectState, RemoteBytes, ByteSpan } from './remoteMessages.ts';
import type { RemoteStore, StoreReader } from './remoteStore.ts';

/** Reads the objects of one store, with retries and within limits. Throws `RemoteFailure`. */
export interface RemoteReader extends StoreReader {
  readSpan(key: string, span: ByteSpan, options: SpanOptions): Promise<RemoteBytes>;
  /** A frame by itself, whatever the server sends as such. The store has to be able to locate frames. */
  readFrame(key: string, wish: StoredFrameWish & Pick<SpanOptions, 'urgency'>): Promise<SentFrame>;
  /** Whether the server has sent a whole object when a part of it was asked for. */
  readonly sendsWhole: boolean;
  /** Whether it has told how long such an object is, so that the rest need not be received. */
  readonly tellsLength: boolean;
}

export type SpanOptions = {
  /** A different state is `file_gone`. */
  readonly expected?: ObjectState | undefined;
  readonly urgency: ReadUrgency;
  /** Called when its turn has come. */
  readonly onStart?: () => void;
};

export type ReaderContext = {
  readonly store: RemoteStore;
  readonly http: HttpClient;
  readonly inFlight: RequestsInFlight;
  readonly limits?: ReaderLimits;
  /** How long a listing or a search may take, if not the usual time: the server may have to read files for it. */
  readonly listingMs?: number | undefined;
};

export type ReaderLimits = {
  /** For all tries of one request together. A scan gives a file up after 20 s. */
  readonly wholeMs: number;
  /** A machine that has answered nothing for this long is silent: an overloaded one still answers others. */
  readonly silentMs: number;
  /** How long a silent machine gets one request at a time only. */
  readonly pauseMs: number;
};

const LIMITS: ReaderLimits = { wholeMs: 18_000, silentMs: QUIET_MS, pauseMs: 10_000 };
const MOST_TRIES = 3;
/** Another try would fail in the same way. */
const NEVER_AGAIN: ReadonlySet<HttpFailure['kind']> = new Set(['too_long', 'redirect', 'malformed']);
const FIRST_PAUSE_MS = 200;
const MOST_RETRY_AFTER_MS = 10_000;
/** A long range may take longer, at this rate. */
const SLOWEST_BYTES_PER_MS = 64;

type Attempt = { readonly answer: HttpAnswer } | { readonly failure: RemoteFailure; readonly waitMs?: number };

export function createRemoteReader({ store, http, inFlight, limits = LIMITS, listingMs }: ReaderContext): RemoteReader {
  let silentUntilMs = -Infinity;
  let answeredMs = -Infinity;
  let isProbing = false;
  let sendsWhole = false;
  let tellsLength = true;
  const unwraps = store.mediaTypes !== undefined;

  /** One try. Whatever can be tried again is a value. */
  async function attempt(target: HttpTarget, options: AttemptOptions): Promise<Attempt> {
    const { accepts, isOptional = false, ...wish } = options;
    try {
      const answer = await http.get(target, wish);
      const { status } = answer;
      silentUntilMs = -Infinity;
      answeredMs = performance.now();
      const isBusy = status === 429 || status === 503;
      inFlight.report(isBusy ? 'overloaded' : 'clean');
      if (accepts(status)) return { answer };
      const failure = refusalOf(store, answer);
      if (!isBusy && status < 500) {
        if (await store.learnFrom(answer, target)) return { failure, waitMs: 0 };
        throw failure;
      }
      const retryAfterMs = 1000 * Number(answer.headers['retry-after'] ?? NaN);
      return { failure, ...(retryAfterMs >= 0 && { waitMs: Math.min(retryAfterMs, MOST_RETRY_AFTER_MS) }) };
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      const failure = failureOf(store, error);
      if (NEVER_AGAIN.has(error.kind)) throw failure;
      if (error.kind === 'timeout' && !isOptional) {
        inFlight.report('overloaded');
        const nowMs = performance.now();
        if (nowMs - answeredMs >= limits.silentMs) silentUntilMs = nowMs + limits.pauseMs;
      }
      return { failure };
    }
  }

  async function send(locate: Locate, options: Omit<AttemptOptions, 'deadlineMs' | 'quietMs'>): Promise<HttpAnswer> {
    const isListing = options.unwraps === undefined;
    const wholeMs = isListing
      ? (listingMs ?? limits.wholeMs)
      : limits.wholeMs + options.mostBytes / SLOWEST_BYTES_PER_MS;
    const quietMs = isListing ? listingMs : undefined;
    const until = performance.now() + wholeMs;
    let pauseMs = FIRST_PAUSE_MS;
    for (let tries = 1; ; tries += 1) {
      const target = await locate();
      const deadlineMs = Math.max(1, Math.ceil(until - performance.now()));
      const made = await attempt(target, { ...options, deadlineMs, quietMs });
      if ('answer' in made) return made.answer;
      const waitMs = made.waitMs ?? pauseMs * (0.5 + Math.random());
      pauseMs *= 2;
      const nowMs = performance.now();
      // Other requests wait for the thread that waits for these bytes.
      const isSilent = !isListing && nowMs < silentUntilMs;
      if (tries === MOST_TRIES || options.isOptional === true || isSilent || nowMs + waitMs >= until)
        throw isListing ? adviseToWait(made.failure) : made.failure;
      if (waitMs > 0) await delay(waitMs);
    }
  }

  /**
   * A machine that does not answer would hold up one thread after another, and with them files that are here. Until it
   * answers again, one request at a time finds out.
   */
  async function run<Result>(urgency: SpanOptions['urgency'], work: () => Promise<Result>): Promise<Result> {
    return inFlight.run(urgency, async () => {
      if (performance.now() >= silentUntilMs) return work();
      if (isProbing) throw new RemoteFailure('origin_timeout', `${store.label} does not answer at present`);
      isProbing = true;
      try {
        return await work();
      } finally {
        isProbing = false;
      }
    });
  }

  return {
    get: (locate, mostBytes, { acceptsNothing = false, isOptional = false } = {}) =>
      run('waited', () =>
        send(async () => locate(), {
          mostBytes,
          isOptional,
          accepts: (status) => status === 200 || status === 206 || (acceptsNothing && status === 204),
        }),
      ),
    readSpan(key, span, { expected, urgency, onStart }) {
      const locate = () => locateObject(store, key, span, expected);
      return run(urgency, async () => {
        onStart?.();
        for (let tries = 1; ; tries += 1) {
          const length = span.to - span.from;
          const answer = await send(locate, { span, unwraps, mostBytes: length, accepts: isAnswerToRange });
          requireType(store, answer);
          sendsWhole ||= answer.status === 200;
          tellsLength &&= answer.isCounted !== true;
          const read = toBytes(answer, span, expected, store.label);
          if (read !== undefined) return read;
          if (tries === MOST_TRIES) {
            throw new RemoteFailure('origin_unavailable', `${store.label} answers with a wrong number of bytes`);
          }
        }
      });
    },
    readFrame(key, { frame, mostBytes, urgency }) {
      const locate = async () => store.locateFrame?.(key, frame) ?? refuseOutside();
      return run(urgency, async () => {
        const answer = await send(locate, { unwraps: true, mostBytes, accepts: (status) => status === 200 });
        return toFrame(answer, store.label);
      });
    },
    get sendsWhole() {
      return sendsWhole;
    },
    get tellsLength() {
      return tellsLength;
    },
  };
}

/** Images, and frames without a type of their own. PS3.18 table 8.7.3-5. */
const FRAME_TYPE = /^(?:application\/octet-stream|image\/[\w.+-]+)\s*(?:;|$)/i;

function toFrame({ headers, bytes }: HttpAnswer, label: string): SentFrame {
  const type = headers['content-type'];
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity';
  if (!isPlain || type === undefined || !FRAME_TYPE.test(type)) {
    throw new RemoteFailure('origin_unavailable', `${label} answers with something else instead of a frame`);
  }
  const syntax = /;\s*transfer-syntax\s*=\s*"?([\d.]{1,64})"?\s*(?:;|$)/i.exec(type)?.[1];
  return { bytes, transferSyntaxUid: syntax };
}

function refuseOutside(): never {
  throw new RemoteFailure('origin_denied', 'the object is outside of what was opened');
}

/** A server that asks people to log in answers with a page. */
function requireType({ mediaTypes, label }: RemoteStore, { status, headers }: HttpAnswer): void {
  const type = headers['content-type'];
  if (mediaTypes === undefined || type === undefined || status === 416 || mediaTypes.test(type)) return;
  const shown = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(type)?.[0] ?? 'something else';
  throw new RemoteFailure('origin_unavailable', `${label} answers with ${shown} instead of an instance`);
}

function isAnswerToRange(status: number): boolean {
  return status === 200 || status === 206 || status === 416;
}

type Locate = () => Promise<HttpTarget>;
/** `unwraps` is set for objects and frames, which may take longer than a listing. */
type AttemptOptions = GetOptions & { readonly accepts: (status: number) => boolean; readonly isOptional?: boolean };

async function locateObject(
  store: RemoteStore,
  key: string,
  { from, to }: ByteSpan,
  expected: ObjectState | undefined,
): Promise<HttpTarget> {
  const headers: Record<string, string> = { Range: `bytes=${from}-${to - 1}` };
  if (expected?.mark.startsWith('"') === true) headers['If-Match'] = expected.mark;
  else if (expected !== undefined && expected.mark !== '') headers['If-Unmodified-Since'] = expected.mark;
  return store.locate(key, headers) ?? refuseOutside();
}

/** Undefined if the bytes are not those that were asked for, which another try may give. */
function toBytes(
  { status, headers, bytes }: HttpAnswer,
  { from, to }: ByteSpan,
  expected: ObjectState | undefined,
  label: string,
): RemoteBytes | undefined {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new RemoteFailure(
      'origin_unavailable',
      `${label} sends the object compressed, so parts of it cannot be read`,
    );
  }
  const size = sizeOfObject(status, headers);
  if (size === undefined) return undefined;
  const state: ObjectState = { mark: markOf(headers), size };
  if (expected !== undefined && (expected.mark !== state.mark || expected.size !== size)) {
    throw new RemoteFailure('file_gone', 'the file has changed since it was scanned');
  }
  if (status === 416) {
    // The only range that an empty object does not have is the first one.
    if (size === 0 && from === 0) return { bytes: new Uint8Array(0), state };
    throw new RemoteFailure('file_gone', 'the file has become shorter');
  }
  const mayBeStored = !/\bno-store\b/i.test(headers['cache-control'] ?? '');
  return bytes.length === Math.max(0, Math.min(to, size) - from) ? { bytes, state, mayBeStored } : undefined;
}

function sizeOfObject(status: number, headers: HttpAnswer['headers']): number | undefined {
  const text =
    status === 200
      ? headers['content-length']
      : /^bytes (?:\d+-\d+|\*)\/(\d{1,15})$/.exec(headers['content-range'] ?? '')?.[1];
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** A weak ETag does not say that the bytes are the same. */
function markOf(headers: HttpAnswer['headers']): string {
  const { etag } = headers;
  return etag?.startsWith('"') === true ? etag : (headers['last-modified'] ?? '');
}

function refusalOf({ label, scheme }: RemoteStore, answer: HttpAnswer): RemoteFailure {
  const { status, bytes } = answer;
  const told = /<Code>(\w{1,60})<\/Code>/.exec(Buffer.from(bytes.subarray(0, 4096)).toString('latin1'))?.[1];
  const detail = told === undefined ? String(status) : `${status} ${told}`;
  const [code, what] = explainStatus(status);
  const advice = scheme && findAdvice(scheme, told, answer);
  return new RemoteFailure(code, `${label} ${what} (${detail})${advice === undefined ? '' : `; ${advice}`}`);
}

function explainStatus(status: number): readonly [ErrorCode, string] {
  if (status === 404 || status === 410) return ['file_gone', 'does not have the object'];
  if (status === 412) return ['file_gone', 'has another version of the object'];
  if (status === 429 || status === 503) return ['origin_busy', 'has too much to do'];
  if (status >= 500) return ['origin_unavailable', 'failed'];
  if (status >= 400) return ['origin_denied', 'refused the request'];
  return ['origin_unavailable', 'gave an unexpected answer'];
}

function adviseToWait(failure: RemoteFailure): RemoteFailure {
  if (failure.code !== 'origin_timeout') return failure;
  return new RemoteFailure(failure.code, `${failure.message}; --origin-timeout SECONDS waits longer`, {
    cause: failure,
  });
}

function failureOf({ label, scheme, host }: RemoteStore, error: HttpFailure): RemoteFailure {
  const code: Record<HttpFailure['kind'], ErrorCode> = {
    timeout: 'origin_timeout',
    connection: 'origin_unavailable',
    too_long: 'origin_unavailable',
    redirect: 'origin_denied',
    malformed: 'origin_unavailable',
  };
  const advice = error.kind === 'connection' ? findConnectionAdvice(scheme, error.message, host) : undefined;
  const message = `${label}: ${error.message}${advice === undefined ? '' : `; ${advice}`}`;
  return new RemoteFailure(code[error.kind], message, { cause: error });
}
