import type { IncomingMessage } from 'node:http';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Exchange } from './exchange.ts';
import type { Static, TSchema } from '../../../shared/contract/schema.ts';
import { parseBody } from '../../machine/workers/parseBody.ts';

const MAX_JSON_BYTES = 2 * 1024 * 1024;

/** The bytes of a JSON request body, up to the limit. Parsing is left to the caller because it can take long. */
export async function readJsonBody(c: Exchange, limitBytes = MAX_JSON_BYTES): Promise<Uint8Array> {
  const contentType = c.header('content-type') ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType)) {
    throw new ViewerError('unsupported_media_type', 'the body must be application/json');
  }
  return readBody(c, limitBytes);
}

/** The bytes of a request body whose type the caller has checked, up to the limit. */
export async function readBody(c: Exchange, limitBytes: number): Promise<Uint8Array> {
  if (c.header('content-encoding') !== undefined) {
    throw new ViewerError('unsupported_media_type', 'the body must not be compressed');
  }
  const tooLarge = new ViewerError('payload_too_large', `the body is larger than ${limitBytes} bytes`);
  if (Number(c.header('content-length') ?? 0) > limitBytes) throw tooLarge;
  const bytes = await readUpTo(c.incoming, limitBytes);
  if (bytes === undefined) throw tooLarge;
  return bytes;
}

async function readUpTo(incoming: IncomingMessage, limitBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Without this option the connection would end before the refusal is sent.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    const bytes: Uint8Array = chunk;
    length += bytes.length;
    if (length > limitBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** The value of a JSON body that has the shape of the schema. `words` tell the client what it should be. */
export async function parseChecked<Schema extends TSchema>(
  schema: Schema,
  body: Uint8Array,
  words: string,
): Promise<Static<Schema>> {
  const value = parseBody(body);
  // Loaded with the first body.
  const { Check } = await import('typebox/value');
  if (Check(schema, value)) return value;
  throw new ViewerError('invalid_json', words);
}
