import { AC_CHROMA, AC_LUMA, DC_CHROMA, DC_LUMA, type HuffmanTable, QUANTA_CHROMA, QUANTA_LUMA } from './jpegTables.ts';

export type JpegImage = {
  readonly rows: number;
  readonly columns: number;
  /** Gray or RGB. */
  readonly channels: 1 | 3;
  readonly pixels: Uint8Array;
  /** From 1 to 100. */
  readonly quality: number;
};

const BLOCK = 8;
const BLOCK_SIZE = 64;

/** The place in a block of each coefficient in the order of the stream. ITU-T T.81 figure A.6. */
const ZIGZAG = buildZigzag();

/**
 * Encodes a picture as baseline JPEG (ITU-T T.81), colors at full resolution. Call it in a worker, because it blocks for
 * some ten milliseconds per megapixel. The caller owns the result.
 */
export function encodeJpeg(image: JpegImage): Uint8Array<ArrayBuffer> {
  const { rows, columns, channels, pixels, quality } = image;
  if (rows < 1 || columns < 1 || rows > 65_535 || columns > 65_535 || pixels.length !== rows * columns * channels) {
    throw new Error(`${pixels.length} bytes are no JPEG picture of ${rows} x ${columns} x ${channels}`);
  }
  const quanta = [QUANTA_LUMA, QUANTA_CHROMA].map((table) => scaleQuanta(table, quality));
  const out = new ByteList(rows * columns);
  writeHeader(out, image, quanta);
  const bits = new BitWriter(out);
  const components = Array.from({ length: channels }, (_, index) => ({
    read: channels === 1 ? readGray : READ_COLOR[index]!,
    quanta: quanta[index === 0 ? 0 : 1]!,
    dc: index === 0 ? DC_LUMA : DC_CHROMA,
    ac: index === 0 ? AC_LUMA : AC_CHROMA,
    previous: 0,
  }));
  const block = new Float64Array(BLOCK_SIZE);
  for (let top = 0; top < rows; top += BLOCK) {
    for (let left = 0; left < columns; left += BLOCK) {
      for (const component of components) {
        fillBlock(block, image, { top, left, read: component.read });
        transform(block);
        component.previous = writeBlock(bits, block, component);
      }
    }
  }
  bits.finish();
  out.push(0xff, 0xd9);
  return out.bytes();
}

type ReadSample = (pixels: Uint8Array, at: number) => number;

const readGray: ReadSample = (pixels, at) => pixels[at]! - 128;

/** YCbCr of JFIF, with the range of the block around 0. */
const READ_COLOR: readonly ReadSample[] = [
  (pixels, at) => 0.299 * pixels[at]! + 0.587 * pixels[at + 1]! + 0.114 * pixels[at + 2]! - 128,
  (pixels, at) => -0.168_735_892 * pixels[at]! - 0.331_264_108 * pixels[at + 1]! + 0.5 * pixels[at + 2]!,
  (pixels, at) => 0.5 * pixels[at]! - 0.418_687_589 * pixels[at + 1]! - 0.081_312_411 * pixels[at + 2]!,
];

/** Beyond the picture, its last row and column are repeated. */
function fillBlock(
  block: Float64Array,
  { rows, columns, channels, pixels }: JpegImage,
  { top, left, read }: { readonly top: number; readonly left: number; readonly read: ReadSample },
): void {
  for (let y = 0; y < BLOCK; y += 1) {
    const row = Math.min(top + y, rows - 1) * columns;
    for (let x = 0; x < BLOCK; x += 1) {
      block[y * BLOCK + x] = read(pixels, (row + Math.min(left + x, columns - 1)) * channels);
    }
  }
}

/** The discrete cosine transform of a block, in place: first its rows, then its columns. */
function transform(block: Float64Array): void {
  for (let row = 0; row < BLOCK; row += 1) transformLine(block, row * BLOCK, 1);
  for (let column = 0; column < BLOCK; column += 1) transformLine(block, column, BLOCK);
}

const COSINES = Float64Array.from({ length: BLOCK_SIZE }, (_, index) => {
  const [frequency, position] = [Math.floor(index / BLOCK), index % BLOCK];
  const scale = frequency === 0 ? Math.sqrt(1 / BLOCK) : Math.sqrt(2 / BLOCK);
  return scale * Math.cos(((2 * position + 1) * frequency * Math.PI) / (2 * BLOCK));
});
const line = new Float64Array(BLOCK);

function transformLine(block: Float64Array, start: number, step: number): void {
  for (let frequency = 0; frequency < BLOCK; frequency += 1) {
    let sum = 0;
    for (let at = 0; at < BLOCK; at += 1) sum += COSINES[frequency * BLOCK + at]! * block[start + at * step]!;
    line[frequency] = sum;
  }
  for (let at = 0; at < BLOCK; at += 1) block[start + at * step] = line[at]!;
}

type Coding = {
  readonly quanta: Uint8Array;
  readonly dc: HuffmanTable;
  readonly ac: HuffmanTable;
  /** The first coefficient of the previous block of the component. */
  readonly previous: number;
};

