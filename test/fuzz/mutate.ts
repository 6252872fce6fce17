import type { Random } from './random.ts';
import type { Place, Structure } from './structure.ts';

export type MutationInput = {
  /** A copy that the mutation may change. */
  readonly bytes: Uint8Array;
  readonly structure: Structure;
  readonly other: Uint8Array;
  readonly random: Random;
};

/** Returns the changed file; undefined if the file has nothing that the mutation applies to. */
type Mutation = (input: MutationInput) => Uint8Array | undefined;

const VRS = [
  ...'AE AS AT CS DA DS DT FD FL IS LO LT OB OD OF OL OV OW PN SH SL SQ SS ST SV TM UC UI UL UN UR US UT UV'.split(' '),
  '??',
  '\0\0',
];

/** Tags that control the reader, a decoder or the rendering. They have the largest effect in place of another tag. */
const STEERING_TAGS = [
  0x00020000, 0x00020010, 0x00080005, 0x00080016, 0x00081140, 0x00209113, 0x00280002, 0x00280004, 0x00280006,
  0x00280008, 0x00280010, 0x00280011, 0x00280100, 0x00280101, 0x00280102, 0x00280103, 0x00281050, 0x00281051,
  0x00281101, 0x00281201, 0x00283000, 0x00283002, 0x00283006, 0x00283010, 0x00480006, 0x0048021a, 0x00620002,
  0x3004000c, 0x52009229, 0x52009230, 0x60000010, 0x60000011, 0x60003000, 0x7fe00001, 0x7fe00002, 0x7fe00008,
  0x7fe00009, 0x7fe00010, 0xfffee000, 0xfffee00d, 0xfffee0dd, 0xfffcfffc, 0x00000000, 0xffffffff, 0x00091001,
];

const NUMBERS = [0, 1, 2, 3, 7, 8, 9, 16, 17, 32, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0xfffe, 0xffff];

