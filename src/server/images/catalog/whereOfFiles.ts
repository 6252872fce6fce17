import { type ParsedWhere, parseWhere } from '../../../shared/whereClause.ts';
import type { ElementPath } from '../../standard/dicom/elementPath.ts';
import type { ElementPlace } from '../../standard/dicom/pathPlan.ts';
import type { FileDescription } from './dicomFile.ts';
import { type IndexValue, readElement } from './elementColumns.ts';
import { findColumn, type IndexColumn } from './indexColumns.ts';

/** A condition on files, which are read for it. */
export type WhereOfFiles = {
  /** The elements that it needs. */
  readonly paths: readonly ElementPath[];
  readonly test: (file: FileDescription, find: FindElement) => boolean;
};

/** The places of an element in the header of a file. */
export type FindElement = (path: ElementPath) => readonly ElementPlace[];

/** Parses a condition on what the record of a file tells, and on any elements of files. */
export function parseWhereOfFiles(text: string): ParsedWhere {
  return parseWhere(text, (name) => {
    const found = findColumn(name);
    return found.ok ? found.column.name : undefined;
  });
}

/** The condition was parsed before. */
export function compileWhere(text: string): WhereOfFiles {
  const parsed = parseWhereOfFiles(text);
  if (!parsed.ok) throw new Error(parsed.message);
  const { columns: names, test } = parsed.where;
  const columns = names.flatMap((name) => {
    const found = findColumn(name);
    return found.ok ? [found.column] : [];
  });
  return {
    paths: columns.flatMap(({ path }) => path ?? []),
    test: (file, find) =>
      test(Object.fromEntries(columns.map((column) => [column.name, readColumn(column, file, find)]))) === true,
  };
}

export function readColumn(column: IndexColumn, file: FileDescription, find: FindElement): IndexValue {
  return column.path === undefined ? column.read(file) : readElement(column, find(column.path));
}
