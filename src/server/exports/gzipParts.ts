import { constants, crc32, deflateRawSync } from 'node:zlib';
import { joinCrc32 } from './joinCrc32.ts';

/** A part of a gzip file. */
export type GzipPart = {
  /** Blocks of deflate that end at a whole byte and refer to nothing before. */
  readonly packed: Uint8Array<ArrayBuffer>;
  /** Length and CRC-32 of the bytes before they were packed. */
  readonly bytes: number;
  readonly crc: number;
};

/** Medical images get hardly smaller at higher levels, which take several times as long. */
const LEVEL = 3;

/** Packs bytes into a part of a gzip file. Parts can be packed by several threads. */
export function packGzipPart(bytes: Uint8Array): GzipPart {
  const packed = deflateRawSync(bytes, { level: LEVEL, finishFlush: constants.Z_FULL_FLUSH });
  // Not a view of the memory that Node shares between buffers.
  return { packed: new Uint8Array(packed), bytes: bytes.length, crc: crc32(bytes) };
}

/** Deflate, no name, no time, unknown system. */
const HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

/** One member of gzip made of all parts: some readers read only the first member of a file. */
export async function* joinGzipParts(parts: AsyncIterable<GzipPart>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let crc = 0;
  let length = 0;
  // With the first part, so that nothing is sent of a file whose first part fails.
  let head = HEAD;
  for await (const part of parts) {
    yield join(head, part.packed);
    head = NOTHING;
    crc = joinCrc32(crc, part.crc, part.bytes);
    length += part.bytes;
  }
  // An empty last block, the sum, and the length modulo 2^32.
  const end = new Uint8Array(10);
  end.set([3, 0]);
  const view = new DataView(end.buffer);
  view.setUint32(2, crc, true);
  view.setUint32(6, length % 2 ** 32, true);
  yield join(head, end);
}

const NOTHING = new Uint8Array(0);

function join(first: Uint8Array, second: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (first.length === 0) return second;
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
