import { constants, inflateRawSync, inflateSync } from 'node:zlib';
import { type ByteSource, LONGEST_WINDOW, plainBytes } from '../../bytes/origins/byteSource.ts';

export type InflateLimits = {
  readonly maxBytes: number;
  /** Maximum ratio of inflated to deflated bytes; applies beyond the first 64 MiB. */
  readonly maxRatio: number;
  /** Called before the first byte of a data set is inflated; returns once memory is available for it. */
  readonly waitForMemory?: (deflatedBytes: number) => void;
  /** Whether there is a spool, which unpacks a long data set on the disk. */
  readonly hasSpool?: boolean;
};

export let INFLATE_LIMITS: InflateLimits = { maxBytes: 512 * 1024 * 1024, maxRatio: 200 };

/** Lowers the limit for this thread to its share of the memory. */
export function limitInflation({ maxBytes, waitForMemory, hasSpool }: Omit<InflateLimits, 'maxRatio'>): void {
  // NaN would be no limit at all, because no size is larger.
  if (!(maxBytes >= 0)) throw new RangeError(`${maxBytes} bytes are no limit`);
  const { maxRatio } = INFLATE_LIMITS;
  INFLATE_LIMITS = {
    maxRatio,
    maxBytes: Math.min(INFLATE_LIMITS.maxBytes, maxBytes),
    ...(waitForMemory && { waitForMemory }),
    ...(hasSpool && { hasSpool }),
  };
}

const RATIO_FREE_BYTES = 64 * 1024 * 1024;
const FIRST_INPUT = 16 * 1024;
/**
 * Output limit of the first step: the elements of nearly all files end within it, and larger data is not inflated in
 * small pieces.
 */
const FIRST_MOST_OUTPUT = 2 * 1024 * 1024;
/**
 * A file up to this length is inflated completely in the second step, because the memory of each step stays allocated
 * until it is collected.
 */
const SHORT_INPUT = 128 * 1024;
/** Long enough for the first block of a raw stream to fail, or not. */
const ZLIB_PROBE = 64;
const SALVAGE_ATTEMPTS = 14;
const NOTHING: Uint8Array = new Uint8Array(0);
const FIRST_OUTPUT = 256 * 1024;
/** If there is a spool, no more than this is held in memory. */
const SMALL_OUTPUT = 8 * 1024 * 1024;
/** Highest possible ratio of deflate: 258 bytes from two bits. */
const HIGHEST_RATIO = 1032;
/**
 * From 32 MiB on, the C library maps memory: only pages that are written to exist, and they are returned to the system
 * when the memory is freed. Smaller blocks would stay with the process.
 */
const MAPPED_OUTPUT = 33 * 1024 * 1024;

/**
 * The data set of a deflated file, inflated from its beginning as far as it is read. Each step doubles the input, or
 * takes all of a short file, and starts over: at most twice the work of one pass, and never more output than the limits
 * allow for the bytes that were actually read. A data set that becomes long is unpacked on the disk, if it is whole.
 */
export class InflatedSource implements ByteSource {
  readonly #source: ByteSource;
  readonly #start: number;
  readonly #limits: InflateLimits;
  #inflated = NOTHING;
  #unpacked: ByteSource | undefined;
  #inputLength = 0;
  #ended = false;
  /** Why the inflated bytes end early. */
  problem: 'inflate_failed' | 'inflate_limit' | undefined;

  /** `start` is the position of the deflated bytes in `source`. */
  constructor(source: ByteSource, start: number, limits: InflateLimits) {
    this.#source = source;
    this.#start = start;
    this.#limits = limits;
  }

