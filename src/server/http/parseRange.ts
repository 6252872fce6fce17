import type { ByteRange } from '../origins/origins.ts';

/**
 * The one range that a client asks for, as RFC 9110 writes it. Undefined where it asks for several, or for what is not
 * there: such a header may be ignored, and the client gets the whole.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  // Without a first byte, the last so many.
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  return start < end ? { start, end } : undefined;
}
