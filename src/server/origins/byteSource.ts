/** Bytes at positions. Synchronous: readers of DICOM run in worker threads. */
export interface ByteSource {
  /** Bytes in all. A source that inflates learns it at its end, and says Infinity until then. */
  readonly size: number;
  /**
   * The bytes from `position`, at most `length` and fewer only at the end. Valid until the next call. Where memory has to
   * be made for them, `spare` is taken instead if they fit.
   */
  read(position: number, length: number, spare?: Uint8Array): Uint8Array;
  /** Like `read`, with as many more bytes as are at hand without reading again. */
  peek(position: number, length: number): Uint8Array;
}

export function bufferSource(buffer: Uint8Array): ByteSource {
  const bytes = plainBytes(buffer);
  return {
    size: bytes.length,
    read: (position, length) => bytes.subarray(position, position + length),
    peek: (position) => bytes.subarray(position),
  };
}

/** The same bytes, but never as a Buffer: there `slice` copies nothing, and a kept value would pin them all. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

export const LONGEST_WINDOW = 64 * 1024;

/** A buffer that files opened one after another can share. */
export function createReadWindow(): Uint8Array {
  return new Uint8Array(LONGEST_WINDOW);
}
