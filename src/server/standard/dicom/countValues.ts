import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { widthOf } from './decodeValue.ts';
import type { TableElement } from './elementTable.ts';
import { vrTraits } from './vr.ts';

type ValuePlace = Pick<TableElement<unknown>, 'offset' | 'length' | 'bytes'>;

const PIECE_BYTES = 64 * 1024;

/**
 * Number of values of an element: for numbers from its length, for text from its separators, which are read in pieces.
 */
export function countValues(source: ByteSource, element: ValuePlace, vr: string): number {
  const traits = vrTraits(vr);
  if (traits === undefined || traits.kind === 'sequence' || element.length === 0) return 0;
  const isText = traits.kind === 'text' || traits.kind === 'numeric text';
  if (!isText) return Math.floor(element.length / widthOf(traits));
  return traits.multiple ? 1 + countSeparators(source, element, 0) : 1;
}

/** Number of backslashes from a position in the value to its end. */
export function countSeparators(source: ByteSource, { offset, length, bytes }: ValuePlace, from: number): number {
  if (bytes !== undefined) return countIn(bytes.subarray(from));
  let count = 0;
  for (let at = from; at < length;) {
    const piece = source.read(offset + at, Math.min(PIECE_BYTES, length - at));
    if (piece.length === 0) break;
    count += countIn(piece);
    at += piece.length;
  }
  return count;
}

function countIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 0x5c) count += 1;
  return count;
}
