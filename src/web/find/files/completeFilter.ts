import type { FileRecord } from '../../../shared/contract/files.ts';
import { formatCount } from '../../show/series/describeFile.ts';
import { readFilter } from './readFilter.ts';
import { findListedColumn, LISTED_COLUMNS } from './listedColumns.ts';

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
const NAME = /(?:^|[\s(])([A-Za-z_]\w*)$/;

/** Names and values that begin with what is typed last, and the words that join conditions. */
export function completeFilter(text: string, files: readonly FileRecord[]): readonly Completion[] {
  const [, name = '', begun = ''] = VALUE.exec(text) ?? [];
  const column = findListedColumn(name);
  if (column !== undefined) return completeValue(text, column.name, begun, files);
  const [, word = ''] = NAME.exec(text) ?? [];
  const before = text.slice(0, text.length - word.length);
  const isAfterCondition = before.trim() !== '' && readFilter(before).conditions.length > 0;
  if (isAfterCondition && !/\b(?:and|or|not)\s*$/i.test(before)) {
    return ['and', 'or']
      .filter((joint) => joint.startsWith(word.toLowerCase()) && /\s$/.test(before))
      .map((joint) => ({ title: joint, detail: '', text: `${before}${joint} ` }));
  }
  return word === '' ? [] : completeName(before, word);
}

function completeName(before: string, word: string): readonly Completion[] {
  const wanted = word.toLowerCase();
  const begins = (name: string) => name.toLowerCase().startsWith(wanted);
  return LISTED_COLUMNS.filter(({ name, aliases }) => [name, ...aliases].some(begins))
    .slice(0, MOST_OFFERED)
    .map(({ name, isText }) => ({ title: name, detail: isText ? 'text' : 'number', text: `${before}${name}=` }));
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
      const written = typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
      return { title: String(value), detail: formatCount(count, 'file'), text: before + written };
    })
    .filter((one) => one.text !== text);
}
