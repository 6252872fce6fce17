import { Readable } from 'node:stream';
import { createGunzip, createInflateRaw } from 'node:zlib';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import {
  type ArrayHeader,
  checkLength,
  countElements,
  ELEMENT_BYTES,
  type ElementType,
  unreadable,
} from './arrayHeader.ts';

/** A run of elements in memory order. */
export type ElementBlock = ArrayLike<number>;

const BLOCK_BYTES = 2 ** 20;
const PIECE_BYTES = 2 ** 18;
const MOST_SKIPPED_LINES_BYTES = 2 ** 20;

/**
 * The elements of an array, block by block. No more is unpacked than the header declares, and the header was compared
 * with the length of the file, so that the bytes held do not depend on what a file claims.
 */
export async function* readArray(source: ByteSource, header: ArrayHeader): AsyncGenerator<ElementBlock> {
  checkLength(header, source.size);
  const { scale } = header;
  for await (const block of readStored(source, header)) {
    yield scale === undefined ? block : Float64Array.from(block, (value) => value * scale.slope + scale.intercept);
  }
}

async function* readStored(source: ByteSource, header: ArrayHeader): AsyncGenerator<ElementBlock> {
  const { sizes, element, isLittleEndian } = header;
  let left = countElements(sizes);
  if (header.data.packing === 'ascii') {
    yield* readText(source, header, left);
    return;
  }
  const size = ELEMENT_BYTES[element];
  const toBlock = createConverter(element, isLittleEndian);
  let block = new Uint8Array(Math.min(BLOCK_BYTES, left * size));
  let filled = 0;
  for await (const piece of unpack(source, header)) {
    for (let at = 0; at < piece.length && left > 0;) {
      const count = Math.min(piece.length - at, block.length - filled);
      block.set(piece.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled < block.length) continue;
      left -= block.length / size;
      yield toBlock(block);
      filled = 0;
      block = block.length <= left * size ? block : new Uint8Array(left * size);
    }
    if (left === 0) return;
  }
  if (left > 0) throw unreadable('the data of the file is truncated');
}

/** The unpacked bytes from the first element on. */
async function* unpack(source: ByteSource, { data, sizes, element }: ArrayHeader): AsyncGenerator<Uint8Array> {
  const { packing, skip } = data;
  const start = data.start + countSkipped(source, data);
  const end = data.length === undefined ? source.size : Math.min(source.size, data.start + data.length);
  const needed = countElements(sizes) * ELEMENT_BYTES[element];
  if (packing === 'raw') {
    const first = skip === 'to_end' ? end - needed : start + skip;
    if (first < start) throw unreadable('the data of the file is truncated');
    yield* readPieces(source, first, Math.min(end, first + needed));
    return;
  }
  if (packing === 'hex') {
    yield* withoutFirst(readHex(source, start, end), skip === 'to_end' ? 0 : skip);
    return;
  }
  const skipped = skip === 'to_end' ? unpackedBytes(source, end) - needed : skip;
  if (skipped < 0) throw unreadable('the data of the file is truncated');
  const stream = (packing === 'gzip' ? createGunzip : createInflateRaw)({ chunkSize: BLOCK_BYTES });
  const input = Readable.from(readPieces(source, start, end));
  input.pipe(stream);
  try {
    yield* withoutFirst(stream, skipped);
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw unreadable('the packed data of the file is damaged or truncated');
    }
    throw error;
  } finally {
    input.destroy();
    stream.destroy();
  }
}

/** Each piece may be kept by the caller. */
function* readPieces(source: ByteSource, start: number, end: number): Generator<Uint8Array> {
  for (let at = start; at < end;) {
    const piece = source.read(at, Math.min(PIECE_BYTES, end - at)).slice();
    if (piece.length === 0) return;
    at += piece.length;
    yield piece;
  }
}

async function* withoutFirst(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  count: number,
): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const piece of pieces) {
    if (left < piece.length) yield piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
}

/** Bytes of the lines before the data. */
function countSkipped(source: ByteSource, { start, skipLines }: ArrayHeader['data']): number {
  if (skipLines === 0) return 0;
  const bytes = source.read(start, Math.min(MOST_SKIPPED_LINES_BYTES, source.size - start));
  let at = 0;
  for (let line = 0; line < skipLines; line += 1) {
    const end = bytes.indexOf(0x0a, at);
    if (end < 0) throw unreadable('the data begins beyond the end of the file');
    at = end + 1;
  }
  return at;
}

/** A gzip file ends with its unpacked length; only the last 32 bits of it. */
function unpackedBytes(source: ByteSource, end: number): number {
  const bytes = source.read(end - 4, 4);
  return bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
}

function* readHex(source: ByteSource, start: number, end: number): Generator<Uint8Array> {
  let half = -1;
  for (const piece of readPieces(source, start, end)) {
    const bytes = new Uint8Array((piece.length >> 1) + 1);
    let count = 0;
    for (const character of piece) {
      const digit = Number.parseInt(String.fromCharCode(character), 16);
      if (Number.isNaN(digit)) {
        if (character > 0x20) throw unreadable('the data of the file is not hexadecimal');
      } else if (half < 0) half = digit;
      else {
        bytes[count++] = half * 16 + digit;
        half = -1;
      }
    }
    yield bytes.subarray(0, count);
  }
}

const MOST_WORD = 64;

function* readText(source: ByteSource, { data }: ArrayHeader, count: number): Generator<ElementBlock> {
  const start = data.start + countSkipped(source, data);
  let left = count;
  let rest = '';
  const take = (words: readonly string[]) => {
    const values = words
      .filter((word) => word !== '')
      .slice(0, left)
      .map(Number);
    left -= values.length;
    return values;
  };
  for (const piece of readPieces(source, start, source.size)) {
    const words = (rest + new TextDecoder('latin1').decode(piece)).split(/[\s,]+/);
    rest = words.pop() ?? '';
    if (rest.length > MOST_WORD) throw unreadable('the data of the file is no list of numbers');
    yield take(words);
    if (left === 0) return;
  }
  yield take([rest]);
  if (left > 0) throw unreadable('the data of the file is truncated');
}

/** The block that it returns is valid until the next one. */
function createConverter(element: ElementType, isLittleEndian: boolean): (bytes: Uint8Array) => ElementBlock {
  const size = ELEMENT_BYTES[element];
  return (bytes) => {
    const { buffer, byteLength } = bytes;
    if (!isLittleEndian) swap(bytes, size);
    const count = byteLength / size;
    switch (element) {
      case 'uint8':
        return bytes;
      case 'int8':
        return new Int8Array(buffer, 0, count);
      case 'uint16':
        return new Uint16Array(buffer, 0, count);
      case 'int16':
        return new Int16Array(buffer, 0, count);
      case 'uint32':
        return new Uint32Array(buffer, 0, count);
      case 'int32':
        return new Int32Array(buffer, 0, count);
      case 'uint64':
        return Float64Array.from(new BigUint64Array(buffer, 0, count), Number);
      case 'int64':
        return Float64Array.from(new BigInt64Array(buffer, 0, count), Number);
      case 'float16':
        return Float64Array.from(new Uint16Array(buffer, 0, count), halfToNumber);
      case 'float32':
        return new Float32Array(buffer, 0, count);
      case 'float64':
        return new Float64Array(buffer, 0, count);
    }
  };
}

function swap(bytes: Uint8Array, size: number): void {
  for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse();
}

/** IEEE 754 binary16. */
function halfToNumber(bits: number): number {
  const sign = bits >>> 15 === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
