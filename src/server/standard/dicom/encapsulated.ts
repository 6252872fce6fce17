import { type ElementCursor, UNDEFINED_LENGTH } from './elementCursor.ts';
import * as Tag from './tag.ts';

export type EncapsulatedExtent = {
  /** Position after the sequence delimiter, or where the data ends early. */
  readonly end: number;
  /** Number of fragments without the basic offset table, and their total bytes. */
  readonly count: number;
  readonly bytes: number;
  readonly problem: 'truncated' | 'bad_item' | 'fragment_limit' | undefined;
};

const MAX_FRAGMENTS = 1_000_000;

/** Walks the items of encapsulated data, starting at the basic offset table, without reading fragments. PS3.5 A.4. */
export function walkEncapsulated(cursor: ElementCursor, position: number, littleEndian: boolean): EncapsulatedExtent {
  let at = position;
  let items = 0;
  let bytes = 0;
  const extent = (end: number, problem: EncapsulatedExtent['problem']) => ({
    end,
    count: Math.max(0, items - 1),
    bytes,
    problem,
  });
  while (items <= MAX_FRAGMENTS) {
    if (!cursor.readHeader(at, false, littleEndian)) return extent(Math.min(at, cursor.source.size), 'truncated');
    if (cursor.tag === Tag.SequenceDelimitationItem) return extent(at + 8, undefined);
    if (cursor.tag !== Tag.Item || cursor.length === UNDEFINED_LENGTH) return extent(at, 'bad_item');
    const available = Math.max(0, Math.min(cursor.length, cursor.source.size - cursor.valueOffset));
    items += 1;
    if (items > 1) bytes += available;
    if (available < cursor.length) return extent(cursor.valueOffset + available, 'truncated');
    at = cursor.valueOffset + cursor.length;
  }
  return extent(at, 'fragment_limit');
}
