import type { FileRecord } from '../../../shared/contract/files.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';
import { type Sliced, visitInSlices } from '../../kit/ui/runInSlices.ts';
import { findFiles, toWords } from '../../show/series/filterFiles.ts';
import { type FileCondition, type FileFilter, readFilter } from './readFilter.ts';
import type { ListedColumn } from './listedColumns.ts';

export type FilteredFiles = {
  readonly files: readonly FileRecord[];
  /** Why there is none, or why what was typed is no condition. */
  readonly note?: string | undefined;
};

/** The files that pass what was typed. All files, if it only looks like a condition and no file has its words. */
export function* findByFilter(all: readonly FileRecord[], text: string): Sliced<FilteredFiles> {
  const filter = readFilter(text);
  const { conditions, words, problem } = filter;
  const met = conditions.length === 0 ? all : yield* filterInSlices(all, conditions);
  const files = yield* findFiles(met, words);
  if (files.length > 0 || all.length === 0) return { files };
  if (problem !== undefined) return { files: all, note: `${text.trim()}: ${problem}` };
  return { files, note: yield* explainEmpty(all, filter) };
}

function* filterInSlices(
  files: readonly FileRecord[],
  conditions: readonly FileCondition[],
): Sliced<readonly FileRecord[]> {
  const found: FileRecord[] = [];
  yield* visitInSlices(files, (file) => {
    if (conditions.every(({ test }) => test(file))) found.push(file);
  });
  return found;
}

/** The first condition, or word, that no file meets. */
function* explainEmpty(all: readonly FileRecord[], { conditions, words }: FileFilter): Sliced<string> {
  for (const condition of conditions) {
    if ((yield* filterInSlices(all, [condition])).length > 0) continue;
    const [column, second] = condition.columns;
    const known = column === undefined || second !== undefined ? '.' : `: ${yield* describeValues(all, column)}.`;
    return `No file ${condition.text}${known}`;
  }
  for (const word of toWords(words)) {
    if ((yield* findFiles(all, word)).length === 0) return `No file has “${word}”.`;
  }
  return 'Some files meet each condition, but none meets all of them.';
}

/** Values that there is room to name. */
const MOST_NAMED = 6;

function* describeValues(files: readonly FileRecord[], { name, read }: ListedColumn): Sliced<string> {
  const values = new Set<string>();
  let [low, high] = [Infinity, -Infinity];
  yield* visitInSlices(files, (file) => {
    const value = read(file);
    if (typeof value === 'number') [low, high] = [Math.min(low, value), Math.max(high, value)];
    else if (value !== null && values.size <= MOST_NAMED) values.add(String(value));
  });
  if (low < high) return `${name} is between ${writeNumber(low)} and ${writeNumber(high)}`;
  if (low === high) return `${name} is ${writeNumber(low)}`;
  if (values.size === 0) return `no file has ${name}`;
  const named = [...values].toSorted().slice(0, MOST_NAMED).join(', ');
  return values.size > MOST_NAMED ? `${name} is ${named} and others` : `${name} is ${named}`;
}

function writeNumber(value: number): string {
  return Number.isInteger(value) ? groupDigits(value) : String(value);
}
