import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

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

/** Tells whether a path still leads to the file that was looked at before. */
export type FileIdentity = {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
};

export interface FileSource extends ByteSource {
  readonly identity: FileIdentity;
  /** When it was last written to, or renamed, or its rights changed. */
  readonly ctimeMs: number;
  /** Calls to the system's read so far, and the bytes that they brought. */
  readonly reads: number;
  readonly bytesRead: number;
  /** Whether nobody has written to the file since it was opened. */
  isUnchanged(): boolean;
  close(): void;
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

const FIRST_READ = 8 * 1024;
const LONGEST_WINDOW = 64 * 1024;

/** A buffer that files opened one after another can share. */
export function createReadWindow(): Uint8Array {
  return new Uint8Array(LONGEST_WINDOW);
}

/**
 * Opens a regular file; anything else throws, and a FIFO does not block. The path must be free of symbolic links at
 * its end: resolve it first. Sources that share a `window` must not be used at the same time.
 */
export function openFileSource(path: string, window = createReadWindow()): FileSource {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error('not a regular file');
    return new WindowedFile(fd, stats, window);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

export function identityOf({ dev, ino, size, mtimeMs }: FileIdentity): FileIdentity {
  return { dev, ino, size, mtimeMs };
}

export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

/**
 * One window over the file. It opens small, because most headers end within 8 KiB, grows while the reader goes on
 * straight ahead, and is small again after a jump over a long value.
 */
class WindowedFile implements FileSource {
  readonly identity: FileIdentity;
  readonly ctimeMs: number;
  readonly size: number;
  reads = 0;
  bytesRead = 0;
  #fd: number | undefined;
  readonly #window: Uint8Array;
  #start = 0;
  #end = 0;
  #nextLength = FIRST_READ;

  constructor(fd: number, stats: Stats, window: Uint8Array) {
    this.#fd = fd;
    this.identity = identityOf(stats);
    this.ctimeMs = stats.ctimeMs;
    this.size = stats.size;
    this.#window = window;
  }

  read(position: number, length: number, spare?: Uint8Array): Uint8Array {
    // Never the whole window: whoever gets all of a buffer takes it for their own, and may send it to another thread.
    if (length >= this.#window.length) return this.#readApart(position, length, spare);
    this.#ensure(position, length);
    const from = position - this.#start;
    return this.#window.subarray(from, Math.max(from, Math.min(from + length, this.#end - this.#start)));
  }

  peek(position: number, length: number): Uint8Array {
    if (length > this.#window.length) return this.#readApart(position, length);
    this.#ensure(position, length);
    const from = position - this.#start;
    return this.#window.subarray(from, Math.max(from, this.#end - this.#start));
  }

  isUnchanged(): boolean {
    return this.#fd !== undefined && isSameFile(fstatSync(this.#fd), this.identity);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Moves the window so that it holds `position` and what follows, unless it does already. */
  #ensure(position: number, length: number): void {
    const wanted = Math.min(position + length, this.size);
    if (position >= this.#start && wanted <= this.#end) return;
    const ahead = position >= this.#start && position <= this.#end && this.#end > 0;
    this.#nextLength = ahead ? Math.min(this.#nextLength * 2, LONGEST_WINDOW) : FIRST_READ;
    const target = Math.min(Math.max(length, this.#nextLength), this.#window.length, Math.max(this.size - position, 0));
    this.#start = position;
    this.#end = position + this.#fill(this.#window, position, target);
  }

  #readApart(position: number, length: number, spare?: Uint8Array): Uint8Array {
    // Never more than the file holds, whatever length a header declares. Not filled with zeros, which the read replaces.
    const wanted = Math.max(0, Math.min(length, this.size - position));
    const bytes = spare !== undefined && spare.length >= wanted ? spare : plainBytes(Buffer.allocUnsafeSlow(wanted));
    return bytes.subarray(0, this.#fill(bytes, position, wanted));
  }

  #fill(target: Uint8Array, position: number, length: number): number {
    if (this.#fd === undefined) throw new Error('the file is closed');
    let filled = 0;
    while (filled < length) {
      const count = readSync(this.#fd, target, filled, length - filled, position + filled);
      this.reads += 1;
      this.bytesRead += count;
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }
}
