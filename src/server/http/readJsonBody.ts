import type { Context } from 'hono';
import { ViewerError } from '../../shared/contract/errors.ts';

const MAX_JSON_BYTES = 2 * 1024 * 1024;

/** The bytes of a JSON request body, up to the limit. Parsing is left to the caller because it can take long. */
export async function readJsonBody(c: Context, limitBytes = MAX_JSON_BYTES): Promise<Uint8Array> {
  const contentType = c.req.header('content-type') ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType)) {
    throw new ViewerError('unsupported_media_type', 'the body must be application/json');
  }
  if (c.req.header('content-encoding') !== undefined) {
    throw new ViewerError('unsupported_media_type', 'the body must not be compressed');
  }
  const tooLarge = new ViewerError('payload_too_large', `the body is larger than ${limitBytes} bytes`);
  if (Number(c.req.header('content-length') ?? 0) > limitBytes) throw tooLarge;
  const bytes = await readUpTo(c.req.raw.body, limitBytes);
  if (bytes === undefined) throw tooLarge;
  return bytes;
}

async function readUpTo(body: ReadableStream<Uint8Array> | null, limitBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