const TEXTS = [
  '',
  ' ',
  '-1',
  '0',
  '1e308',
  '-1e-320',
  'NaN',
  '1/0',
  '99999999999',
  '2147483648',
  '1\\2\\3\\4',
  '\\\\\\\\',
  'ISO 2022 IR 87',
  'ISO_IR 192',
  '\u001b$B',
  'MONOCHROME1',
  'PALETTE COLOR',
  'YBR_FULL_422',
  'RGB',
  'TILED_FULL',
  '1.2.840.10008.1.2',
  '1.2.840.10008.1.2.1.99',
  '1.2.840.10008.1.2.2',
  '1.2.840.10008.1.2.5',
  'SIGMOID',
];

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  length: ({ bytes, structure, random }) => {
    const place = pickPlace(structure, random);
    if (place === undefined) return undefined;
    const remaining = bytes.length - place.value;
    const { length } = place;
    const lengths = [0, 1, length - 1, length + 1, length + 2, length * 2, remaining, remaining + 1, 2 ** 31];
    writeLength(bytes, place, structure, random.pick([...lengths, 2 ** 32 - 2, 2 ** 32 - 1, random.below(65_536)]));
    return bytes;
  },
  vr: ({ bytes, structure: { elements }, random }) => {
    const at = elements.length === 0 ? undefined : random.pick(elements).vrAt;
    if (at === undefined) return undefined;
    bytes.set(Buffer.from(random.pick(VRS), 'latin1'), at);
    return bytes;
  },
  tag: ({ bytes, structure, random }) => {
    const place = pickPlace(structure, random);
    if (place === undefined) return undefined;
    writeTag(bytes, place.start, structure, random.pick(STEERING_TAGS));
    return bytes;
  },
  number: ({ bytes, structure, random }) => {
    const place = pickValue(structure, random);
    if (place === undefined || place.length < 2) return undefined;
    const at = place.value + 2 * random.below(Math.floor(place.length / 2));
    if (at + 2 > bytes.length) return undefined;
    new DataView(bytes.buffer, bytes.byteOffset).setUint16(at, random.pick(NUMBERS), structure.littleEndian);
    return bytes;
  },
  text: ({ bytes, structure, random }) => {
    const place = pickValue(structure, random);
    if (place === undefined) return undefined;
    const text = Buffer.alloc(place.length, ' ');
    text.write(random.pick(TEXTS), 'latin1');
    return splice(bytes, place.value, place.length, text);
  },
  replaceValue: ({ bytes, structure, random }) => {
    const place = pickValue(structure, random);
    if (place === undefined) return undefined;
    const text = Buffer.from(random.pick(TEXTS), 'latin1');
    const value = text.length % 2 === 0 ? text : Buffer.concat([text, Buffer.from(' ')]);
    writeLength(bytes, place, structure, value.length);
    return splice(bytes, place.value, place.length, value);
  },
  delimiter: ({ bytes, structure, random }) => {
    const place = pickPlace(structure, random);
    if (place === undefined) return undefined;
    const tag = random.pick([0xfffee000, 0xfffee00d, 0xfffee0dd]);
    const header = new Uint8Array(8);
    writeTag(header, 0, structure, tag);
    const at: Place = { ...place, lengthAt: 4, lengthBytes: 4 };
    writeLength(header, at, structure, random.pick([0, 0, 8, 2 ** 32 - 1, random.below(1_000)]));
    return splice(bytes, place.start, random.chance(0.3) ? 8 : 0, header);
  },
  nest: ({ bytes, structure, random }) => {
    const place = pickPlace(structure, random);
    if (place === undefined) return undefined;
    const levels = random.pick([1, 4, 63, 64, 65, 300]);
    // The headers of (0008,1140) SQ and of an item in it, both with undefined length.
    const level = Buffer.from('0800401153510000fffffffffeff00e0ffffffff', 'hex');
    return splice(bytes, place.start, 0, Buffer.concat(Array.from({ length: levels }, () => level)));
  },
  offsetTable: ({ bytes, structure: { items, pixels }, random }) => {
    const table = items.find((place) => place.start === pixels?.start);
    if (table === undefined) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const entries = random.below(4) + 1;
    for (let entry = 0; entry < entries; entry += 1) {
      const at = table.value + 4 * random.below(8);
      if (at + 4 <= bytes.length) view.setUint32(at, random.pick([0, 1, 8, bytes.length, 2 ** 32 - 1]), true);
    }
    return bytes;
  },
  fragment: ({ bytes, structure: { pixels }, random }) => {
    if (pixels === undefined || pixels.end <= pixels.start) return undefined;
    // Half of the mutations change the start of the stream, which contains its header; the others change any part.
    const reach = random.chance(0.5) ? Math.min(pixels.end - pixels.start, 200) : pixels.end - pixels.start;
    const changes = random.below(8) + 1;
    for (let change = 0; change < changes; change += 1) {
      bytes[pixels.start + random.below(reach)] = random.chance(0.5) ? random.below(256) : random.pick([0, 255, 128]);
    }
    return bytes;
  },
  flip: ({ bytes, random }) => {
    const flips = random.below(6) + 1;
    const reach = random.chance(0.7) ? Math.min(bytes.length, 2_000) : bytes.length;
    for (let flip = 0; flip < flips; flip += 1) bytes[random.below(reach)]! ^= 1 << random.below(8);
    return bytes;
  },
  noise: ({ bytes, random }) => {
    const at = random.below(bytes.length);
    bytes.set(random.bytes(Math.min(random.below(64) + 1, bytes.length - at)), at);
    return bytes;
  },
  repeat: ({ bytes, structure, random }) => {
    const place = pickPlace(structure, random);
    if (place === undefined) return undefined;
    const whole = bytes.slice(place.start, place.value + Math.min(place.length, 1_000));
    return splice(bytes, place.start, 0, Buffer.concat(Array.from({ length: random.pick([1, 2, 50]) }, () => whole)));
  },
  remove: ({ bytes, structure, random }) => {
    const place = pickPlace(structure, random);
    if (place === undefined) return undefined;
    return splice(bytes, place.start, place.value - place.start + place.length, new Uint8Array(0));
  },
  cut: ({ bytes, random }) => bytes.subarray(0, random.below(bytes.length)),
  padding: ({ bytes, random }) => splice(bytes, bytes.length, 0, new Uint8Array(random.below(300))),
  splice: ({ bytes, other, random }) =>
    Uint8Array.from(
      Buffer.concat([bytes.subarray(0, random.below(bytes.length)), other.subarray(random.below(other.length))]),
    ),
  insert: ({ bytes, other, random }) => {
    const from = random.below(other.length);
    return splice(bytes, random.below(bytes.length), 0, other.subarray(from, from + random.below(500)));
  },
};

function pickPlace({ elements, items }: Structure, random: Random): Place | undefined {
  const places = items.length > 0 && random.chance(0.3) ? items : elements;
  return places.length === 0 ? undefined : random.pick(places);
}

function pickValue({ elements }: Structure, random: Random): Place | undefined {
  return elements.length === 0 ? undefined : random.pick(elements);
}

function writeLength(bytes: Uint8Array, place: Place, { littleEndian }: Structure, length: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (place.lengthBytes === 2) view.setUint16(place.lengthAt, length & 0xffff, littleEndian);
  else view.setUint32(place.lengthAt, length >>> 0, littleEndian);
}

function writeTag(bytes: Uint8Array, at: number, { littleEndian }: Structure, tag: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setUint16(at, tag >>> 16, littleEndian);
  view.setUint16(at + 2, tag & 0xffff, littleEndian);
}

function splice(bytes: Uint8Array, at: number, removed: number, inserted: Uint8Array): Uint8Array {
  return Uint8Array.from(Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]));
}
