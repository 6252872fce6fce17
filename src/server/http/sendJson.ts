import type { Context } from 'hono';
import type { ByteCache } from '../../shared/byteCache.ts';
import { inPieces } from '../workers/jsonPieces.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Headers = Readonly<Record<string, string>>;

const JSON_HEADERS: Headers = { 'Content-Type': 'application/json' };

/** Smaller responses fit into one or two packets uncompressed. */
const WORTH_COMPRESSING_BYTES = 4096;

/** Sends JSON that is small enough to be serialized in one step. */
export function sendJson(c: Context, body: object): Response {
  return c.body(JSON.stringify(body), 200, JSON_HEADERS);
}

/** Sends JSON that was serialized elsewhere, such as in a worker thread. */
export function sendJsonBytes(c: Context, bytes: Bytes): Response {
  return sendCompressible(c, bytes, JSON_HEADERS);
}

/** Sends bytes that compress well. */
export function sendCompressible(c: Context, bytes: Bytes, headers: Headers): Response {
  if (bytes.length < WORTH_COMPRESSING_BYTES) return c.body(bytes, 200, headers);
  if (acceptsGzip(c)) return sendStream(c, streamOf(bytes), headers);
  return c.body(bytes, 200, { ...headers, Vary: 'Accept-Encoding' });
}

/** A response as it was sent, compressed or not. */
export type KeptJson = Bytes;

type Kept = {
  readonly kept: ByteCache<KeptJson>;
  /** Identifies the text of the response; undefined if it is not worth keeping. */
  readonly key: string | undefined;
};

/** Sends JSON that is the same until its key changes: it is written, and compressed, once for each key. */
export async function sendKeptJson(
  c: Context,
  { kept, key }: Kept,
  write: () => ReadableStream<Bytes> | Promise<ReadableStream<Bytes>>,
): Promise<Response> {
  if (key === undefined) return sendStream(c, await write(), JSON_HEADERS);
  const place = `${acceptsGzip(c) ? 'gzip' : 'plain'} ${key}`;
  const known = kept.get(place);
  if (known !== undefined) {
    setEncoding(c);
    return c.req.method === 'HEAD' ? c.body(null, 200, JSON_HEADERS) : c.body(known, 200, JSON_HEADERS);
  }
  return sendStream(c, await write(), JSON_HEADERS, keepWhole(kept, place));
}

/** Keeps what passes once all of it has passed, unless it is too large for the cache. */
function keepWhole(kept: ByteCache<Bytes>, key: string): TransformStream<Bytes, Bytes> {
  let pieces: Bytes[] = [];
  let bytes = 0;
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.length;
      if (bytes <= kept.budgetBytes) pieces.push(piece);
      else pieces = [];
      controller.enqueue(piece);
    },
    flush() {
      if (bytes <= kept.budgetBytes) kept.set(key, new Uint8Array(Buffer.concat(pieces, bytes)), bytes);
    },
  });
}

/** Sends JSON that is written while it is being sent. */
export function sendJsonTexts(c: Context, texts: Iterable<string>): Response {
  return sendTexts(c, texts, JSON_HEADERS);
}

/**
 * Sends texts piece by piece. The event loop runs between two pieces, so that a long response does not delay others, and
 * the next piece is only requested once the client has taken the previous one.
 */
export function sendTexts(c: Context, texts: Iterable<string>, headers: Headers): Response {
  return sendStream(c, streamTexts(texts), headers);
}

export function streamTexts(texts: Iterable<string>): ReadableStream<Bytes> {
  const encoder = new TextEncoder();
  const pieces = inPieces(texts);
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        await new Promise((resume) => setImmediate(resume));
        const { done, value } = pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    },
    { highWaterMark: 0 },
  );
}

/** Compressed if the client accepts it, because clients are often on slow links. */
function sendStream(
  c: Context,
  source: ReadableStream<Bytes>,
  headers: Headers,
  keep?: TransformStream<Bytes, Bytes>,
): Response {
  const isCompressed = setEncoding(c);
  if (c.req.method === 'HEAD') {
    // A stream that is never read would never end.
    void source.cancel();
    return c.body(null, 200, headers);
  }
  const sent = isCompressed ? source.pipeThrough(new CompressionStream('gzip')) : source;
  return c.body(keep === undefined ? sent : sent.pipeThrough(keep), 200, headers);
}

/** Sets the headers of a response that is compressed if the client accepts it; returns whether it is. */
function setEncoding(c: Context): boolean {
  c.header('Vary', 'Accept-Encoding');
  const isCompressed = acceptsGzip(c);
  if (isCompressed) c.header('Content-Encoding', 'gzip');
  return isCompressed;
}

function acceptsGzip(c: Context): boolean {
  return acceptsEncoding(c.req.header('accept-encoding'), 'gzip');
}

function streamOf(bytes: Bytes): ReadableStream<Bytes> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** Whether a client that sent this Accept-Encoding header accepts the encoding. */
export function acceptsEncoding(acceptEncoding: string | undefined, encoding: string): boolean {
  return (acceptEncoding ?? '').split(',').some((offer) => {
    const [name = '', ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
