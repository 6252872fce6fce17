import type { FrameDamage } from '../../../../shared/frameDamage.ts';
import { type HuffmanCodes, type JpegFrame, type JpegLayout, LOSSLESS_FRAME, readJpegLayout } from './jpegLayout.ts';

/** How far the entropy-coded data of a single-scan JPEG stream reaches. */
export type JpegExtent =
  /** The picture is complete. `isOnlyPadded`: only zeros or fill bytes follow it up to the next marker. */
  | { readonly kind: 'whole'; readonly isOnlyPadded: boolean }
  /** The bytes end before the picture does. The share is accurate to one minimum coded unit (MCU). */
  | { readonly kind: 'cut'; readonly damage: FrameDamage }
  /** An invalid code, or a marker within the data. */
  | { readonly kind: 'corrupt' };

/**
 * Walks the Huffman codes of a sequential or lossless stream to their end, without decoding the values. Undefined if
 * the extent cannot be determined. This takes as long as decoding does.
 */
export function measureJpeg(stream: Uint8Array): JpegExtent | undefined {
  const layout = readJpegLayout(stream);
  if (layout === undefined) return undefined;
  const { frame, scanStart, restartInterval } = layout;
  const units = planUnits(layout);
  if (units === undefined) return undefined;
  const isLossless = frame.marker === LOSSLESS_FRAME;
  const { mcusPerRow, mcuRows, mcuHeight } = planMcus(frame);
  const total = mcusPerRow * mcuRows;
  const bits = new EntropyBits(stream, scanStart);
  let whole = 0;
  while (whole < total) {
    if (restartInterval > 0 && whole > 0 && whole % restartInterval === 0 && !bits.skipRestart()) break;
    const isRead = units.every((unit) => (isLossless ? skipDifference(bits, unit) : skipBlock(bits, unit)));
    if (!isRead) break;
    whole++;
  }
  if (whole === total) return { kind: 'whole', isOnlyPadded: bits.isOnlyPadded() };
  if (!bits.isAtEnd()) return { kind: 'corrupt' };
  // Decoders smooth chroma between two rows of units that share it.
  const sharedRows = frame.components.some(({ vertical }) => vertical !== frame.components[0]!.vertical) ? 1 : 0;
  const intactUnitRows = Math.max(0, Math.floor(whole / mcusPerRow) - sharedRows);
  const intactRows = Math.min(frame.rows, intactUnitRows * mcuHeight);
  return { kind: 'cut', damage: { kind: 'truncated', missing: 1 - whole / total, intactRows } };
}

function planMcus({ marker, rows, columns, components }: JpegFrame) {
  const block = marker === LOSSLESS_FRAME ? 1 : 8;
  // A single component is coded unit by unit, regardless of its sampling factors. ITU-T T.81 A.2.2.
  const isSingle = components.length === 1;
  const horizontal = isSingle ? 1 : Math.max(...components.map((component) => component.horizontal));
  const vertical = isSingle ? 1 : Math.max(...components.map((component) => component.vertical));
  return {
    mcusPerRow: Math.ceil(columns / (block * horizontal)),
    mcuRows: Math.ceil(rows / (block * vertical)),
    mcuHeight: block * vertical,
  };
}

type Unit = { readonly dc: HuffmanTable; readonly ac: HuffmanTable | undefined };

/** The blocks, or samples, of one MCU in coding order. */
function planUnits({ frame, scan, codes }: JpegLayout): readonly Unit[] | undefined {
  if (scan.length !== frame.components.length) return undefined;
  const units: Unit[] = [];
  for (const { id, dc, ac } of scan) {
    const component = frame.components.find((candidate) => candidate.id === id);
    const dcTable = tableOf(codes.get(dc));
    const acTable = tableOf(codes.get(ac));
    if (component === undefined || dcTable === undefined) return undefined;
    if (frame.marker !== LOSSLESS_FRAME && acTable === undefined) return undefined;
    const count = scan.length === 1 ? 1 : component.horizontal * component.vertical;
    for (let i = 0; i < count; i++) units.push({ dc: dcTable, ac: acTable });
  }
  return units;
}

