import { randomUUID } from 'node:crypto';
import type { Exchange } from './exchange.ts';
import { sendMade } from './sendMade.ts';

/** One part of a multipart answer. */
export type RelatedPart = { readonly mediaType: string; readonly body: Uint8Array | AsyncIterable<Uint8Array> };

/**
 * Sends a multipart answer (RFC 2387) of parts that are made while it is sent. The first part is made before anything is
 * sent: if that fails, the client gets the error. If a later one fails, the answer ends without its last boundary.
 */
export async function sendParts(c: Exchange, type: string, parts: AsyncGenerator<RelatedPart, void>): Promise<void> {
  const first = await parts.next();
  const boundary = randomUUID();
  if (c.method === 'HEAD') await parts.return();
  const headers = [['Content-Type', `multipart/related; type="${type}"; boundary=${boundary}`]] as const;
  await sendMade(c, writeParts(boundary, first, parts), headers);
}

/** Sends a multipart answer of one part that is in memory, which takes less time than a stream. */
export function sendOnePart(
  c: Exchange,
  type: string,
  { mediaType, body }: RelatedPart & { readonly body: Uint8Array },
): void {
  const boundary = randomUUID();
  const head = Buffer.from(headOf(boundary, mediaType, body.length), 'latin1');
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`, 'latin1');
  const { outgoing } = c;
  c.begin(200, [
    ['Content-Type', `multipart/related; type="${type}"; boundary=${boundary}`],
    ['Content-Length', head.length + body.length + tail.length],
  ]);
  // Node sends no body in response to HEAD.
  outgoing.cork();
  outgoing.write(head);
  outgoing.write(body);
  outgoing.end(tail);
  outgoing.uncork();
}

function headOf(boundary: string, mediaType: string, length: number | undefined): string {
  const lengthLine = length === undefined ? '' : `\r\nContent-Length: ${length}`;
  return `--${boundary}\r\nContent-Type: ${mediaType}${lengthLine}\r\n\r\n`;
}

async function* writeParts(
  boundary: string,
  first: IteratorResult<RelatedPart, void>,
  parts: AsyncGenerator<RelatedPart, void>,
): AsyncGenerator<Uint8Array, void> {
  let start = '';
  try {
    for (let part = first; part.done !== true; part = await parts.next()) {
      const { mediaType, body } = part.value;
      const isWhole = body instanceof Uint8Array;
      yield Buffer.from(start + headOf(boundary, mediaType, isWhole ? body.length : undefined), 'latin1');
      if (isWhole) yield body;
      else yield* body;
      start = '\r\n';
    }
    yield Buffer.from(`${start}--${boundary}--\r\n`, 'latin1');
  } finally {
    // The client may have left before a body was read, which would leave the file of a part open.
    await parts.return();
  }
}
