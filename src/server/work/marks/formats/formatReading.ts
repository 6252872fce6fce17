import { ViewerError } from '../../../../shared/contract/errors.ts';
import { MarkBody } from '../../../../shared/contract/marks.ts';
import type { Static, TSchema } from '../../../../shared/contract/schema.ts';
import { parseBody } from '../../../machine/workers/parseBody.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { type SplitJson, splitJson } from '../../../machine/workers/splitJson.ts';
import { packMarkSlices, packPoints } from '../markContent.ts';
import { refuseRepeatedSlices, transferSlices } from '../parseMark.ts';
import {
  type FileInFormat,
  type LargeMark,
  MOST_REASONS,
  type ReadFormatOutput,
  type ReadMark,
  type RefusedMark,
} from './formatTasks.ts';

/** Texts up to this length are parsed in a millisecond or two. */
const LARGE_BYTES = 2 ** 18;
/** Marks of one file, or rows of it; a file of 64 MiB drawn by a person or a program has fewer. */
export const MOST_IN_FORMAT = 250_000;
/** Outlines and masks that are held until all of their mark has been found. */
const MOST_HELD_BYTES = 48 * 2 ** 20;
const [POINT_BYTES, RUN_BYTES, SLICE_BYTES] = [72, 8, 400];

/** A mark as a reader found it; its body is checked. */
export type FoundInFormat = Omit<ReadMark, 'body'> & { readonly body: unknown };

/** What TypeBox offers; it is loaded only where files are read. */
export type BodyChecker = {
  readonly Check: (schema: TSchema, value: unknown) => boolean;
  readonly Errors: (
    schema: TSchema,
    value: unknown,
  ) => Iterable<{ readonly instancePath: string; readonly message: string }>;
};

/** Collects what a reader finds. One mark that is wrong does not stop the others. */
export class FormatReading {
  readonly #checker: BodyChecker;
  readonly #throwIfCancelled: () => void;
  readonly #files: FileInFormat[] = [];
  readonly #places = new Map<string, number>();
  readonly #texts = new TextBuffer();
  readonly #large: LargeMark[] = [];
  readonly #reasons: RefusedMark[] = [];
  readonly #leftOut = new Map<string, number>();
  #refused = 0;
  #attempts = 0;
  #heldBytes = 0;

