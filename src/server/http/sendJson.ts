import type { Context } from 'hono';
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

/** Sends JSON that is serialized elsewhere while it is being sent. */
export function sendJsonStream(c: Context, source: ReadableStream<Bytes>): Response {
  return sendStream(c, source, JSON_HEADERS);
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
  const encoder = new TextEncoder();
  const pieces = inPieces(texts);
  const source = new ReadableStream<Bytes>(
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
  return sendStream(c, source, headers);
}

/** Compressed if the client accepts it, because clients are often on slow links. */
function sendStream(c: Context, source: ReadableStream<Bytes>, headers: Headers): Response {
  c.header('Vary', 'Accept-Encoding');
  const isCompressed = acceptsGzip(c);
  if (isCompressed) c.header('Content-Encoding', 'gzip');
  if (c.req.method === 'HEAD') {
    // A stream that is never read would never end.
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

/** Whether a client that sent this Accept-Encoding header accepts the encoding. */
export function acceptsEncoding(acceptEncoding: string | undefined, encoding: string): boolean {
  return (acceptEncoding ?? '').split(',').some((offer) => {
    const [name = '', ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
