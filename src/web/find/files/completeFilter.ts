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

const MOST_OFFERED = 8;
/** Files that are looked at for values. */
const MOST_READ = 200_000;

/** Behind a name and an operator: the beginning of a value. */
const VALUE =
  /(?:^|[\s(])([A-Za-z_]\w*)\s*(?:<>|!=|<=|>=|==|[=<>]|\blike\b|\bin\s*\((?:[^()]*,)?)\s*('?[^'\s()<>=,]*)$/i;
const WORD = /(?:^|[\s(])([A-Za-z_][\w-]*)$/;

/**
 * Modalities and names that the word typed last means, or values that begin with it, and the words that join conditions.
 * For an empty field, the modalities of the files.
 */
export function completeFilter(text: string, files: readonly FileRecord[]): readonly Completion[] {
  const [, name = '', begun = ''] = VALUE.exec(text) ?? [];
  const column = findListedColumn(name);
  if (column !== undefined) return completeValue(text, column.name, begun, files);
  if (text.trim() === '') return listModalities(files).map((one) => completeModality('', one));
  const [, word = ''] = WORD.exec(text) ?? [];
  const before = text.slice(0, text.length - word.length);
  const isAfterCondition = before.trim() !== '' && readFilter(before).conditions.length > 0;
  if (isAfterCondition && !/\b(?:and|or|not)\s*$/i.test(before)) {
    return ['and', 'or']
      .filter((joint) => joint.startsWith(word.toLowerCase()) && /\s$/.test(before))
      .map((joint) => ({ title: joint, detail: '', text: `${before}${joint} ` }));
  }
  if (word === '') return [];
  const modalities = findModalities(word, files).map((one) => completeModality(before, one));
  return [...modalities, ...completeName(before, word)].slice(0, MOST_OFFERED);
}

function completeModality(before: string, { code, title, count }: ListedModality): Completion {
  const condition = `Modality=${writeText(code)}`;
  return { title: condition, detail: `${title} · ${formatCount(count, 'file')}`, text: before + condition };
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

function completeValue(text: string, name: string, begun: string, files: readonly FileRecord[]): readonly Completion[] {
  const { read } = findListedColumn(name)!;
  const wanted = begun.replace(/^'/, '').toLowerCase();
  const counts = new Map<string | number | boolean, number>();
  for (const file of files.slice(0, MOST_READ)) {
    const value = read(file);
    if (value !== null && String(value).toLowerCase().startsWith(wanted))
      counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const before = text.slice(0, text.length - begun.length);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_OFFERED)
    .map(([value, count]) => {
      const written = typeof value === 'string' ? writeText(value) : String(value);
      return { title: String(value), detail: formatCount(count, 'file'), text: before + written };
    })
    .filter((one) => one.text !== text);
}

function writeText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
