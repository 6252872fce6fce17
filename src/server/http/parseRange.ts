import type { ByteRange } from '../origins/origins.ts';

/**
 * The single byte range that the client requests (RFC 9110). Undefined for several ranges, and for a range outside the
 * file: a server may ignore such a header and send the whole file.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  // Without a first byte, `last` is the number of bytes from the end.
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  return start < end ? { start, end } : undefined;
}
