import { constants, crc32, deflateRawSync, type ZlibOptions } from 'node:zlib';
import { joinCrc32 } from './joinCrc32.ts';

/** A part of a gzip file. */
export type GzipPart = {
  /** Blocks of deflate that end at a whole byte and refer to nothing before. */
  readonly packed: Uint8Array<ArrayBuffer>;
  /** Length and CRC-32 of the bytes before they were packed. */
  readonly bytes: number;
  readonly crc: number;
};

/** Long bytes are packed in strips of this size, so that nothing as long as they are is made of them. */
export const STRIP_BYTES = 2 ** 20;

/** Medical images get hardly smaller at higher levels, which take several times as long. */
const LEVEL = 3;

/** Packs bytes into a part of a gzip file. Parts can be packed by several threads. */
export function packGzipPart(bytes: Uint8Array, options: ZlibOptions = { level: LEVEL }): GzipPart {
  const packed = deflateRawSync(bytes, { ...options, finishFlush: constants.Z_FULL_FLUSH });
  // Not a view of the memory that Node shares between buffers.
  return { packed: new Uint8Array(packed), bytes: bytes.length, crc: crc32(bytes) };
}

/** One part made of several that follow each other. */
export function mergeGzipParts(parts: readonly GzipPart[]): GzipPart {
  return { packed: joinBytes(parts.map(({ packed }) => packed)), ...sumOf(parts) };
}

/** Deflate, no name, no time, unknown system. */
const HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

/** One member of gzip made of all parts: some readers read only the first member of a file. */
export async function* joinGzipParts(parts: AsyncIterable<GzipPart>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let crc = 0;
  let bytes = 0;
  // With the first part, so that nothing is sent of a file whose first part fails.
  let head: Uint8Array<ArrayBuffer> = HEAD;
  for await (const part of parts) {
    yield head.length === 0 ? part.packed : joinBytes([head, part.packed]);
    head = NOTHING;
    crc = joinCrc32(crc, part.crc, part.bytes);
    bytes += part.bytes;
  }
  yield joinBytes([head, endOf({ crc, bytes })]);
}

/** A whole gzip file of parts that are all there. */
export function writeGzip(parts: readonly GzipPart[]): Uint8Array<ArrayBuffer> {
  return joinBytes([HEAD, ...parts.map(({ packed }) => packed), endOf(sumOf(parts))]);
}

const NOTHING = new Uint8Array(0);

/** An empty last block, the sum, and the length modulo 2^32. */
function endOf({ crc, bytes }: Pick<GzipPart, 'crc' | 'bytes'>): Uint8Array<ArrayBuffer> {
  const end = new Uint8Array(10);
  end.set([3, 0]);
  const view = new DataView(end.buffer);
  view.setUint32(2, crc, true);
  view.setUint32(6, bytes % 2 ** 32, true);
  return end;
}

function sumOf(parts: readonly GzipPart[]): Pick<GzipPart, 'crc' | 'bytes'> {
  let [crc, bytes] = [0, 0];
  for (const part of parts) {
    crc = joinCrc32(crc, part.crc, part.bytes);
    bytes += part.bytes;
  }
  return { crc, bytes };
}

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
