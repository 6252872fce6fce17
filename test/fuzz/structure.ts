import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import type { DataSet } from '../../src/server/standard/dicom/dataSet.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import * as Tag from '../../src/server/standard/dicom/tag.ts';

/** Positions in the header of an element, an item or a delimiter. */
export type Place = {
  /** Position of the tag. */
  readonly start: number;
  /** Position of the value, after the header. */
  readonly value: number;
  /** Length of the value, as far as it exists. */
  readonly length: number;
  readonly lengthAt: number;
  readonly lengthBytes: 2 | 4;
  /** Undefined in implicit VR, and for items. */
  readonly vrAt: number | undefined;
};

/** The structure of a file, which mutations change. For deflated files, only that of the meta information. */
export type Structure = {
  readonly littleEndian: boolean;
  readonly elements: readonly Place[];
  readonly items: readonly Place[];
  /** Range of the value of the pixel data. */
  readonly pixels: { readonly start: number; readonly end: number } | undefined;
};

const MOST_PLACES = 5_000;
const LONG_VRS = new Set(['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'SQ', 'SV', 'UC', 'UN', 'UR', 'UT', 'UV']);

export function findStructure(bytes: Uint8Array): Structure {
  const source = bufferSource(bytes);
  const { meta, dataSet, explicit, littleEndian, pixelData } = readDicom(source);
  const isPlain = pixelData === undefined || pixelData.source === source;
  const elements = [
    ...placesOf(meta, { explicit: true }),
    ...(isPlain && dataSet.context.source === source ? placesOf(dataSet, { explicit }) : []),
  ];
  const pixels =
    pixelData !== undefined && isPlain
      ? { start: pixelData.offset, end: Math.min(pixelData.offset + pixelData.length, bytes.length) }
      : undefined;
  const within = ({ start, value }: Place) => start >= 0 && value <= bytes.length;
  const found = elements.filter(within).slice(0, MOST_PLACES);
  return { littleEndian, elements: found, items: findItems(bytes, littleEndian), pixels };
}

function* placesOf(dataSet: DataSet, { explicit }: { readonly explicit: boolean }): Generator<Place> {
  for (const { tag, vr, offset, length, items = [] } of dataSet) {
    const header = explicit && LONG_VRS.has(vr) ? 12 : 8;
    const isShort = explicit && header === 8;
    yield {
      start: offset - header,
      value: offset,
      length: tag === Tag.PixelData ? Math.min(length, 64) : length,
      lengthAt: offset - (isShort ? 2 : 4),
      lengthBytes: isShort ? 2 : 4,
      vrAt: explicit ? offset - header + 4 : undefined,
    };
    for (const item of items) yield* placesOf(item, { explicit });
  }
}

/** Finds items and delimiters by their tags alone, including those in pixel data. */
function findItems(bytes: Uint8Array, littleEndian: boolean): Place[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const group = Buffer.from(littleEndian ? [0xfe, 0xff] : [0xff, 0xfe]);
  const places: Place[] = [];
  for (let at = buffer.indexOf(group); at !== -1; at = buffer.indexOf(group, at + 2)) {
    const high = bytes[at + (littleEndian ? 3 : 2)];
    if (high === 0xe0 && at + 8 <= bytes.length) {
      places.push({ start: at, value: at + 8, length: 0, lengthAt: at + 4, lengthBytes: 4, vrAt: undefined });
    }
    if (places.length >= MOST_PLACES) break;
  }
  return places;
}
