import type { Context } from 'hono';
import { acceptsEncoding } from './acceptsEncoding.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Headers = Readonly<Record<string, string>>;

const JSON_HEADERS: Headers = { 'Content-Type': 'application/json' };

/** Shorter answers fit into a packet or two as they are. */
const WORTH_COMPRESSING_BYTES = 4096;

/** Answers JSON that is small enough to be written in one go. */
export function sendJson(c: Context, body: object): Response {
  return c.body(JSON.stringify(body), 200, JSON_HEADERS);
}

/** Answers JSON that was written elsewhere, such as in a worker thread. */
export function sendJsonBytes(c: Context, bytes: Bytes): Response {
  return sendCompressible(c, bytes, JSON_HEADERS);
}

/** Answers bytes that shrink well. */
export function sendCompressible(c: Context, bytes: Bytes, headers: Headers): Response {
  if (bytes.length < WORTH_COMPRESSING_BYTES) return c.body(bytes, 200, headers);
  if (acceptsGzip(c)) return sendStream(c, streamOf(bytes), headers);
  return c.body(bytes, 200, { ...headers, Vary: 'Accept-Encoding' });
}

/** Answers JSON that is written elsewhere while it is sent. */
export function sendJsonStream(c: Context, source: ReadableStream<Bytes>): Response {
  return sendStream(c, source, JSON_HEADERS);
}

export function sendJsonPieces(c: Context, pieces: Iterable<string>): Response {
  return sendPieces(c, pieces, JSON_HEADERS);
}

/**
 * Answers text piece by piece. Between two pieces the event loop gets its turn, so that a long answer holds up nobody; a
 * piece is only asked for when the client has taken the one before.
 */
export function sendPieces(c: Context, pieces: Iterable<string>, headers: Headers): Response {
  const text = new TextEncoder();
  const iterator = pieces[Symbol.iterator]();
  const source = new ReadableStream<Bytes>(
    {
      async pull(controller) {
        await new Promise((resume) => setImmediate(resume));
        const { done, value } = iterator.next();
        if (done) controller.close();
        else controller.enqueue(text.encode(value));
      },
    },
    { highWaterMark: 0 },
  );
  return sendStream(c, source, headers);
}

/** Compressed where the client takes it: our clients sit behind thin links. */
function sendStream(c: Context, source: ReadableStream<Bytes>, headers: Headers): Response {
  c.header('Vary', 'Accept-Encoding');
  const isCompressed = acceptsGzip(c);
  if (isCompressed) c.header('Content-Encoding', 'gzip');
  if (c.req.method === 'HEAD') {
    // A stream that nobody reads would never end.
    void source.cancel();
    return c.body(null, 200, headers);
  }
  return c.body(isCompressed ? source.pipeThrough(new CompressionStream('gzip')) : source, 200, headers);
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
