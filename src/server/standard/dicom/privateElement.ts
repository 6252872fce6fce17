import type { Attributes, DataSet } from './dataSet.ts';
import { decodeNumbers } from './decodeValue.ts';

/** An element of a private block: the creator of the block, its group, and the number of the element in the block. */
export type PrivateElement = { readonly creator: string; readonly group: number; readonly element: number };

export const FIRST_BLOCK = 0x10;
export const LAST_BLOCK = 0xff;
/** Without a known VR, values of 8 bytes at most and texts of this many characters count. */
const MOST_VALUE_BYTES = 64;

/**
 * The tag of a private element in this data set; undefined if it is absent. Blocks have other numbers in other files.
 * PS3.5 7.8.1.
 */
export function findPrivateTag(dataSet: Attributes, { creator, group, element }: PrivateElement): number | undefined {
  for (let block = FIRST_BLOCK; block <= LAST_BLOCK; block += 1) {
    const tag = group * 0x10000 + block * 0x100 + element;
    if (dataSet.has(tag) && dataSet.string(group * 0x10000 + block) === creator) return tag;
  }
  return undefined;
}

/** The first values as numbers. `vr` is that of the vendor, for files that do not say it. */
export function readPrivateNumbers(dataSet: DataSet, wanted: PrivateElement, vr: string, most: number): number[] {
  const tag = findPrivateTag(dataSet, wanted);
  if (tag === undefined) return [];
  if (dataSet.readAs(tag) !== 'UN') return [...dataSet.numbers(tag, most)];
  const bytes = dataSet.bytes(tag, most * MOST_VALUE_BYTES) ?? new Uint8Array(0);
  return decodeNumbers(
    bytes,
    vr,
    { littleEndian: dataSet.context.littleEndian, characterSet: dataSet.characterSet },
    most,
  );
}
