import type { FileRecord } from '../../../shared/contract/files.ts';
import { formatCount } from '../../show/series/describeFile.ts';
import { readFilter } from './readFilter.ts';
import { findListedColumn, LISTED_COLUMNS } from './listedColumns.ts';
import { findModalities, listModalities, type ListedModality } from './modalityWords.ts';

/** What can follow in the field of the filter. */
export type Completion = {
  readonly title: string;
  readonly detail: string;
  /** The whole text with it. */
  readonly text: string;
};

export const MOST_OFFERED = 8;
/** Files that are looked at for values. */
const MOST_READ = 200_000;

/** Behind a name and an operator: the beginning of a value. */
const VALUE =
  /(?:^|[\s(])([A-Za-z_]\w*|"[^"]+")\s*(?:<>|!=|<=|>=|==|[=<>]|\blike\b|\bin\s*\((?:[^()]*,)?)\s*('?[^'\s()<>=,]*)$/i;
const WORD = /(?:^|[\s(])([A-Za-z_][\w-]*)$/;

/** What can follow in a condition: a value of a column, a word that joins conditions, or the name of a column. */
export type ConditionStage = {
  readonly kind: 'value' | 'joint' | 'name';
  /** What precedes it. */
  readonly before: string;
  /** What has been typed of it. */
  readonly begun: string;
  /** The column of a value. */
  readonly column: string;
};

/** `isColumn` says whether there is a column of that name; `isCondition`, whether a text ends with a complete condition. */
export function readStage(
  text: string,
  isColumn: (name: string) => boolean,
  isCondition: (text: string) => boolean,
): ConditionStage {
  const [, written = '', value = ''] = VALUE.exec(text) ?? [];
  const column = written.replaceAll('"', '');
  const cut = (begun: string) => ({ before: text.slice(0, text.length - begun.length), begun, column });
  if (isColumn(column)) return { kind: 'value', ...cut(value) };
  const [, word = ''] = WORD.exec(text) ?? [];
  const { before } = cut(word);
  const isAfterCondition = before.trim() !== '' && !/\b(?:and|or|not)\s*$/i.test(before) && isCondition(before);
  return { kind: isAfterCondition ? 'joint' : 'name', ...cut(word) };
}

export function completeJoint({ before, begun }: ConditionStage): readonly Completion[] {
  return ['and', 'or']
    .filter((joint) => joint.startsWith(begun.toLowerCase()) && /\s$/.test(before))
    .map((joint) => ({ title: joint, detail: '', text: `${before}${joint} ` }));
}

/** The most frequent of the values that begin with what has been typed. */
export function completeValue(
  { before, begun }: ConditionStage,
  counts: Iterable<readonly [value: string | number | boolean, count: number]>,
  describe: (count: number) => string,
): readonly Completion[] {
  const wanted = begun.replace(/^'/, '').toLowerCase();
  return [...counts]
    .filter(([value]) => String(value).toLowerCase().startsWith(wanted))
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_OFFERED)
    .map(([value, count]) => {
      const written = typeof value === 'string' ? writeText(value) : String(value);
      return { title: String(value), detail: describe(count), text: before + written };
    })
    .filter((one) => one.text !== before + begun);
}

/**
 * Modalities and names that the word typed last means, or values that begin with it, and the words that join conditions.
 * For an empty field, the modalities of the files.
 */
export function completeFilter(text: string, files: readonly FileRecord[]): readonly Completion[] {
  const stage = readStage(
    text,
    (name) => findListedColumn(name) !== undefined,
    (before) => readFilter(before).conditions.length > 0,
  );
  const { before, begun, column } = stage;
  if (stage.kind === 'value') return completeValue(stage, countValues(column, files), countFiles);
  if (text.trim() === '') return listModalities(files).map((one) => completeModality('', one));
  if (stage.kind === 'joint') return completeJoint(stage);
  if (begun === '') return [];
  const modalities = findModalities(begun, files).map((one) => completeModality(before, one));
  return [...modalities, ...completeName(before, begun)].slice(0, MOST_OFFERED);
}

function completeModality(before: string, { code, title, count }: ListedModality): Completion {
  const condition = `Modality=${writeText(code)}`;
  return { title: condition, detail: `${title} · ${countFiles(count)}`, text: before + condition };
}

function completeName(before: string, word: string): readonly Completion[] {
  const wanted = word.toLowerCase();
  const begins = (name: string) => name.toLowerCase().startsWith(wanted);
  return LISTED_COLUMNS.filter(({ name, aliases }) => [name, ...aliases].some(begins)).map(({ name, isText }) => ({
    title: name,
    detail: isText ? 'text' : 'number',
    text: `${before}${name}=`,
  }));
}

const countFiles = (count: number) => formatCount(count, 'file');

function countValues(name: string, files: readonly FileRecord[]): ReadonlyMap<string | number | boolean, number> {
  const { read } = findListedColumn(name)!;
  const counts = new Map<string | number | boolean, number>();
  for (const file of files.slice(0, MOST_READ)) {
    const value = read(file);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

function writeText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
