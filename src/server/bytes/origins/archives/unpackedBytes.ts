import { type ByteSource, LONGEST_WINDOW, type UnpackWish } from '../byteSource.ts';
import type { FileRef, OpenSource } from '../origin.ts';
import { ArchiveProblem } from './archiveProblem.ts';
import { askSpool } from './askSpool.ts';
import type { SpoolJob } from './spoolMessages.ts';

type Open = (ref: FileRef, window: Uint8Array) => OpenSource;

/** A part of a local file. `state` is that of the file of the user. */
type Packed = { readonly realPath: string; readonly start: number; readonly end: number; readonly state: string };

/** Less than the time limit of any task, because a thread that exceeds it is ended. */
const PATIENCE_MS = 3_000;

/** The deflated bytes at the end of a part, unpacked by the spool. Undefined if they are damaged or too many. */
export function unpackBytes(
  { realPath, start, end, state }: Packed,
  { start: from, method, mostBytes }: UnpackWish,
  open: Open,
): ByteSource | undefined {
  const key = `${state}\0${from}\0${method}\0${mostBytes}`;
  try {
    return new UnpackedBytes({ key, realPath, start: start + from, end, method, mostBytes }, open);
  } catch (error) {
    if (error instanceof ArchiveProblem) return undefined;
    throw error;
  }
}

/**
 * A file of the spool. It is open only while it is read, because nobody closes what is cached; the spool may have removed
 * it in between, and then unpacks it again.
 */
class UnpackedBytes implements ByteSource {
  readonly size: number;
  readonly #job: SpoolJob;
  readonly #open: Open;
  #window: Uint8Array = new Uint8Array(0);
  #windowAt = 0;

  constructor(job: SpoolJob, open: Open) {
    this.#job = job;
    this.#open = open;
    this.size = this.#use(({ size }) => size);
  }

  read(position: number, length: number, spare?: Uint8Array): Uint8Array {
    if (length < LONGEST_WINDOW) return this.peek(position, length).subarray(0, length);
    return this.#use((file) => file.read(position, length, spare));
  }

  peek(position: number, length: number): Uint8Array {
    const end = Math.min(position + length, this.size);
    const isThere = position >= this.#windowAt && end <= this.#windowAt + this.#window.length;
    if (!isThere) {
      this.#window = this.#use((file) => file.read(position, Math.max(length, LONGEST_WINDOW)));
      this.#windowAt = position;
    }
    return this.#window.subarray(position - this.#windowAt);
  }

  #use<Result>(read: (file: ByteSource) => Result): Result {
    const file = this.#open({ kind: 'file', realPath: askSpool(this.#job, PATIENCE_MS) }, NO_WINDOW);
    try {
      return read(file);
    } finally {
      file.close();
    }
  }
}

/** Every read is one of its own. */
const NO_WINDOW = new Uint8Array(0);
