import { ALL_SCORES, PART_SCORES, SCORE_NUMBERS, worseOf } from './scoreNumbers.ts';
import type { NamedSome, ReadScores } from './scoreTasks.ts';

/** A file of scores that cannot be used, with the reason. */
export class NoScores extends Error {
  override readonly name = 'NoScores';
}

/** The value of a column in one row: a text, a number, or nothing. */
export type ReadCell = (column: number) => unknown;

/** A cohort has some thousand cases with up to a hundred parts. */
const MOST_ROWS = 500_000;
const MOST_SERIES = 20_000;
/** More parts have no columns of their own. */
const MOST_PARTS = 16;
const MOST_EXAMPLES = 5;
const LONGEST_TEXT = 100;

const SERIES = 'seriesinstanceuid';
/** What programs write in place of a number that there is not. */
const NOTHING = /^(?:|nan|na|n\/a|none|null|[+-]?inf(?:inity)?)$/i;

type Place = {
  name: string;
  numbers: Float64Array;
  worst: string;
  /** By name without regard to case, as parts are paired; `of` is a case. */
  parts: Map<string, { readonly name: string; readonly of: string; readonly numbers: number[] }>;
  isAmbiguous: boolean;
};

/** Takes the rows of a score file, one after the other, and keeps what is worst for each series. */
export class ScoreCollector {
  readonly #places = new Map<string, Place>();
  readonly #unplaced = new Set<string>();
  readonly #ambiguous = new Set<string>();
  readonly #columns: ReadonlyMap<string, number>;
  readonly #numbers: readonly (number | undefined)[];
  #rows = 0;
  #unread = 0;

  /** Throws NoScores if these are not the columns of scores. Others are allowed, in any order. */
  constructor(names: readonly string[]) {
    const columns = new Map<string, number>();
    for (const [at, name] of names.entries()) {
      const key = name.trim().toLowerCase().replaceAll('_', '');
      const isWanted = WANTED.has(key);
      if (isWanted && columns.has(key)) throw new NoScores(`it has two columns ${WANTED.get(key)}`);
      if (isWanted) columns.set(key, at);
    }
    if (!columns.has(SERIES)) throw new NoScores('it has no column SeriesInstanceUID, which negato compare writes');
    this.#columns = columns;
    this.#numbers = SCORE_NUMBERS.map(({ name }) => columns.get(keyOf(name)));
    if (this.#numbers.every((at) => at === undefined)) {
      throw new NoScores('it has no column with scores, such as dice or hd95_mm');
    }
  }