  constructor(checker: BodyChecker, { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>) {
    this.#checker = checker;
    this.#throwIfCancelled = throwIfCancelled;
  }

  /** The place of a file in the list of named files. Both empty: the file that the user chose. */
  placeOfFile(path: string, sopInstanceUid: string): number {
    const key = `${sopInstanceUid}\0${path}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    if (this.#files.length >= MOST_IN_FORMAT) throw tooLarge(`names more than ${MOST_IN_FORMAT} images`);
    this.#places.set(key, this.#files.length);
    return this.#files.push({ path, sopInstanceUid }) - 1;
  }

  /**
   * Runs the reading of one mark; what it throws is the reason why the mark is refused. Throws `payload_too_large` if the
   * file has too many of them: then nothing of it is taken, because nobody would notice what is missing.
   */
  attempt(name: string, read: () => void): void {
    this.#throwIfCancelled();
    this.#attempts += 1;
    if (this.#attempts > MOST_IN_FORMAT) throw tooManyMarks();
    try {
      read();
    } catch (error) {
      if (!(error instanceof ViewerError) || error.code === 'payload_too_large') throw error;
      this.#refused += 1;
      if (this.#reasons.length < MOST_REASONS) this.#reasons.push({ mark: name, reason: error.message });
    }
  }

  /** Throws `invalid_mark` if the body is none of a mark. */
  add(mark: FoundInFormat): void {
    const { body } = mark;
    if (!this.isValid(MarkBody, body)) {
      // Finding out what is wrong takes far longer than the rest, and nobody reads the reasons of thousands.
      if (this.#reasons.length >= MOST_REASONS) throw new ViewerError('invalid_mark', 'it has another form');
      const [first] = this.#checker.Errors(MarkBody, body);
      throw new ViewerError(
        'invalid_mark',
        `${first?.instancePath || 'the mark'}: ${first?.message ?? 'has another form'}`,
      );
    }
    refuseRepeatedSlices(body.slices ?? []);
    const text = JSON.stringify({ ...mark, body } satisfies ReadMark);
    if (text.length <= LARGE_BYTES) {
      this.#texts.push(text);
      return;
    }
    const { points, slices = [], ...words } = body;
    this.#large.push({ mark: this.#texts.count, points: packPoints(points), slices: packMarkSlices(slices) });
    const rest: ReadMark = { ...mark, body: { ...words, points: [], slices: [] } };
    this.#texts.push(JSON.stringify(rest));
  }

  /** Accounts for a slice that is held until its mark is complete. Throws `payload_too_large`. */
  hold({ points, mask }: { readonly points: unknown; readonly mask?: unknown }): void {
    const { runs }: { runs?: unknown } = Object(mask);
    this.#heldBytes += SLICE_BYTES + lengthOf(points) * POINT_BYTES + lengthOf(runs) * RUN_BYTES;
    if (this.#heldBytes > MOST_HELD_BYTES) throw tooLarge('has more outlines through stacks than can be read at once');
  }

  isValid<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
    return this.#checker.Check(schema, value);
  }

  /** Something that no mark can hold was not taken over. */
  leaveOut(what: string): void {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + 1);
  }

  finish(): ReadFormatOutput {
    return {
      files: this.#files,
      ...this.#texts.finish(),
      large: this.#large,
      refused: this.#refused,
      reasons: this.#reasons,
      leftOut: Array.from(this.#leftOut, ([what, count]) => `${what}: ${count}`),
    };
  }
}

/** Texts in one buffer: a buffer for each of many small ones would take several times their length. */
class TextBuffer {
  readonly #encoder = new TextEncoder();
  readonly #ends: number[] = [];
  #bytes = new Uint8Array(2 ** 16);
  #length = 0;

  get count(): number {
    return this.#ends.length;
  }

  push(text: string): void {
    // A character takes three bytes at most.
    if (this.#length + 3 * text.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#length + 3 * text.length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
    this.#ends.push(this.#length);
  }

  finish(): Pick<ReadFormatOutput, 'texts' | 'starts'> {
    const starts = new Uint32Array(this.#ends.length + 1);
    starts.set(this.#ends, 1);
    return { texts: this.#bytes.slice(0, this.#length), starts };
  }
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

export function tooManyMarks(): ViewerError {
  return tooLarge(`has more than ${MOST_IN_FORMAT} marks or rows`);
}

function tooLarge(what: string): ViewerError {
  return new ViewerError('payload_too_large', `the file ${what}; divide it into several`);
}

/** What was read, for another thread. */
export function transferReading(reading: FormatReading, { transfer }: Pick<TaskContext, 'transfer'>): ReadFormatOutput {
  const { texts, starts, large, ...rest } = reading.finish();
  return {
    ...rest,
    texts: transfer(texts),
    starts: transfer(starts),
    large: large.map(({ mark, points, slices }) => ({
      mark,
      points: transfer(points),
      slices: transferSlices(slices, transfer),
    })),
  };
}

/** The lists of a file, each item of which is checked as a body of its own. Throws `invalid_json`. */
export function splitFormat(body: Uint8Array): SplitJson {
  return splitJson(body, { parse: (part) => parseBody(part), mostItems: 2 * MOST_IN_FORMAT });
}

/** A text, else an empty one. */
export function toWord(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The milliseconds of a written time. */
export function toTimeMs(value: unknown): number | undefined {
  const ms = Date.parse(toWord(value));
  return Number.isNaN(ms) ? undefined : ms;
}
