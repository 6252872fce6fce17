import { constants, crc32, inflateRawSync } from 'node:zlib';
import { type ByteSource, plainBytes } from '../byteSource.ts';
import { ArchiveProblem } from './archiveProblem.ts';

export type InflatedMemberOptions = {
  /** The source that holds the deflated bytes, and where they are. */
  readonly packed: ByteSource;
  readonly start: number;
  readonly length: number;
  /** What the archive declares. */
  readonly size: number;
  readonly crc: number | undefined;
  /** A source of all unpacked bytes, for what is too long to be held in memory. */
  readonly unpack: () => ByteSource;
};

/**
 * The most that is held in memory. Every task has at least this much beside what it reserves for its data. Most images
 * are shorter, and of longer ones the header is read without unpacking the rest.
 */
const MOST_IN_MEMORY = 4 * 2 ** 20;
/** Deflated headers have half the length of headers or less. Inflating is most of the work of a scan. */
const FIRST_INPUT = 4 * 1024;
const INPUT_FACTOR = 8;
const SHORTEST_CHUNK = 64;
const FIRST_CHUNK = 16 * 1024;
const USUAL_CHUNK = 64 * 1024;
const NOTHING: Uint8Array = new Uint8Array(0);

/**
 * A deflated file of an archive. Deflated data can only be read from its beginning: first a few kilobytes are inflated,
 * which hold the header of most files, then some more, then all of a short file. Longer ones are unpacked to a file.
 */
export class InflatedMember implements ByteSource {
  readonly size: number;
  readonly #options: InflatedMemberOptions;
  #inflated = NOTHING;
  #input = 0;
  #unpacked: ByteSource | undefined;

  constructor(options: InflatedMemberOptions) {
    this.size = options.size;
    this.#options = options;
  }

  read(position: number, length: number, spare?: Uint8Array): Uint8Array {
    this.#inflateTo(position + length);
    if (this.#unpacked !== undefined) return this.#unpacked.read(position, length, spare);
    return this.#inflated.subarray(position, position + length);
  }

  peek(position: number, length: number): Uint8Array {
    this.#inflateTo(position + length);
    if (this.#unpacked !== undefined) return this.#unpacked.peek(position, length);
    return this.#inflated.subarray(position);
  }

  #inflateTo(wanted: number): void {
    const end = Math.min(wanted, this.size);
    while (this.#unpacked === undefined && this.#inflated.length < end) this.#inflateMore(end);
  }

  #inflateMore(end: number): void {
    const { length, unpack } = this.#options;
    const isShort = this.size <= MOST_IN_MEMORY;
    const isLastTry = isShort && this.#input > FIRST_INPUT;
    const wanted = this.#input === 0 ? FIRST_INPUT : isLastTry ? length : this.#input * INPUT_FACTOR;
    const input = Math.min(wanted, length);
    const isWhole = input === length;
    if (!isShort && (end > MOST_IN_MEMORY || input > MOST_IN_MEMORY || isWhole)) {
      this.#inflated = NOTHING;
      this.#unpacked = unpack();
      return;
    }
    try {
      this.#inflated = this.#inflate(input, isWhole);
    } catch (error) {
      if (!(error instanceof RangeError)) throw damaged('cannot be inflated', error);
      // Longer than declared; or the beginning of a long file that expands so much that it is not held in memory.
      if (isShort) throw damaged('is longer than declared', error);
      this.#unpacked = unpack();
      return;
    }
    this.#input = input;
    if (isWhole) this.#check();
  }

  #inflate(input: number, isWhole: boolean): Uint8Array {
    const { packed, start } = this.#options;
    const maxOutputLength = Math.min(this.size, MOST_IN_MEMORY);
    // One byte more than the file has: a reader may take a buffer that it receives as a whole for its own.
    const usualChunk = input > FIRST_INPUT ? USUAL_CHUNK : FIRST_CHUNK;
    const chunkSize = Math.max(SHORTEST_CHUNK, isWhole ? this.size + 1 : usualChunk);
    const bytes = packed.read(start, input);
    return plainBytes(inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength, chunkSize }));
  }

  #check(): void {
    if (this.#inflated.length !== this.size) throw damaged('is shorter than declared');
    const { crc } = this.#options;
    if (crc !== undefined && crc32(this.#inflated) !== crc) throw damaged('has another checksum than declared');
  }
}

function damaged(how: string, cause?: unknown): ArchiveProblem {
  return new ArchiveProblem('archive_damaged', `the archive is damaged: this file ${how}`, { cause });
}
