import type { IndexProgress, Shard } from '../server/images/catalog/indexFiles.ts';

/** By what the files of an index were chosen, as the options have it. */
export type ChosenBy = {
  readonly where?: string;
  readonly filters?: readonly string[];
  /** Absent: subfolders were entered. */
  readonly recursive?: false;
};

/** What an index says about itself, under the key `negato`. */
export type AboutIndex = {
  readonly shard: Shard;
  readonly filtered: number;
  readonly attachments: number;
  readonly skipped: Readonly<Record<string, number>>;
  /** Absent if all files were. `several`: its parts were chosen by different conditions. */
  readonly chosen?: ChosenBy | 'several' | undefined;
};

const WHOLE: Shard = { number: 1, count: 1 };

/** What the table does not show: the part that it has, and the files that have no row. */
export function aboutIndex(
  { files, filtered, attachments, skipped }: IndexProgress,
  { shard, chosen }: Pick<AboutIndex, 'shard' | 'chosen'>,
): object {
  const counts = { files, filtered, attachments, skipped: Object.fromEntries(skipped) };
  return { version: 1, shard, ...counts, ...(chosen !== undefined && { chosen }) };
}

/** Another program may have written it. */
export function readAbout(value: unknown): AboutIndex {
  const about = toRecord(value);
  const shard = toRecord(about['shard']);
  const [number, count] = [toCount(shard['number']), toCount(shard['count'])];
  const chosen = readChosen(about['chosen']);
  return {
    shard: number >= 1 && number <= count ? { number, count } : WHOLE,
    filtered: toCount(about['filtered']),
    attachments: toCount(about['attachments']),
    skipped: Object.fromEntries(
      Object.entries(toRecord(about['skipped'])).map(([reason, of]) => [reason, toCount(of)]),
    ),
    ...(chosen !== undefined && { chosen }),
  };
}

/** What is said of a table with the rows of several. */
export function aboutJoined(tables: readonly AboutIndex[], files: number): object {
  const [first] = tables;
  const isSame = tables.every(({ chosen }) => JSON.stringify(chosen) === JSON.stringify(first?.chosen));
  const chosen = isSame ? first?.chosen : 'several';
  const skipped = new Map<string, number>();
  for (const table of tables) {
    for (const [reason, count] of Object.entries(table.skipped)) {
      skipped.set(reason, (skipped.get(reason) ?? 0) + count);
    }
  }
  const sumOf = (name: 'filtered' | 'attachments') => tables.reduce((sum, table) => sum + table[name], 0);
  return {
    version: 1,
    shard: WHOLE,
    files,
    filtered: sumOf('filtered'),
    attachments: sumOf('attachments'),
    skipped: Object.fromEntries(skipped),
    ...(chosen !== undefined && { chosen }),
  };
}

function readChosen(value: unknown): AboutIndex['chosen'] {
  if (value === 'several') return value;
  const { where, filters, recursive } = toRecord(value);
  const chosen: ChosenBy = {
    ...(typeof where === 'string' && { where }),
    ...(Array.isArray(filters) && { filters: filters.map(String) }),
    ...(recursive === false && { recursive }),
  };
  return Object.keys(chosen).length === 0 ? undefined : chosen;
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function toCount(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0;
}
