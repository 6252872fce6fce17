import type { ByteSource } from '../../bytes/origins/byteSource.ts';

/**
 * Number of frames in encapsulated pixel data, at most the declared number. `start` is the position of the first item,
 * the basic offset table. A complete file costs one or two reads; only a truncated file is walked, fragment by
 * fragment. A fragment holds data of one frame only (PS3.5 A.4), which limits how many frames a file can claim.
 */
export function countEncapsulatedFrames(source: ByteSource, start: number, declared: number): number {
  const table = readItem(source, start);
  if (table === undefined || !table.isItem) return 0;
  if (declared === 1) return holdsData(source, table.end) ? 1 : 0;
  const mostFragments = Math.floor((source.size - table.end) / SMALLEST_FRAGMENT);
  // To look at the end, the whole file would have to be received. A frame that it lacks fails when it is read.
  if (source.isSequential === true) return Math.min(declared, mostFragments);
  if (endsWithDelimiter(source, table.end)) return Math.min(declared, mostFragments);
  return Math.min(declared, countFramesOfCut(source, table, declared));
}

type Item = { readonly isItem: boolean; readonly isDelimiter: boolean; readonly value: number; readonly end: number };

const HEADER_BYTES = 8;
const SMALLEST_FRAGMENT = HEADER_BYTES + 2;
const ITEM = 0xfffee000;
const SEQUENCE_DELIMITER = 0xfffee0dd;
const MOST_FRAGMENTS = 1_000_000;
/** A few elements may follow the delimiter, such as padding or a signature. */
const TAIL_BYTES = 4096;
const DELIMITER = Buffer.from([0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0]);

function readItem(source: ByteSource, position: number): Item | undefined {
  const bytes = source.read(position, HEADER_BYTES);
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const tag = view.getUint16(0, true) * 0x10000 + view.getUint16(2, true);
  const value = position + HEADER_BYTES;
  return { isItem: tag === ITEM, isDelimiter: tag === SEQUENCE_DELIMITER, value, end: value + view.getUint32(4, true) };
}

function holdsData(source: ByteSource, firstFragment: number): boolean {
  let item = readItem(source, firstFragment);
  // Empty fragments are allowed before the data, although they are rare.
  for (let empty = 0; item?.isItem === true && empty < 16; empty += 1) {
    if (item.end > item.value) return source.size > item.value;
    item = readItem(source, item.end);
  }
  return false;
}

function endsWithDelimiter(source: ByteSource, firstFragment: number): boolean {
  const position = Math.max(firstFragment, source.size - TAIL_BYTES);
  const tail = source.read(position, source.size - position);
  return Buffer.from(tail.buffer, tail.byteOffset, tail.length).lastIndexOf(DELIMITER) >= 0;
}

/** A frame that is partly present counts, because it is shown with the rest missing. */
function countFramesOfCut(source: ByteSource, table: Item, declared: number): number {
  const first = table.end;
  let wholeEnd = first;
  let fragments = 0;
  while (fragments < MOST_FRAGMENTS) {
    const item = readItem(source, wholeEnd);
    if (item?.isDelimiter === true) return declared;
    if (item?.isItem !== true || item.end > source.size) break;
    wholeEnd = item.end;
    fragments += 1;
  }
  const offsets = readOffsets(source, table);
  const isPartLeft = source.size > wholeEnd + HEADER_BYTES && readItem(source, wholeEnd)?.isItem === true;
  if (offsets.length !== declared) return fragments + (isPartLeft ? 1 : 0);
  const end = isPartLeft ? source.size : wholeEnd;
  return offsets.filter((offset) => first + offset + HEADER_BYTES < end).length;
}

function readOffsets(source: ByteSource, { value, end }: Item): readonly number[] {
  const bytes = source.read(value, Math.min(end, source.size) - value);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, entry) => view.getUint32(entry * 4, true));
}
