import type { FileRecord } from '../../../shared/contract/files.ts';
import { listFields } from '../../../shared/contract/fileFields.ts';
import { containsText, findFilterField } from '../../../shared/fileFilter.ts';
import { parseWhere } from '../../../shared/whereClause.ts';
import { findNearestName } from './findNearestName.ts';
import { COLUMN_NAMES, findListedColumn, LISTED_COLUMNS, type ListedColumn } from './listedColumns.ts';

/** One of the conditions that a file must meet. */
export type FileCondition = {
  /** As it is said if it excludes all files. */
  readonly text: string;
  readonly columns: readonly ListedColumn[];
  readonly test: (file: FileRecord) => boolean;
};

/** What is typed above the list of files. */
export type FileFilter = {
  readonly conditions: readonly FileCondition[];
  /** All of them must be somewhere in what describes a file. */
  readonly words: string;
  /** Why it is no condition, although it looks like one. Its words are then searched for. */
  readonly problem?: string;
};

const COMPARISON = /[=<>]|\b(?:like|between|in|is)\b/i;
/** `NAME=VALUE`, as `--filter` takes it. */
const PIECE = /(?:^|\s)([A-Za-z_]\w*)=('[^']*'|[^\s'=<>]\S*)(?=\s|$)/g;

/** Reads a condition as `--where` takes it, `NAME=VALUE` as `--filter` does, and plain words. */
export function readFilter(text: string): FileFilter {
  if (!COMPARISON.test(text)) return { conditions: [], words: text };
  const parsed = parseWhere(text, COLUMN_NAMES);
  if (parsed.ok && parsed.where.columns.length > 0) {
    const conditions = parsed.where.parts.map(({ text: said, columns, test }): FileCondition => {
      const found = columns.map((name) => ({ name, column: findListedColumn(name)! }));
      const rowOf = (file: FileRecord) =>
        Object.fromEntries(found.map(({ name, column }) => [name, column.read(file)]));
      return {
        text: `with ${said}`,
        columns: found.map(({ column }) => column),
        test: (file) => test(rowOf(file)) === true,
      };
    });
    return { conditions, words: '' };
  }
  const conditions: FileCondition[] = [];
  const words = text.replaceAll(PIECE, (piece, name: string, value: string) => {
    const condition = containing(name, value.replace(/^'(.*)'$/, '$1'));
    if (condition !== undefined) conditions.push(condition);
    return condition === undefined ? piece : ' ';
  });
  if (conditions.length > 0 && !/[=<>]/.test(words)) return { conditions, words: words.trim() };
  if (parsed.ok || !/[=<>]/.test(text)) return { conditions: [], words: text };
  const { unknown, message } = parsed;
  return { conditions: [], words: text, problem: unknown === undefined ? `${message}.` : nameUnknown(unknown, text) };
}

function containing(name: string, value: string): FileCondition | undefined {
  const field = findFilterField(name);
  const wireName = listFields().find((one) => one.name === field)?.wireName;
  const column = findListedColumn(name);
  if (wireName === undefined || column === undefined) return undefined;
  const wanted = value.toLowerCase();
  return {
    text: `whose ${column.name} contains “${value}”`,
    columns: [column],
    test: (file) => containsText(Reflect.get(file, wireName) ?? '', wanted),
  };
}

function nameUnknown(unknown: string, text: string): string {
  if (new RegExp(`[=<>]\\s*${unknown.replaceAll(/\W/g, '.')}`).test(text))
    return `write texts in quotes: '${unknown}'.`;
  const nearest = findNearestName(unknown, COLUMN_NAMES);
  const known = nearest === undefined ? undefined : findListedColumn(nearest)?.name;
  const others = LISTED_COLUMNS.filter(({ name }) => /^[A-Z]/.test(name))
    .slice(0, 3)
    .map(({ name }) => name);
  return known === undefined
    ? `the list does not know ${unknown}; it knows ${others.join(', ')} and more.`
    : `the list does not know ${unknown}; did you mean ${known}?`;
}
