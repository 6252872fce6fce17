import { ViewerError } from '../../../../shared/contract/errors.ts';
import { BitReader } from './bitReader.ts';

/** One picture of a bare H.264 stream, in the order of decoding. */
export type AccessUnit = {
  readonly start: number;
  readonly end: number;
  readonly isKey: boolean;
  /** Its place in the order of display, from 0. */
  readonly shownAt: number;
};

export type SplitStream = {
  readonly units: readonly AccessUnit[];
  /** As `canPlayType` takes it. */
  readonly codec: string;
  readonly width: number;
  readonly height: number;
};

/** Two hours at 60 pictures a second. */
const MOST_UNITS = 432_000;
/** Of a unit, these bytes are looked at: parameters and the headers of slices are shorter. */
const MOST_HEADER_BYTES = 512;

const SLICE = 1;
const KEY_SLICE = 5;
const INFORMATION = 6;
const SEQUENCE = 7;
const PICTURE = 8;
const DELIMITER = 9;

/** Splits a bare stream (Annex B of ISO 14496-10) into pictures, with the order in which they are shown. */
export function splitH264(bytes: Uint8Array): SplitStream {
  const pictures: Picture[] = [];
  const parameters: Parameters = { sequences: new Map(), pictures: new Map() };
  let start: number | undefined;
  let last: Picture | undefined;
  const close = (end: number) => {
    if (last !== undefined) last.end = end;
    last = undefined;
  };
  for (const { at, from, to } of listUnits(bytes)) {
    const type = bytes[from]! & 0x1f;
    const head = bytes.subarray(from, Math.min(to, from + MOST_HEADER_BYTES));
    if (type === SLICE || type === KEY_SLICE) {
      const slice = parseSlice(head, parameters);
      if (slice === undefined) continue;
      if (last !== undefined && isSamePicture(last.slice, slice)) continue;
      if (last !== undefined && isSecondField(last, slice)) {
        last.fields = 2;
        continue;
      }
      close(start ?? at);
      last = { start: start ?? at, end: bytes.length, slice, fields: slice.isField ? 1 : 2 };
      start = undefined;
      pictures.push(last);
      if (pictures.length > MOST_UNITS) throw new ViewerError('unsupported_video', 'the video has too many pictures');
    } else {
      if (type === SEQUENCE) readSequence(head, parameters);
      if (type === PICTURE) readPicture(head, parameters);
      // What begins a picture comes before its slices. 7.4.1.2.3.
      const begins = type === SEQUENCE || type === PICTURE || type === DELIMITER || type === INFORMATION;
      if (begins && last !== undefined && !(type === DELIMITER && last.fields === 1)) {
        if (last.fields === 2) close(at);
      }
      if (begins && last === undefined) start ??= at;
    }
  }
  const [sequence] = parameters.sequences.values();
  if (sequence === undefined)
    throw new ViewerError('unsupported_video', 'the video does not say what its pictures are');
  const { codec, width, height } = sequence;
  return { units: orderPictures(pictures), codec, width, height };
}

type Slice = {
  readonly isKey: boolean;
  readonly isReference: boolean;
  readonly frameNumber: number;
  readonly isField: boolean;
  readonly isBottom: boolean;
  readonly keyNumber: number;
  readonly orderLow: number;
  readonly sequence: Sequence;
  readonly picture: number;
};

type Picture = { readonly start: number; end: number; readonly slice: Slice; fields: 1 | 2 };

type Sequence = Omit<SplitStream, 'units'> & {
  readonly frameNumberBits: number;
  readonly orderType: number;
  readonly orderBits: number;
  readonly isFramesOnly: boolean;
  readonly hasPlanes: boolean;
};

type Parameters = {
  readonly sequences: Map<number, Sequence>;
  /** The sequence of the parameters of pictures. */
  readonly pictures: Map<number, number>;
};

/** The units between start codes: `at` is where the start code begins. */
function* listUnits(bytes: Uint8Array): Generator<{ at: number; from: number; to: number }> {
  let at = findStartCode(bytes, 0);
  while (at !== -1) {
    const from = at + 3;
    const next = findStartCode(bytes, from);
    const end = next === -1 ? bytes.length : next;
    const begin = at > 0 && bytes[at - 1] === 0 ? at - 1 : at;
    if (from < end) yield { at: begin, from, to: end };
    at = next;
  }
}

/** The position of 00 00 01. */
function findStartCode(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(1, from + 2); at !== -1; at = bytes.indexOf(1, at + 1)) {
    if (bytes[at - 1] === 0 && bytes[at - 2] === 0 && at - 2 >= from) return at - 2;
  }
  return -1;
}

const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

