import { bufferSource, type ByteSource } from '../../src/server/bytes/origins/byteSource.ts';

/** Bytes in memory. Counts the reads and the bytes that were read. */
export type CountingSource = ByteSource & { reads: number; bytesRead: number };

export function countingSource(bytes: Uint8Array): CountingSource {
  const inner = bufferSource(bytes);
  const source: CountingSource = {
    reads: 0,
    bytesRead: 0,
    size: bytes.length,
    read(position, length) {
      const read = inner.read(position, length);
      source.reads += 1;
      source.bytesRead += read.length;
      return read;
    },
    peek: (position, length) => source.read(position, length),
  };
  return source;
}
