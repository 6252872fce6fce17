/** Random access to bytes. Synchronous, because DICOM readers run in worker threads. */
export interface ByteSource {
  /** Total number of bytes. For an inflating source it is Infinity until the end has been reached. */
  readonly size: number;
  /**
   * The bytes from `position`: `length` bytes, or fewer at the end of the source. Valid until the next call. If memory
   * has to be allocated for them, `spare` is used instead if they fit.
   */
  read(position: number, length: number, spare?: Uint8Array): Uint8Array;
  /** Like `read`, but also returns further bytes that are available without another read. */
  peek(position: number, length: number): Uint8Array;
  /** Whether all bytes before a position have to be received to read there, so that the end of a long file is far away. */
  readonly isSequential?: boolean;
  /**
   * A frame as it is stored, of a server that sends frames by themselves. Undefined if it does not, or if the bytes of
   * the frame are read as quickly. The caller checks the frame, and owns its memory.
   */
  readFrame?(wish: StoredFrameWish): SentFrame | undefined;
  /**
   * All that is deflated from a position to the end of the source, unpacked on the disk once for all threads. It stays
   * valid when this source is closed. Undefined if it cannot be unpacked as a whole, or there is no room for it. Throws
   * `decode_busy` if it takes long.
   */
  unpack?(wish: UnpackWish): ByteSource | undefined;
}

export type UnpackWish = {
  readonly start: number;
  readonly method: 'deflated' | 'zlib';
  readonly mostBytes: number;
};

export type StoredFrameWish = {
  /** Counted from 0. */
  readonly frame: number;
  /** A longer frame is not received. */
  readonly mostBytes: number;
};

export type SentFrame = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Undefined if the server does not tell it. */
  readonly transferSyntaxUid: string | undefined;
};

export function bufferSource(buffer: Uint8Array): ByteSource {
  const bytes = plainBytes(buffer);
  return {
    size: bytes.length,
    read: (position, length) => bytes.subarray(position, position + length),
    peek: (position) => bytes.subarray(position),
  };
}

/**
 * The same bytes, but never as a Buffer: its `slice` does not copy, so a value that is kept would pin the whole buffer.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The result of a read may be a view of the memory of its source: then it is copied. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

export const LONGEST_WINDOW = 64 * 1024;

/** A read buffer that can be shared by files that are opened one after another. */
export function createReadWindow(): Uint8Array {
  return new Uint8Array(LONGEST_WINDOW);
}