  /** The columns that are read, by their places. */
  listColumns(): readonly number[] {
    return [...this.#columns.values()];
  }

  /** Throws NoScores for too many rows or series. */
  add(read: ReadCell): void {
    this.#rows += 1;
    if (this.#rows > MOST_ROWS) throw new NoScores(`it has more than ${MOST_ROWS} rows`);
    const text = (name: string) => {
      const at = this.#columns.get(name);
      return at === undefined ? '' : toText(read(at));
    };
    const [uid, of, part, testPart] = [text(SERIES), text('case'), text('part'), text('testpart')];
    if (!/^[\d.]{1,64}$/.test(uid)) {
      if (this.#unplaced.size < MOST_SERIES) this.#unplaced.add(of);
      return;
    }
    const numbers = this.#numbers.map((at) => (at === undefined ? NaN : this.#toNumber(read(at))));
    const hasSides = this.#columns.has('part') && this.#columns.has('testpart');
    const place = this.#places.get(uid) ?? this.#create(uid, of);
    const isUnpaired = hasSides && (part === '') !== (testPart === '');
    this.#take(place, { of, part: part || testPart, numbers, isUnpaired });
  }

  #create(uid: string, name: string): Place {
    if (this.#places.size === MOST_SERIES) throw new NoScores(`it has more than ${MOST_SERIES} series`);
    const place = {
      name,
      numbers: new Float64Array(ALL_SCORES.length).fill(NaN),
      worst: '',
      parts: new Map(),
      isAmbiguous: false,
    };
    this.#places.set(uid, place);
    return place;
  }

  #take(place: Place, { of, part, numbers, isUnpaired }: TakenRow): void {
    const key = `${isUnpaired ? '\0' : ''}${part.toLowerCase()}`;
    const known = place.parts.get(key);
    // Two segments of one case may have one name. Without names of cases, a second row may be of another case.
    if (known !== undefined && (known.of !== of || of === '')) {
      place.isAmbiguous = true;
      this.#ambiguous.add(known.of);
      this.#ambiguous.add(of);
    }
    const all = [...numbers, isUnpaired ? 1 : 0];
    const [dice = NaN] = numbers;
    const [lowest = NaN] = place.numbers;
    if (!Number.isNaN(dice) && !(lowest <= dice)) place.worst = part;
    for (const [at, { merge }] of ALL_SCORES.entries()) {
      place.numbers[at] = worseOf(merge, place.numbers[at]!, all[at]!);
    }
    const own = PART_NUMBERS.map((at) => numbers[at]!);
    const merged = own.map((value, at) => worseOf(PART_SCORES[at]!.merge, known?.numbers[at] ?? NaN, value));
    place.parts.set(key, { name: known?.name ?? part, of, numbers: merged });
  }

  #toNumber(value: unknown): number {
    if (typeof value === 'number') return Number.isFinite(value) ? value : NaN;
    if (typeof value === 'bigint') return Number(value);
    if (value === null || value === undefined) return NaN;
    const text = typeof value === 'string' && value.length <= LONGEST_TEXT ? value.trim() : undefined;
    if (text !== undefined && NOTHING.test(text)) return NaN;
    const number = Number(text ?? NaN);
    if (Number.isFinite(number)) return number;
    this.#unread += 1;
    return NaN;
  }

  finish(): ReadScores {
    const placed = [...this.#places].filter(([, { isAmbiguous }]) => !isAmbiguous);
    const counts = new Map<string, { readonly name: string; count: number }>();
    for (const [, { parts }] of placed) {
      for (const [key, { name, numbers }] of parts) {
        if (name === '' || numbers.every((value) => Number.isNaN(value))) continue;
        const counted = counts.get(key) ?? { name, count: 0 };
        counted.count += 1;
        counts.set(key, counted);
      }
    }
    // Of one part, the columns above say everything.
    const most = counts.size < 2 ? [] : [...counts].toSorted((a, b) => b[1].count - a[1].count).slice(0, MOST_PARTS);
    return {
      seriesUids: placed.map(([uid]) => uid),
      cases: placed.map(([, { name }]) => name),
      worstParts: placed.map(([, { worst }]) => worst),
      numbers: Float64Array.from(placed.flatMap(([, { numbers }]) => [...numbers])),
      parts: most.map(([key, { name }]) => ({
        name,
        numbers: Float64Array.from(placed.flatMap(([, { parts }]) => parts.get(key)?.numbers ?? NO_NUMBERS)),
      })),
      unplaced: nameSome(this.#unplaced),
      ambiguous: nameSome(this.#ambiguous),
      unreadCells: this.#unread,
    };
  }
}

type TakenRow = {
  readonly of: string;
  readonly part: string;
  readonly numbers: readonly number[];
  readonly isUnpaired: boolean;
};

const PART_NUMBERS = PART_SCORES.map((one) => SCORE_NUMBERS.indexOf(one));
const NO_NUMBERS = PART_SCORES.map(() => NaN);

function keyOf(name: string): string {
  return name.replaceAll('_', '');
}

/** The columns that are read, without regard to case and to underscores. */
const WANTED: ReadonlyMap<string, string> = new Map([
  [SERIES, 'SeriesInstanceUID'],
  ...['case', 'part', 'test_part', ...SCORE_NUMBERS.map(({ name }) => name)].map(
    (name) => [keyOf(name), name] as const,
  ),
]);

/** Without the sign that keeps spreadsheets from running it, and without what would break a line. */
function toText(value: unknown): string {
  const text =
    typeof value === 'string' ? value.slice(0, 2 * LONGEST_TEXT) : typeof value === 'number' ? String(value) : '';
  const own = /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
  // Without controls, line separators and marks of direction.
  return own
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, ' ')
    .trim()
    .slice(0, LONGEST_TEXT);
}

function nameSome(all: ReadonlySet<string>): NamedSome {
  return { count: all.size, examples: [...all].filter((name) => name !== '').slice(0, MOST_EXAMPLES) };
}
