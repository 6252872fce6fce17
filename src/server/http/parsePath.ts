import type { Context } from 'hono';
import { ViewerError } from '../../shared/contract/errors.ts';

/** Reads a path parameter such as `:index` or `:frame`, a number that counts from 0. */
export function parsePathNumber(c: Context, name: string): number {
  const text = c.req.param(name) ?? '';
  if (!/^\d+$/.test(text)) throw new ViewerError('invalid_path', `${name} must be a whole number`);
  // The cap exceeds any index, so such a number is reported as not found; further digits would only be rounded.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
