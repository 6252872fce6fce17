import type { Context } from 'hono';

/** Answers JSON that is small enough to be written in one go. */
export function sendJson(c: Context, body: object): Response {
  return c.body(JSON.stringify(body), 200, { 'Content-Type': 'application/json' });
}

/** Answers JSON that was written elsewhere, such as in a worker thread. */
export function sendJsonBytes(c: Context, bytes: Uint8Array<ArrayBuffer>): Response {
  return c.body(bytes, 200, { 'Content-Type': 'application/json' });
}

export function sendJsonPieces(c: Context, pieces: Iterable<string>): Response {
  return sendPieces(c, pieces, { 'Content-Type': 'application/json' });
}

/**
 * Answers text piece by piece. Between two pieces the event loop gets its turn, so that a long answer holds up nobody; a
 * piece is only asked for when the client has taken the one before.
 */
export function sendPieces(c: Context, pieces: Iterable<string>, describedBy: Record<string, string>): Response {
  const text = new TextEncoder();
  const iterator = pieces[Symbol.iterator]();
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        await new Promise((resume) => setImmediate(resume));
        const { done, value } = iterator.next();
        if (done) controller.close();
        else controller.enqueue(text.encode(value));
      },
    },
    // Nothing is asked for ahead: the answer to HEAD is never read.
    { highWaterMark: 0 },
  );
  const headers = { ...describedBy, Vary: 'Accept-Encoding' };
  if (!acceptsGzip(c.req.header('accept-encoding'))) return c.body(source, 200, headers);
  const compressed = source.pipeThrough(new CompressionStream('gzip'));
  return c.body(compressed, 200, { ...headers, 'Content-Encoding': 'gzip' });
}

export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return acceptsEncoding(acceptEncoding, 'gzip');
}

export function acceptsEncoding(acceptEncoding: string | undefined, encoding: string): boolean {
  return (acceptEncoding ?? '').split(',').some((offer) => {
    const [name = '', ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
