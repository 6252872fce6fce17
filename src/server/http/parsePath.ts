import type { Context } from 'hono';
import { ViewerError } from '../../shared/contract/errors.ts';

/** A path parameter such as `:index` or `:frame`: a number that counts from 0. */
export function parsePathNumber(c: Context, name: string): number {
  const text = c.req.param(name) ?? '';
  if (!/^\d{1,9}$/.test(text))
    throw new ViewerError('invalid_path', `${name} must be a whole number of at most 9 digits`);
  return Number(text);
}