const END_OF_BLOCK = 0x00;
const SIXTEEN_ZEROS = 0xf0;

/** Returns the first coefficient of the block. */
function writeBlock(bits: BitWriter, block: Float64Array, { quanta, dc, ac, previous }: Coding): number {
  const first = Math.round(block[0]! / quanta[0]!);
  writeValue(bits, dc, 0, first - previous);
  let zeros = 0;
  for (let at = 1; at < BLOCK_SIZE; at += 1) {
    const place = ZIGZAG[at]!;
    const value = Math.round(block[place]! / quanta[place]!);
    if (value === 0) {
      zeros += 1;
      continue;
    }
    for (; zeros > 15; zeros -= 16) bits.write(ac.codes[SIXTEEN_ZEROS]!, ac.lengths[SIXTEEN_ZEROS]!);
    writeValue(bits, ac, zeros, value);
    zeros = 0;
  }
  if (zeros > 0) bits.write(ac.codes[END_OF_BLOCK]!, ac.lengths[END_OF_BLOCK]!);
  return first;
}

/** A value after a run of zeros: the code of the run and of the number of bits, then the bits. T.81 F.1.2. */
function writeValue(bits: BitWriter, table: HuffmanTable, zeros: number, value: number): void {
  const size = 32 - Math.clz32(Math.abs(value));
  const symbol = zeros * 16 + size;
  bits.write(table.codes[symbol]!, table.lengths[symbol]!);
  if (size > 0) bits.write(value > 0 ? value : value + 2 ** size - 1, size);
}

/** The usual meaning of quality, as in the library of the Independent JPEG Group. */
function scaleQuanta(table: readonly number[], quality: number): Uint8Array {
  const scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return Uint8Array.from(table, (value) => Math.min(255, Math.max(1, Math.floor((value * scale + 50) / 100))));
}

function buildZigzag(): Uint8Array {
  const places = Array.from({ length: BLOCK_SIZE }, (_, place) => place);
  const [row, column] = [(place: number) => Math.floor(place / BLOCK), (place: number) => place % BLOCK];
  // Diagonal by diagonal, in turn upwards and downwards.
  places.sort((a, b) => {
    const diagonal = row(a) + column(a);
    return diagonal - row(b) - column(b) || (diagonal % 2 === 0 ? row(b) - row(a) : row(a) - row(b));
  });
  return Uint8Array.from(places);
}

function writeHeader(out: ByteList, { rows, columns, channels }: JpegImage, quanta: readonly Uint8Array[]): void {
  out.push(0xff, 0xd8);
  // JFIF 1.1 without units, so that colors are read as YCbCr.
  writeSegment(out, 0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);
  const tables = quanta.slice(0, channels === 1 ? 1 : 2);
  for (const [id, table] of tables.entries())
    writeSegment(
      out,
      0xdb,
      [id, ...ZIGZAG].map((place, at) => (at === 0 ? id : table[place]!)),
    );
  const ids = Array.from({ length: channels }, (_, index) => index);
  const frame = ids.flatMap((index) => [index + 1, 0x11, index === 0 ? 0 : 1]);
  writeSegment(out, 0xc0, [8, rows >> 8, rows & 0xff, columns >> 8, columns & 0xff, channels, ...frame]);
  const codes = [DC_LUMA, AC_LUMA, DC_CHROMA, AC_CHROMA].slice(0, channels === 1 ? 2 : 4);
  for (const { kind, id, counts, symbols } of codes) writeSegment(out, 0xc4, [kind * 16 + id, ...counts, ...symbols]);
  const scan = ids.flatMap((index) => [index + 1, index === 0 ? 0x00 : 0x11]);
  writeSegment(out, 0xda, [channels, ...scan, 0, 63, 0]);
}

function writeSegment(out: ByteList, marker: number, content: readonly number[]): void {
  const length = content.length + 2;
  out.push(0xff, marker, length >> 8, length & 0xff, ...content);
}

/** Writes bits of entropy-coded data, in which a zero byte follows each byte of ones. */
class BitWriter {
  readonly #out: ByteList;
  #held = 0;
  #count = 0;

  constructor(out: ByteList) {
    this.#out = out;
  }

  write(value: number, length: number): void {
    // At most 7 bits are held, and a code has at most 16, so 32 bits suffice.
    this.#held = (this.#held << length) | value;
    this.#count += length;
    while (this.#count >= 8) {
      this.#count -= 8;
      const byte = (this.#held >>> this.#count) & 0xff;
      this.#out.push(byte);
      if (byte === 0xff) this.#out.push(0);
    }
    this.#held &= 2 ** this.#count - 1;
  }

  /** The last byte is filled with ones. */
  finish(): void {
    if (this.#count > 0) this.write(2 ** (8 - this.#count) - 1, 8 - this.#count);
  }
}

class ByteList {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(expected: number) {
    this.#bytes = new Uint8Array(Math.max(1024, expected));
  }

  push(...bytes: readonly number[]): void {
    if (this.#length + bytes.length > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2 + bytes.length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    for (const byte of bytes) this.#bytes[this.#length++] = byte;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }
}
