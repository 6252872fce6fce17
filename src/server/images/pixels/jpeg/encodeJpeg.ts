import { AC_CHROMA, AC_LUMA, DC_CHROMA, DC_LUMA, type HuffmanTable, QUANTA_CHROMA, QUANTA_LUMA } from './jpegTables.ts';

export type JpegImage = {
  readonly rows: number;
  readonly columns: number;
  /** Gray or RGB. */
  readonly channels: 1 | 3;
  /** Rows from the first up to but not including the second; valid until the next call. */
  readonly readRows: (from: number, to: number) => Uint8Array;
  /** From 1 to 100. */
  readonly quality: number;
};

const BLOCK = 8;
const BLOCK_SIZE = 64;

/** The place in a block of each coefficient in the order of the stream. ITU-T T.81 figure A.6. */
const ZIGZAG = buildZigzag();

/**
 * Encodes a picture as baseline JPEG (ITU-T T.81), colors at full resolution, eight rows at a time. Call it in a worker,
 * because it blocks for some ten milliseconds per megapixel. The caller owns the result.
 */
export function encodeJpeg(image: JpegImage): Uint8Array<ArrayBuffer> {
  const { rows, columns, channels, readRows, quality } = image;
  if (rows < 1 || columns < 1 || rows > 65_535 || columns > 65_535) {
    throw new Error(`${rows} x ${columns} pixels are no JPEG picture`);
  }
  const quanta = [QUANTA_LUMA, QUANTA_CHROMA].map((table) => scaleQuanta(table, quality));
  const out = new ByteList(rows * columns);
  writeHeader(out, image, quanta);
  const bits = new BitWriter(out);
  const components = Array.from({ length: channels }, (_, index) => ({
    block: new Float64Array(BLOCK_SIZE),
    scales: scalesOf(quanta[index === 0 ? 0 : 1]!),
    dc: index === 0 ? DC_LUMA : DC_CHROMA,
    ac: index === 0 ? AC_LUMA : AC_CHROMA,
    previous: 0,
  }));
  const blocks = components.map(({ block }) => block);
  for (let top = 0; top < rows; top += BLOCK) {
    const strip = { pixels: readRows(top, Math.min(rows, top + BLOCK)), rows: Math.min(BLOCK, rows - top), columns };
    if (strip.pixels.length !== strip.rows * columns * channels) {
      throw new Error(`${strip.pixels.length} bytes are no ${strip.rows} rows of ${columns} x ${channels}`);
    }
    for (let left = 0; left < columns; left += BLOCK) {
      const isFlat = isOneColor(strip, left, channels);
      const count = isFlat ? 1 : BLOCK;
      if (channels === 1) fillGray(blocks[0]!, strip, left, count);
      else fillColors(blocks, strip, left, count);
      for (const component of components) {
        // Of one color, all coefficients but the first are 0; that is the sum of the samples.
        if (isFlat) component.block[0] = component.block[0]! * BLOCK_SIZE;
        else transform(component.block);
        component.previous = writeBlock(bits, component, isFlat);
      }
    }
  }
  bits.finish();
  out.push(0xff, 0xd9);
  return out.bytes();
}

/** Eight rows of the picture, or what is left of it. */
type Strip = { readonly pixels: Uint8Array; readonly rows: number; readonly columns: number };

/** Whether all pixels of a block are the same, as those of most masks and backgrounds are. */
function isOneColor({ pixels, rows, columns }: Strip, left: number, channels: number): boolean {
  const right = Math.min(left + BLOCK, columns);
  for (let row = 0; row < rows; row += 1) {
    const first = (row * columns + left) * channels;
    const end = (row * columns + right) * channels;
    // The first pixel of each row is that of the first row, and every other one is that on its left.
    for (let at = first; at < first + channels; at += 1) {
      if (pixels[at] !== pixels[at - row * columns * channels]) return false;
    }
    for (let at = first + channels; at < end; at += 1) if (pixels[at] !== pixels[at - channels]) return false;
  }
  return true;
}

/** Fills so many rows and columns of a block. Beyond the picture, its last row and column are repeated. */
function fillGray(block: Float64Array, { pixels, rows, columns }: Strip, left: number, count: number): void {
  for (let y = 0, to = 0; y < count; y += 1) {
    const row = Math.min(y, rows - 1) * columns;
    for (let x = left; x < left + count; x += 1, to += 1) {
      block[to] = pixels[row + (x < columns ? x : columns - 1)]! - 128;
    }
  }
}