/** 7.3.2.1.1 */
function readSequence(unit: Uint8Array, { sequences }: Parameters): void {
  const reader = new BitReader(unit.subarray(1));
  const profile = reader.bits(8);
  reader.bits(16);
  const id = reader.unsigned();
  let hasPlanes = false;
  let chroma = 1;
  if (HIGH_PROFILES.has(profile)) {
    chroma = reader.unsigned();
    if (chroma === 3) hasPlanes = reader.bits(1) === 1;
    reader.unsigned();
    reader.unsigned();
    reader.bits(1);
    if (reader.bits(1) === 1) skipScaling(reader, chroma === 3 ? 12 : 8);
  }
  const frameNumberBits = reader.unsigned() + 4;
  const orderType = reader.unsigned();
  let orderBits = 0;
  if (orderType === 0) orderBits = reader.unsigned() + 4;
  else if (orderType === 1) {
    reader.bits(1);
    reader.signed();
    reader.signed();
    for (let left = Math.min(255, reader.unsigned()); left > 0; left -= 1) reader.signed();
  }
  reader.unsigned();
  reader.bits(1);
  const columns = 16 * (reader.unsigned() + 1);
  const mapRows = 16 * (reader.unsigned() + 1);
  const isFramesOnly = reader.bits(1) === 1;
  if (!isFramesOnly) reader.bits(1);
  reader.bits(1);
  const crop = reader.bits(1) === 1 ? Array.from({ length: 4 }, () => reader.unsigned()) : [0, 0, 0, 0];
  const [left, right, top, bottom] = crop;
  const fields = isFramesOnly ? 1 : 2;
  const width = columns - (left! + right!) * (chroma === 1 || chroma === 2 ? 2 : 1);
  const height = mapRows * fields - (top! + bottom!) * (chroma === 1 ? 2 : 1) * fields;
  if (id > 31 || frameNumberBits > 16 || orderBits > 16 || width < 1 || height < 1) return;
  const codec = `avc1.${[...unit.subarray(1, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  sequences.set(id, { codec, width, height, frameNumberBits, orderType, orderBits, isFramesOnly, hasPlanes });
}

/** 7.3.2.1.1.1 */
function skipScaling(reader: BitReader, lists: number): void {
  for (let list = 0; list < lists; list += 1) {
    if (reader.bits(1) === 0) continue;
    let last = 8;
    let next = 8;
    for (let left = list < 6 ? 16 : 64; left > 0; left -= 1) {
      if (next !== 0) next = (last + reader.signed() + 256) % 256;
      if (next !== 0) last = next;
    }
  }
}

function readPicture(unit: Uint8Array, { pictures }: Parameters): void {
  const reader = new BitReader(unit.subarray(1));
  const id = reader.unsigned();
  if (id <= 255) pictures.set(id, reader.unsigned());
}

/** 7.3.3. Undefined if its parameters are missing. */
function parseSlice(unit: Uint8Array, { sequences, pictures }: Parameters): Slice | undefined {
  const isKey = (unit[0]! & 0x1f) === KEY_SLICE;
  const reader = new BitReader(unit.subarray(1, 64));
  reader.unsigned();
  reader.unsigned();
  const picture = reader.unsigned();
  const sequence = sequences.get(pictures.get(picture) ?? -1);
  if (sequence === undefined) return undefined;
  if (sequence.hasPlanes) reader.bits(2);
  const frameNumber = reader.bits(sequence.frameNumberBits);
  const isField = !sequence.isFramesOnly && reader.bits(1) === 1;
  const isBottom = isField && reader.bits(1) === 1;
  const keyNumber = isKey ? reader.unsigned() : -1;
  const orderLow = sequence.orderType === 0 ? reader.bits(sequence.orderBits) : 0;
  const isReference = (unit[0]! & 0x60) !== 0;
  return { isKey, isReference, frameNumber, isField, isBottom, keyNumber, orderLow, sequence, picture };
}

/** 7.4.1.2.4: whether two slices are of one picture. */
function isSamePicture(a: Slice, b: Slice): boolean {
  return (
    a.frameNumber === b.frameNumber &&
    a.isField === b.isField &&
    a.isBottom === b.isBottom &&
    a.isReference === b.isReference &&
    a.isKey === b.isKey &&
    a.keyNumber === b.keyNumber &&
    a.orderLow === b.orderLow &&
    a.picture === b.picture
  );
}

/** The other field of a frame is part of its picture. */
function isSecondField({ slice, fields }: Picture, next: Slice): boolean {
  return fields === 1 && next.isField && next.isBottom !== slice.isBottom && next.frameNumber === slice.frameNumber;
}

/** The order of display by the picture order count, which starts again at each key picture. 8.2.1. */
function orderPictures(pictures: readonly Picture[]): AccessUnit[] {
  const shownAt = new Float64Array(pictures.length);
  let first = 0;
  const settle = (end: number, counts: readonly number[]) => {
    const order = counts.map((_, at) => at).toSorted((a, b) => counts[a]! - counts[b]! || a - b);
    for (const [place, at] of order.entries()) shownAt[first + at] = first + place;
    first = end;
  };
  let counts: number[] = [];
  let [high, low] = [0, 0];
  for (const [at, { slice }] of pictures.entries()) {
    const { isKey, orderLow, sequence, isReference } = slice;
    if (isKey) {
      settle(at, counts);
      counts = [];
      [high, low] = [0, 0];
    }
    if (sequence.orderType === 1) {
      throw new ViewerError('unsupported_video', 'the pictures of the video are in an order that is not supported');
    }
    // Without counts, pictures are shown in the order of decoding.
    if (sequence.orderType !== 0) {
      counts.push(counts.length);
      continue;
    }
    const most = 2 ** sequence.orderBits;
    let ownHigh = high;
    if (orderLow < low && low - orderLow >= most / 2) ownHigh = high + most;
    else if (orderLow > low && orderLow - low > most / 2) ownHigh = high - most;
    counts.push(ownHigh + orderLow);
    if (isReference) [high, low] = [ownHigh, orderLow];
  }
  settle(pictures.length, counts);
  return pictures.map(({ start, end, slice }, at) => ({ start, end, isKey: slice.isKey, shownAt: shownAt[at]! }));
}
