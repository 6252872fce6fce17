import type { Context } from 'hono';

/** Answers bytes that nobody changes any more, such as those of a cache. They are not copied. */
export function sendBytes(c: Context, bytes: Uint8Array, headers: Record<string, string>): Response {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what workers hand over is never shared memory
  return c.body(bytes as Uint8Array<ArrayBuffer>, 200, { ...headers, 'Content-Length': String(bytes.length) });
}