  /** Size of the deflated data set. */
  get deflatedSize(): number {
    return Math.max(0, this.#source.size - this.#start);
  }

  get size(): number {
    if (this.#unpacked !== undefined) return this.#unpacked.size;
    return this.#ended ? this.#inflated.length : Number.POSITIVE_INFINITY;
  }

  /** Memory that it takes. */
  get heldBytes(): number {
    return this.#unpacked === undefined ? this.#inflated.length : LONGEST_WINDOW;
  }

  read(position: number, length: number, spare?: Uint8Array): Uint8Array {
    this.#inflateTo(position + length);
    return this.#unpacked?.read(position, length, spare) ?? this.#inflated.subarray(position, position + length);
  }

  peek(position: number, length: number): Uint8Array {
    this.#inflateTo(position + length);
    return this.#unpacked?.peek(position, length) ?? this.#inflated.subarray(position);
  }

  #inflateTo(end: number): void {
    while (!this.#ended && this.#inflated.length < end) this.#inflateMore();
  }

  #inflateMore(): void {
    const available = this.deflatedSize;
    const before = this.#inputLength;
    const good = this.#inflated.length > 0 ? before : 0;
    const isFirst = before === 0;
    if (isFirst) this.#limits.waitForMemory?.(available);
    const wanted = isFirst ? FIRST_INPUT : available <= SHORT_INPUT ? available : before * 2;
    this.#inputLength = Math.min(wanted, available);
    const input = this.#source.read(this.#start, this.#inputLength);
    // The previous output must not be held while the larger one is produced.
    this.#inflated = NOTHING;
    if (!isFirst && this.#isLong(input) && this.#unpack(input)) return;
    try {
      this.#inflated = this.#inflate(input, isFirst ? FIRST_MOST_OUTPUT : undefined);
      this.#ended = this.#inputLength >= available;
    } catch (error) {
      if (isFirst && error instanceof RangeError) return;
      this.problem = error instanceof RangeError ? 'inflate_limit' : 'inflate_failed';
      this.#ended = true;
      if (good > 0) this.#inflated = this.#inflate(input.subarray(0, good));
      if (this.problem === 'inflate_failed') this.#salvage(input, good);
      else if (good === 0) this.#halve(input);
    }
  }

  /** Whether the input becomes more than is held in memory, if there is a spool. */
  #isLong(input: Uint8Array): boolean {
    if (this.#limits.hasSpool !== true || this.#source.unpack === undefined) return false;
    try {
      // What is not long is inflated once more, which takes a few milliseconds.
      this.#inflate(input, SMALL_OUTPUT);
      return false;
    } catch (error) {
      return error instanceof RangeError;
    }
  }

  /** Damaged or too much data is not unpacked: of that, the beginning is found in memory. */
  #unpack(input: Uint8Array): boolean {
    const wish = { start: this.#start, method: methodOf(input), mostBytes: this.#mostBytes(this.deflatedSize) };
    this.#unpacked = this.#source.unpack?.(wish);
    this.#ended ||= this.#unpacked !== undefined;
    return this.#ended;
  }

  #mostBytes(inputLength: number): number {
    const { maxBytes, maxRatio } = this.#limits;
    return Math.min(maxBytes, Math.max(RATIO_FREE_BYTES, inputLength * maxRatio));
  }

  /** The beginning of data that is too long is still valid: halves the input until the output fits. */
  #halve(input: Uint8Array): void {
    for (let length = input.length >> 1; length > 0 && this.#inflated.length === 0; length >>= 1) {
      try {
        this.#inflated = this.#inflate(input.subarray(0, length));
      } catch {
        // The output is still too long.
      }
    }
  }

  /** The data before the damage is valid: searches for the longest input that inflates. */
  #salvage(input: Uint8Array, good: number): void {
    let low = good;
    let high = input.length;
    for (let attempt = 0; attempt < SALVAGE_ATTEMPTS && high - low > 1; attempt += 1) {
      const middle = Math.floor((low + high) / 2);
      try {
        this.#inflated = this.#inflate(input.subarray(0, middle));
        low = middle;
      } catch {
        high = middle;
      }
    }
  }

  #inflate(input: Uint8Array, mostOutput = Infinity): Uint8Array {
    const inflated = plainBytes(inflate(input, Math.min(mostOutput, this.#mostBytes(input.length))));
    // A small result would otherwise keep all memory that was allocated for it.
    return inflated.length < MAPPED_OUTPUT / 2 ? inflated.slice() : inflated;
  }
}

function inflate(input: Uint8Array, maxOutputLength: number): Uint8Array {
  if (maxOutputLength <= FIRST_MOST_OUTPUT) return inflateInto(input, maxOutputLength, FIRST_OUTPUT);
  try {
    // Most files are small. Otherwise every attempt would map address space for the largest possible output.
    return inflateInto(input, Math.min(maxOutputLength, SMALL_OUTPUT), FIRST_OUTPUT);
  } catch (error) {
    if (!(error instanceof RangeError) || maxOutputLength <= SMALL_OUTPUT) throw error;
  }
  // In one piece, because several pieces would be copied into one and exist twice. One extra byte detects overlong
  // output.
  const possible = Math.min(maxOutputLength, input.length * HIGHEST_RATIO) + 1;
  return inflateInto(input, maxOutputLength, Math.max(possible, MAPPED_OUTPUT));
}

function inflateInto(input: Uint8Array, maxOutputLength: number, chunkSize: number): Uint8Array {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength, chunkSize };
  return methodOf(input) === 'zlib' ? inflateSync(input, options) : inflateRawSync(input, options);
}

/**
 * DICOM requires a raw deflate stream; a few writers add the zlib header. As a raw stream, its 0x78 would begin a stored
 * block whose length check fails.
 */
function methodOf(input: Uint8Array): 'deflated' | 'zlib' {
  const isHeader = input[0] === 0x78 && input.length > 2 && (input[0] * 256 + (input[1] ?? 0)) % 31 === 0;
  if (!isHeader) return 'deflated';
  try {
    inflateRawSync(input.subarray(0, ZLIB_PROBE), { finishFlush: constants.Z_SYNC_FLUSH });
    return 'deflated';
  } catch {
    return 'zlib';
  }
}
