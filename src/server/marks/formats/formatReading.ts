import { ViewerError } from '../../../shared/contract/errors.ts';
import { MarkBody } from '../../../shared/contract/marks.ts';
import type { Static, TSchema } from '../../../shared/contract/schema.ts';
import type { TaskContext } from '../../workers/serveTasks.ts';
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
  readonly #files: FileInFormat[] = [];
  readonly #places = new Map<string, number>();
  readonly #texts: Uint8Array[] = [];
  readonly #large: LargeMark[] = [];
  readonly #reasons: RefusedMark[] = [];
  readonly #leftOut = new Map<string, number>();
  readonly #encoder = new TextEncoder();
  #refused = 0;

  constructor(checker: BodyChecker) {
    this.#checker = checker;
  }

  /** The place of a file in the list of named files. Both empty: the file that the user chose. */
  placeOfFile(path: string, sopInstanceUid: string): number {
    const key = `${sopInstanceUid}\0${path}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.#files.length);
    return this.#files.push({ path, sopInstanceUid }) - 1;
  }

  /** Runs the reading of one mark; what it throws is the reason why the mark is refused. */
  attempt(name: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof ViewerError)) throw error;
      this.#refused += 1;
      if (this.#reasons.length < MOST_REASONS) this.#reasons.push({ mark: name, reason: error.message });
    }
  }

  /** Throws `invalid_mark` if the body is none of a mark. */
  add(mark: FoundInFormat): void {
    const { body } = mark;
    if (!this.isValid(MarkBody, body)) {
      const [first] = this.#checker.Errors(MarkBody, body);
      throw new ViewerError(
        'invalid_mark',
        `${first?.instancePath || 'the mark'}: ${first?.message ?? 'has another form'}`,
      );
    }
    refuseRepeatedSlices(body.slices ?? []);
    const text = this.#encoder.encode(JSON.stringify({ ...mark, body } satisfies ReadMark));
    if (text.length <= LARGE_BYTES) {
      this.#texts.push(text);
      return;
    }
    const { points, slices = [], ...words } = body;
    this.#large.push({ mark: this.#texts.length, points: packPoints(points), slices: packMarkSlices(slices) });
    const rest: ReadMark = { ...mark, body: { ...words, points: [], slices: [] } };
    this.#texts.push(this.#encoder.encode(JSON.stringify(rest)));
  }

  isValid<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
    return this.#checker.Check(schema, value);
  }

  /** Something that no mark can hold was not taken over. */
  leaveOut(what: string): void {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + 1);
  }

  finish(): ReadFormatOutput {
    const starts = new Uint32Array(this.#texts.length + 1);
    for (const [n, text] of this.#texts.entries()) starts[n + 1] = starts[n]! + text.length;
    const texts = new Uint8Array(starts.at(-1) ?? 0);
    for (const [n, text] of this.#texts.entries()) texts.set(text, starts[n]);
    return {
      files: this.#files,
      texts,
      starts,
      large: this.#large,
      refused: this.#refused,
      reasons: this.#reasons,
      leftOut: Array.from(this.#leftOut, ([what, count]) => `${what}: ${count}`),
    };
  }
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

/** A text, else an empty one. */
export function toWord(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The milliseconds of a written time. */
export function toTimeMs(value: unknown): number | undefined {
  const ms = Date.parse(toWord(value));
  return Number.isNaN(ms) ? undefined : ms;
}