function tableOf(codes: HuffmanCodes | undefined): HuffmanTable | undefined {
  return codes && new HuffmanTable(codes);
}

/**
 * Skips a difference of lossless coding: its length, then that many bits; length 16 (32768) has none. ITU-T T.81
 * H.1.2.2.
 */
function skipDifference(bits: EntropyBits, { dc }: Unit): boolean {
  const length = dc.read(bits);
  return length >= 0 && (length === 16 || bits.skip(length));
}

function skipBlock(bits: EntropyBits, { dc, ac }: Unit): boolean {
  const length = dc.read(bits);
  if (length < 0 || !bits.skip(length) || ac === undefined) return false;
  for (let coefficient = 1; coefficient < 64; coefficient++) {
    const symbol = ac.read(bits);
    if (symbol < 0) return false;
    const size = symbol & 0x0f;
    // Size 0 is a run of 16 zeros (15), or the end of the block.
    if (size === 0 && symbol >> 4 !== 15) return true;
    coefficient += symbol >> 4;
    if (!bits.skip(size)) return false;
  }
  return true;
}

/** ITU-T T.81 Annex F.2.2.3: codes of the same length are consecutive. */
class HuffmanTable {
  readonly #largest = new Int32Array(17).fill(-1);
  readonly #shift = new Int32Array(17);
  readonly #symbols: Uint8Array;

  constructor({ counts, symbols }: HuffmanCodes) {
    this.#symbols = Uint8Array.from(symbols);
    let code = 0;
    let index = 0;
    for (let length = 1; length <= 16; length++) {
      const count = counts[length - 1]!;
      this.#shift[length] = index - code;
      if (count > 0) this.#largest[length] = code + count - 1;
      code = (code + count) * 2;
      index += count;
    }
  }

  /** The next symbol; -1 if the bits end or form no code. */
  read(bits: EntropyBits): number {
    let code = 0;
    for (let length = 1; length <= 16; length++) {
      const bit = bits.read();
      if (bit < 0) return -1;
      code = code * 2 + bit;
      if (code <= this.#largest[length]!) return this.#symbols[code + this.#shift[length]!] ?? -1;
    }
    return -1;
  }
}

/**
 * Reads the bits of a scan up to the next marker, highest bit of each byte first, without the zeros that are stuffed
 * after FF.
 */
class EntropyBits {
  readonly #bytes: Uint8Array;
  #at: number;
  #byte = 0;
  #left = 0;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  /** The next bit; -1 at the end. */
  read(): number {
    if (this.#left === 0) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return -1;
      if (byte === 0xff) {
        if (this.#bytes[this.#at + 1] !== 0) return -1;
        this.#at += 1;
      }
      this.#at += 1;
      this.#byte = byte;
      this.#left = 8;
    }
    this.#left -= 1;
    return (this.#byte >> this.#left) & 1;
  }

  skip(count: number): boolean {
    for (let i = 0; i < count; i++) if (this.read() < 0) return false;
    return true;
  }

  /** Skips a restart marker; false if there is none. */
  skipRestart(): boolean {
    this.#left = 0;
    while (this.#bytes[this.#at] === 0xff && this.#bytes[this.#at + 1] === 0xff) this.#at += 1;
    const marker = this.#bytes[this.#at + 1] ?? 0;
    if (this.#bytes[this.#at] !== 0xff || marker < 0xd0 || marker > 0xd7) return false;
    this.#at += 2;
    return true;
  }

  /** Whether the end of the bytes is reached. */
  isAtEnd(): boolean {
    const left = this.#bytes.length - this.#at;
    return left <= 0 || (left === 1 && this.#bytes[this.#at] === 0xff);
  }

  /** Whether only zeros or fill bytes precede the next marker. */
  isOnlyPadded(): boolean {
    let at = this.#at;
    while (this.#bytes[at] === 0 || (this.#bytes[at] === 0xff && [0, 0xff].includes(this.#bytes[at + 1] ?? -1))) at++;
    return this.#bytes[at] === 0xff || at >= this.#bytes.length;
  }
}