/** YCbCr of JFIF, with the range of the block around 0. */
function fillColors(
  blocks: readonly Float64Array[],
  { pixels, rows, columns }: Strip,
  left: number,
  count: number,
): void {
  const [luma, blue, red] = [blocks[0]!, blocks[1]!, blocks[2]!];
  for (let y = 0, to = 0; y < count; y += 1) {
    const row = Math.min(y, rows - 1) * columns;
    for (let x = left; x < left + count; x += 1, to += 1) {
      const at = (row + (x < columns ? x : columns - 1)) * 3;
      const [r, g, b] = [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!];
      luma[to] = 0.299 * r + 0.587 * g + 0.114 * b - 128;
      blue[to] = -0.168_735_892 * r - 0.331_264_108 * g + 0.5 * b;
      red[to] = 0.5 * r - 0.418_687_589 * g - 0.081_312_411 * b;
    }
  }
}

/**
 * The discrete cosine transform of a block, in place: first its rows, then its columns. Coefficients are larger than those
 * of the standard by the factors of `scalesOf`.
 */
function transform(block: Float64Array): void {
  for (let row = 0; row < BLOCK_SIZE; row += BLOCK) transformLine(block, row, 1);
  for (let column = 0; column < BLOCK; column += 1) transformLine(block, column, BLOCK);
}

/** With five multiplications. Arai, Agui and Nakajima, Trans. IEICE E71 (1988) 1095. */
function transformLine(block: Float64Array, at: number, step: number): void {
  const [s0, s7] = [block[at]!, block[at + 7 * step]!];
  const [s1, s6] = [block[at + step]!, block[at + 6 * step]!];
  const [s2, s5] = [block[at + 2 * step]!, block[at + 5 * step]!];
  const [s3, s4] = [block[at + 3 * step]!, block[at + 4 * step]!];
  const even0 = s0 + s7 + s3 + s4;
  const even1 = s1 + s6 + s2 + s5;
  const even3 = s0 + s7 - s3 - s4;
  const turned = (s1 + s6 - s2 - s5 + even3) * Math.SQRT1_2;
  block[at] = even0 + even1;
  block[at + 4 * step] = even0 - even1;
  block[at + 2 * step] = even3 + turned;
  block[at + 6 * step] = even3 - turned;
  const odd0 = s3 - s4 + s2 - s5;
  const odd1 = (s2 - s5 + s1 - s6) * Math.SQRT1_2;
  const odd2 = s1 - s6 + s0 - s7;
  const shared = (odd0 - odd2) * SINE;
  const low = odd0 * (COSINE - SINE) + shared;
  const high = odd2 * (COSINE + SINE) + shared;
  const sum = s0 - s7 + odd1;
  const difference = s0 - s7 - odd1;
  block[at + 5 * step] = difference + low;
  block[at + 3 * step] = difference - low;
  block[at + step] = sum + high;
  block[at + 7 * step] = sum - high;
}

const SINE = Math.sin(Math.PI / 8);
const COSINE = Math.cos(Math.PI / 8);

/** What coefficients of `transform` are multiplied by to be those of the standard, in units of their quanta. */
function scalesOf(quanta: Uint8Array): Float64Array {
  return Float64Array.from(
    quanta,
    (quantum, place) => 1 / (quantum * BLOCK * factor(Math.floor(place / BLOCK)) * factor(place % BLOCK)),
  );
}

function factor(frequency: number): number {
  return frequency === 0 ? 1 : Math.SQRT2 * Math.cos((frequency * Math.PI) / (2 * BLOCK));
}

type Coding = {
  readonly block: Float64Array;
  readonly scales: Float64Array;
  readonly dc: HuffmanTable;
  readonly ac: HuffmanTable;
  /** The first coefficient of the previous block of the component. */
  readonly previous: number;
};

const END_OF_BLOCK = 0x00;
const SIXTEEN_ZEROS = 0xf0;

/** Returns the first coefficient of the block. `isFlat`: all others are 0. */
function writeBlock(bits: BitWriter, { block, scales, dc, ac, previous }: Coding, isFlat: boolean): number {
  const first = Math.round(block[0]! * scales[0]!);
  writeValue(bits, dc, 0, first - previous);
  const coefficients = isFlat ? 1 : BLOCK_SIZE;
  let zeros = BLOCK_SIZE - coefficients;
  for (let at = 1; at < coefficients; at += 1) {
    const place = ZIGZAG[at]!;
    const value = Math.round(block[place]! * scales[place]!);
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
      this.#out.add(byte);
      if (byte === 0xff) this.#out.add(0);
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
    for (const byte of bytes) this.add(byte);
  }

  add(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }
}
