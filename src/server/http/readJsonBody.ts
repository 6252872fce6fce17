import type { Context } from 'hono';
import { ViewerError } from '../../shared/contract/errors.ts';

export const MAX_JSON_BYTES = 2 * 1024 * 1024;
const MAX_JSON_DEPTH = 16;

/** Keys with which a careless merge would reach into every object of the program. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** The request's JSON, bounded in bytes and depth. Its shape is for the caller to check. */
export async function readJsonBody(c: Context, limitBytes = MAX_JSON_BYTES): Promise<unknown> {
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
  const value = parseJson(bytes);
  // Each of the two steps takes a while on a large body; others get their turn in between.
  await new Promise((resume) => setImmediate(resume));
  refuseDeepOrHostile(value);
  return value;
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

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ViewerError('invalid_json', 'the body is not well-formed JSON in UTF-8', { cause: error });
  }
}

function refuseDeepOrHostile(root: unknown): void {
  let level: object[] = [];
  addContainer(level, root);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH)
      throw new ViewerError('invalid_json', `the body is nested deeper than ${MAX_JSON_DEPTH}`);
    const next: object[] = [];
    for (const container of level) {
      if (!Array.isArray(container) && Object.keys(container).some((key) => FORBIDDEN_KEYS.has(key))) {
        throw new ViewerError('invalid_json', 'the body has a key that is never accepted');
      }
      for (const value of Array.isArray(container) ? container : Object.values(container)) addContainer(next, value);
    }
    level = next;
  }
}

/** Scalars are left out: they are most of a large body, and there is nothing to check about them. */
function addContainer(containers: object[], value: unknown): void {
  if (typeof value === 'object' && value !== null) containers.push(value);
}
