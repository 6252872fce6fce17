import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { createPartReader, findBoundary, MultipartFault } from './partReader.ts';
import type { ByteSpan } from './remoteMessages.ts';
import { hostHeader, type WebHost } from './webHost.ts';

/** One request. The path is sent as it is, because keys of objects may contain `//` and `..`. */
export type HttpTarget = {
  readonly host: WebHost;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether a whole object came without its length, so that it had to be counted to its end. */
  readonly isCounted?: boolean;
};

export type GetOptions = {
  /** The part that is wanted, for a server that answers with the whole object instead. */
  readonly span?: ByteSpan;
  /** A longer answer is refused. */
  readonly mostBytes: number;
  /** For the whole request. */
  readonly deadlineMs: number;
  /** For the first byte, and between two pieces, if not the usual time. */
  readonly quietMs?: number | undefined;
  /** Whether a multipart answer stands for its only part. */
  readonly unwraps?: boolean;
};

/** Time until the first byte, and between two pieces. */
export const QUIET_MS = 10_000;
/**
 * A server that ignores ranges sends the bytes before the wanted part, too, and those after it have to be counted if it does
 * not tell the length.
 */
const MOST_UNWANTED = 256 * 2 ** 20;
const MOST_REDIRECTS = 3;

/** What went wrong below HTTP. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly kind: 'timeout' | 'connection' | 'too_long' | 'redirect' | 'malformed';

  constructor(kind: HttpFailure['kind'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}

/** Sends GET requests and nothing else, over connections that stay open. */
export interface HttpClient {
  get(target: HttpTarget, options: GetOptions): Promise<HttpAnswer>;
  close(): void;
}

