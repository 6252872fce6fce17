import { inflateSync } from 'node:zlib';
import type { Rgb } from '../../../shared/cielab.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { unfilterRows } from '../pixels/png/unfilterRows.ts';
import { unreadable } from './arrayHeader.ts';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Larger than any frame that a mask is made for. */
const MOST_SIZE = 32_768;

export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, at) => bytes[at] === byte);
}

export type PngHeader = {
  readonly rows: number;
  readonly columns: number;
  readonly bits: number;
  readonly colors: 'gray' | 'rgb' | 'palette' | 'gray_alpha' | 'rgb_alpha';
};

const COLORS: readonly (PngHeader['colors'] | undefined)[] = [
  'gray',
  undefined,
  'rgb',
  'palette',
  'gray_alpha',
  undefined,
  'rgb_alpha',
];
const CHANNELS: Readonly<Record<PngHeader['colors'], number>> = {
  gray: 1,
  rgb: 3,
  palette: 1,
  gray_alpha: 2,
  rgb_alpha: 4,
};

export function readPngHeader(source: ByteSource): PngHeader {
  const bytes = source.read(0, 33);
  if (bytes.length < 33 || !isPng(bytes)) throw unreadable('the file has no PNG header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (nameAt(bytes, 12) !== 'IHDR') throw unreadable('the file has no PNG header');
  const [columns, rows, bits] = [view.getUint32(16), view.getUint32(20), bytes[24]!];
  const colors = COLORS[bytes[25]!];
  if (columns < 1 || rows < 1 || columns > MOST_SIZE || rows > MOST_SIZE) {
    throw unreadable(`a PNG of ${columns} x ${rows} pixels is no mask`);
  }
  if (colors === undefined || ![1, 2, 4, 8, 16].includes(bits))
    throw unreadable('the PNG has an unknown sort of pixels');
  if (bits < 8 && CHANNELS[colors] > 1) throw unreadable('the PNG has an unknown sort of pixels');
  if (bytes[28] !== 0) throw unreadable('interlaced PNG files are not supported');
  return { rows, columns, bits, colors };
}

/** Bytes that reading a PNG takes: its packed data, its rows, and its labels. */
export function memoryOfPng({ rows, columns }: Pick<PngHeader, 'rows' | 'columns'>, fileBytes: number): number {
  return 2 * fileBytes + rows * columns * 24 + 2 ** 20;
}

export type PngLabels = PngHeader & {
  /** Gray level or index into the palette; for colors, red, green and blue in one number, so that black is 0. */
  readonly labels: Uint32Array;
  readonly palette: readonly Rgb[] | undefined;
};

/** A mask: every level or color is a label. */
export function readPngLabels(source: ByteSource): PngLabels {
  const header = readPngHeader(source);
  const { packed, palette } = readChunks(source);
  const rows = unfilter(inflate(packed, header), header);
  return { ...header, ...toLabels(rows, header, palette) };
}

function readChunks(source: ByteSource): { packed: Uint8Array; palette: readonly Rgb[] | undefined } {
  const parts: Uint8Array[] = [];
  let palette: readonly Rgb[] | undefined;
  for (let at = 8; ;) {
    const head = source.read(at, 8);
    if (head.length < 8) throw unreadable('the PNG is truncated');
    const length = new DataView(head.buffer, head.byteOffset, 8).getUint32(0);
    const name = nameAt(head, 4);
    if (at + 8 + length > source.size) throw unreadable('the PNG is truncated');
    if (name === 'IEND') break;
    if (name === 'IDAT') parts.push(source.read(at + 8, length).slice());
    if (name === 'PLTE') palette = toPalette(source.read(at + 8, Math.min(length, 768)));
    at += 12 + length;
  }
  return { packed: Buffer.concat(parts), palette };
}

function toPalette(bytes: Uint8Array): readonly Rgb[] {
  return Array.from({ length: Math.floor(bytes.length / 3) }, (_, i) => [
    bytes[3 * i]!,
    bytes[3 * i + 1]!,
    bytes[3 * i + 2]!,
  ]);
}

function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function bytesOfRow({ columns, bits, colors }: PngHeader): number {
  return Math.ceil((columns * bits * CHANNELS[colors]) / 8);
}

function inflate(packed: Uint8Array, header: PngHeader): Uint8Array {
  const length = header.rows * (1 + bytesOfRow(header));
  let bytes: Uint8Array;
  try {
    // One more, so that a longer stream is an error and not cut off silently.
    bytes = inflateSync(packed, { maxOutputLength: length + 1 });
  } catch {
    throw unreadable('the pixels of the PNG are damaged');
  }
  if (bytes.length !== length) throw unreadable('the pixels of the PNG are truncated');
  return bytes;
}

function unfilter(bytes: Uint8Array, header: PngHeader): Uint8Array {
  const step = Math.max(1, (header.bits * CHANNELS[header.colors]) / 8);
  try {
    return unfilterRows(bytes, { rows: header.rows, width: bytesOfRow(header), step });
  } catch {
    throw unreadable('the pixels of the PNG are damaged');
  }
}

function toLabels(
  bytes: Uint8Array,
  header: PngHeader,
  palette: readonly Rgb[] | undefined,
): Pick<PngLabels, 'labels' | 'palette'> {
  const { rows, columns, bits, colors } = header;
  const width = bytesOfRow(header);
  const labels = new Uint32Array(rows * columns);
  const channels = CHANNELS[colors];
  const sample = (row: number, index: number) => {
    const at = row * width;
    if (bits === 16) return bytes[at + 2 * index]! * 256 + bytes[at + 2 * index + 1]!;
    if (bits === 8) return bytes[at + index]!;
    const bit = index * bits;
    return (bytes[at + (bit >> 3)]! >> (8 - bits - (bit & 7))) & ((1 << bits) - 1);
  };
  if (channels <= 2) {
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1)
        labels[row * columns + column] = sample(row, column * channels);
    }
    return { labels, palette: colors === 'palette' ? palette : undefined };
  }
  const scale = bits === 16 ? 257 : 1;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const at = column * channels;
      const [r, g, b] = [0, 1, 2].map((channel) => Math.round(sample(row, at + channel) / scale));
      labels[row * columns + column] = r! * 65_536 + g! * 256 + b!;
    }
  }
  return { labels, palette: undefined };
}
