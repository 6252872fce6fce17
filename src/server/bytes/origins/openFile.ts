import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { unpackBytes } from './archives/unpackedBytes.ts';
import { type ByteSource, createReadWindow, LONGEST_WINDOW, plainBytes, type UnpackWish } from './byteSource.ts';
import { type FileRef, type InodeIdentity, type OpenSource, sealKnown } from './origin.ts';
import type { KnownSource } from './sourceRef.ts';

/** Does not follow a link that has replaced a file, and does not block on a FIFO. Windows has neither flag. */
export const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens a regular file and throws for anything else. Sources that share a `window` must not be used at the same time.
 */
export function openFile(ref: FileRef, window = createReadWindow()): OpenSource {
  const fd = openSync(ref.realPath, OPEN_FLAGS);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error('not a regular file');
    return new WindowedFile(ref, fd, stats, window);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

type FileStats = Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs'>;

export function identityOf({ dev, ino, size, mtimeMs }: FileStats): InodeIdentity {
  return { kind: 'inode', dev, ino, size, mtimeMs };
}

/**
 * Compares local files; no other code does. ctime is left out: new permissions or another link do not change the bytes.
 */
export function isSameFile(a: FileStats, b: FileStats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

export function keyOfFile({ realPath }: FileRef, { dev, ino, size, mtimeMs }: InodeIdentity): string {
  return `${realPath}\0${dev}\0${ino}\0${size}\0${mtimeMs}`;
}

/** ctime cannot be forged: a program that writes to a file can restore its mtime, but not its ctime. */
export function stateKey(ref: FileRef, identity: InodeIdentity, ctimeMs: number): string {
  return `${keyOfFile(ref, identity)}\0${ctimeMs}`;
}

const FIRST_READ = 8 * 1024;

/**
 * Reads a file through one window. The window starts small, because most headers end within 8 KiB, grows while the
 * reader moves straight ahead, and is small again after a jump over a long value.
 */
class WindowedFile implements OpenSource {
  readonly known: KnownSource;
  readonly size: number;
  reads = 0;
  bytesRead = 0;
  readonly #ref: FileRef;
  readonly #identity: InodeIdentity;
  readonly #ctimeMs: number;
  #fd: number | undefined;
  readonly #window: Uint8Array;
  #start = 0;
  #end = 0;
  #nextLength = FIRST_READ;

  constructor(ref: FileRef, fd: number, stats: Stats, window: Uint8Array) {
    this.#ref = ref;
    this.#identity = identityOf(stats);
    this.known = sealKnown({ ref, identity: this.#identity });
    this.#ctimeMs = stats.ctimeMs;
    this.#fd = fd;
    this.size = stats.size;
    this.#window = window;
  }

  get state(): string {
    return stateKey(this.#ref, this.#identity, this.#ctimeMs);
  }

  read(position: number, length: number, spare?: Uint8Array): Uint8Array {
    // Never the whole window: a caller that receives a whole buffer treats it as its own and may transfer it to a
    // thread.
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

  unpack(wish: UnpackWish): ByteSource | undefined {
    return unpackBytes({ realPath: this.#ref.realPath, start: 0, end: this.size, state: this.state }, wish, openFile);
  }

  isUnchanged(): boolean {
    return this.#fd !== undefined && isSameFile(fstatSync(this.#fd), this.#identity);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Moves the window so that it holds `position` and the bytes after it, unless it does already. */
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
    // Never more than the file holds, whatever length a header declares. Not zero-filled, because the read overwrites
    // it.
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