export function createHttpClient({ quietMs: usualMs = QUIET_MS }: { readonly quietMs?: number } = {}): HttpClient {
  const options = { keepAlive: true, maxFreeSockets: 128, scheduling: 'lifo' } as const;
  const http = new HttpAgent(options);
  const https = new HttpsAgent(options);

  const once = (target: HttpTarget, wish: GetOptions): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      const { host, path, headers } = target;
      const { quietMs = usualMs } = wish;
      const isSecure = host.protocol === 'https:';
      const sent = (isSecure ? requestHttps : requestHttp)({
        agent: isSecure ? https : http,
        host: host.hostname,
        port: host.port === '' ? undefined : Number(host.port),
        path,
        // A compressed answer would have other positions than the object.
        headers: { 'Accept-Encoding': 'identity', 'User-Agent': 'negato', ...headers },
      });
      const fail = (error: HttpFailure) => {
        clearTimeout(quiet);
        clearTimeout(deadline);
        reject(error);
        sent.destroy();
      };
      const tooSlow = () => fail(new HttpFailure('timeout', `no answer within ${wish.deadlineMs} ms`));
      const quiet = setTimeout(() => fail(new HttpFailure('timeout', `silent for ${quietMs} ms`)), quietMs);
      const deadline = setTimeout(tooSlow, wish.deadlineMs);
      sent.on('error', (cause) => fail(new HttpFailure('connection', describeCause(cause), { cause })));
      const guard = (work: () => void) => {
        try {
          work();
        } catch (thrown) {
          fail(thrown instanceof HttpFailure ? thrown : malformed(thrown));
        }
      };
      const receive = (response: IncomingMessage) => {
        quiet.refresh();
        const body = createBody(response, wish);
        const finish = () => {
          clearTimeout(quiet);
          clearTimeout(deadline);
          resolve({ status: response.statusCode ?? 0, ...body.taken() });
        };
        const take = (piece: Buffer) => {
          quiet.refresh();
          const step = body.take(piece);
          if (step === 'more') return;
          if (step === 'too_long') throw new HttpFailure('too_long', 'the answer is longer than allowed');
          finish();
          sent.destroy();
        };
        const end = () => {
          if (!response.complete) throw new HttpFailure('connection', 'the answer was cut off');
          body.end();
          finish();
        };
        response.on('data', (piece: Buffer) => guard(() => take(piece)));
        response.on('end', () => guard(end));
        response.on('error', (cause) => fail(new HttpFailure('connection', describeCause(cause), { cause })));
        response.on('aborted', () => fail(new HttpFailure('connection', 'the answer was cut off')));
      };
      sent.on('response', (response) => guard(() => receive(response)));
      sent.end();
    });

  return {
    async get(target, wish) {
      let next = target;
      for (let count = 0; ; count += 1) {
        const answer = await once(next, wish);
        const { location } = answer.headers;
        if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer;
        if (count === MOST_REDIRECTS) throw new HttpFailure('redirect', 'the server redirects in a circle');
        next = { ...next, path: followWithin(next, location) };
      }
    },
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

function malformed(cause: unknown): HttpFailure {
  const what = cause instanceof MultipartFault ? cause.message : 'it cannot be read';
  return new HttpFailure('malformed', `the answer is damaged: ${what}`, { cause });
}

/** Only to the same machine: elsewhere may be inside of a network that the other machine cannot reach itself. */
export function followWithin({ host, path }: Pick<HttpTarget, 'host' | 'path'>, location: string): string {
  // Not resolved against the host: a path that begins with two slashes would be another one.
  const here = new URL(`${host.protocol}//${hostHeader(host)}${path}`);
  const there = URL.canParse(location, here.href) ? new URL(location, here) : undefined;
  if (there === undefined || there.origin !== here.origin) {
    throw new HttpFailure('redirect', 'the server redirects to another machine');
  }
  return there.pathname + there.search;
}

type Body = {
  /** `done` if the rest of the answer is not needed. */
  take(piece: Uint8Array): 'more' | 'done' | 'too_long';
  /** Called at the end of the answer, which has to be complete. */
  end(): void;
  /** Headers of what was taken, and its bytes. */
  taken(): Omit<HttpAnswer, 'status'>;
};

/** Throws `MultipartFault`, also when bytes are taken. */
function createBody({ statusCode = 0, headers }: IncomingMessage, wish: GetOptions): Body {
  const boundary = statusCode === 200 && wish.unwraps === true ? findBoundary(headers['content-type']) : undefined;
  if (boundary !== undefined) return createPartBody(boundary, headers, wish);
  const length = Number(headers['content-length'] ?? NaN);
  const collector = createCollector(statusCode, Number.isFinite(length) ? length : undefined, wish);
  return {
    take: (piece) => collector.take(piece),
    end: () => undefined,
    taken() {
      const isCounted = statusCode === 200 && wish.span !== undefined && headers['content-length'] === undefined;
      return {
        headers: isCounted ? { ...headers, 'content-length': String(collector.seen) } : headers,
        bytes: collector.bytes(),
        isCounted,
      };
    },
  };
}

/** The only part of a multipart answer, as if it were the answer. */
function createPartBody(boundary: string, headers: IncomingHttpHeaders, wish: GetOptions): Body {
  const part = createPartReader(boundary);
  let collector: Collector | undefined;
  const collect = () => (collector ??= createCollector(200, part.declaredLength, wish));
  return {
    take(piece) {
      for (const bytes of part.take(piece)) {
        const step = collect().take(bytes);
        if (step !== 'more') return step;
      }
      return 'more';
    },
    end() {
      if (!part.isComplete) throw new HttpFailure('connection', 'the answer ends before its last boundary');
    },
    taken() {
      // The ETag is that of an answer with this boundary, which may be another one next time.
      const { etag: _etag, 'content-type': _type, ...others } = headers;
      const type = part.headers?.get('content-type');
      return {
        headers: {
          ...others,
          ...(type !== undefined && { 'content-type': type }),
          'content-length': String(part.declaredLength ?? collect().seen),
        },
        bytes: collect().bytes(),
        isCounted: wish.span !== undefined && part.declaredLength === undefined,
      };
    },
  };
}

type Collector = {
  take(piece: Uint8Array): 'more' | 'done' | 'too_long';
  /** Number of bytes that came, wanted or not. */
  readonly seen: number;
  bytes(): Uint8Array<ArrayBuffer>;
};

/** Keeps the wanted bytes of an answer. */
function createCollector(status: number, length: number | undefined, { span, mostBytes }: GetOptions): Collector {
  const isRefusal = status < 200 || status >= 300;
  const isWhole = status === 200 && span !== undefined;
  // The rest is not needed of a refusal, and of an object that is sent as a whole, unless it has to be counted.
  const ignoresRest = isRefusal || isWhole;
  const isCut = isRefusal || (isWhole && length !== undefined);
  const skipped = isWhole ? span.from : 0;
  const most = isRefusal ? MOST_OF_REFUSAL : isWhole ? span.to - span.from : mostBytes;
  const expected = length === undefined ? undefined : Math.max(0, Math.min(length - skipped, most));
  // What a server declares is not allocated before it arrives, except for a length that was asked for.
  let buffer = Buffer.allocUnsafeSlow(Math.min(expected ?? FIRST_BYTES, span === undefined ? FIRST_BYTES : most));
  let seen = 0;
  let filled = 0;
  return {
    take(piece) {
      if (isWhole && skipped > MOST_UNWANTED) throw new HttpFailure('too_long', TOO_FAR);
      const wanted = seen < skipped ? piece.subarray(Math.min(piece.length, skipped - seen)) : piece;
      seen += piece.length;
      if (isWhole && !isCut && seen > MOST_UNWANTED) return 'too_long';
      const room = most - filled;
      if (wanted.length > room && !ignoresRest) return 'too_long';
      const taken = wanted.length > room ? wanted.subarray(0, room) : wanted;
      if (filled + taken.length > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(filled + taken.length, buffer.length * 2)));
        buffer.copy(larger, 0, 0, filled);
        buffer = larger;
      }
      buffer.set(taken, filled);
      filled += taken.length;
      return isCut && filled === most ? 'done' : 'more';
    },
    get seen() {
      return seen;
    },
    bytes: () => new Uint8Array(buffer.buffer, buffer.byteOffset, filled),
  };
}

const TOO_FAR = 'the server sends no parts, and this one is too far behind the beginning';
const FIRST_BYTES = 64 * 1024;
const MOST_OF_REFUSAL = 16 * 1024;

function describeCause(cause: Error): string {
  // Not the message: it may contain the address.
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : 'the connection failed';
}
