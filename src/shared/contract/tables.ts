import { type Static, Type, nullable } from './schema.ts';
import { TABLE_LEVELS } from '../tableLevel.ts';

/** Columns that can be read from files at a time. */
export const MOST_COLUMNS = 200;
/** Rows of one page. */
export const MOST_PAGE_ROWS = 1_000;
/** Of `where`. */
const LONGEST_CONDITION = 10_000;
const LONGEST_NAMES = 32_768;

const CellValue = nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()]));
const Present = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

export const WireTableColumn = Type.Object({
  /** By which conditions and queries name it: a DICOM keyword, a path through sequences, a private element. */
  name: Type.String(),
  /** The name of the element in the standard. */
  title: Type.String(),
  /** Null for what is no element. */
  path: nullable(Type.String()),
  /** Null for an element whose tag differs from file to file, too. */
  tag: nullable(Type.String()),
  /** Null if each file says its own. */
  vr: nullable(Type.String()),
  kind: Type.Enum(['text', 'number', 'flag']),
  /** `scan`: what the list of files tells. `header`: read from the files for the table. `people`: what users have made. */
  origin: Type.Enum(['scan', 'header', 'people']),
  /** Shown if nobody has chosen columns. */
  is_usual: Type.Boolean(),
  state: Type.Enum(['ready', 'harvesting', 'failed']),
  /** Why it has failed, or how many files could not be read. */
  problem: nullable(Type.String()),
  /** Files that were read for it. */
  done: Type.Integer(),
  /** Files with a value. Null while that was not counted, because there are very many files. */
  filled: nullable(Type.Integer()),
  /** Files. */
  total: Type.Integer(),
  /** Number of different values. Null above 1,000, and while that was not counted. */
  distinct: nullable(Type.Integer()),
});
export type WireTableColumn = Static<typeof WireTableColumn>;

export const ColumnsResponse = Type.Object({
  /** Grows with every change of the table. */
  revision: Type.Integer(),
  columns: Type.Array(WireTableColumn),
});
export type ColumnsResponse = Static<typeof ColumnsResponse>;

/** All columns that are wanted from files. Those that were there before and are not named are forgotten. */
export const ColumnsBody = Type.Object({ paths: Type.Array(Type.String()) });
export type ColumnsBody = Static<typeof ColumnsBody>;

const CHOICE = {
  /** What a row is. */
  level: Type.Optional(Type.Enum([...TABLE_LEVELS], { default: 'file' })),
  /** Names separated by commas; by default the usual ones. A name with commas of its own stands in double quotes. */
  columns: Type.Optional(
    Type.String({ minLength: 1, maxLength: LONGEST_NAMES, examples: ['Modality,InstanceNumber', '*'] }),
  ),
  /** A condition on files, as `--where` has it. A series or study is chosen if one of its files is. */
  where: Type.Optional(
    Type.String({ minLength: 1, maxLength: LONGEST_CONDITION, examples: ["Modality = 'MR' and InstanceNumber < 10"] }),
  ),
  /** 1: with columns of which only some files were read. */
  partial: Type.Optional(Type.Enum(['1'])),
};

const ORDER = {
  /** Names separated by commas; downwards with a minus before the name. Rows without a value are last. */
  sort: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_NAMES, examples: ['-Modality,InstanceNumber'] })),
  /** Rows with equal values of this column are together, before `sort`. */
  group: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_NAMES, examples: ['Modality'] })),
};

export const TableQuery = Type.Object({
  ...CHOICE,
  ...ORDER,
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 })),
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_PAGE_ROWS })),
});
export type TableQuery = Static<typeof TableQuery>;

export const TableFileQuery = Type.Object({ ...CHOICE, ...ORDER });
export type TableFileQuery = Static<typeof TableFileQuery>;

export const TableSummaryQuery = Type.Object(CHOICE);
export type TableSummaryQuery = Static<typeof TableSummaryQuery>;

/** A value, or how values differ among the files of a row. */
export const WireTableCell = Type.Union([
  CellValue,
  Type.Object({
    /** Number of different values: 1 if some files have none. */
    distinct: Type.Integer(),
    min: Present,
    max: Present,
    /** Whether some files of the row have no value. */
    is_missing: Type.Boolean(),
  }),
]);
export type WireTableCell = Static<typeof WireTableCell>;

export const WireTableRow = Type.Object({
  /** Of a file its path, of a series its id in /series, of a study its UID. */
  id: Type.String(),
  /** The file that opens it. */
  file: Type.Integer(),
  files: Type.Integer(),
  /** Null for a file without a Series Instance UID. */
  series: nullable(Type.String()),
  study: nullable(Type.String()),
  /** In the order of `columns`. */
  cells: Type.Array(WireTableCell),
});
export type WireTableRow = Static<typeof WireTableRow>;

export const WireTableGroup = Type.Object({
  value: CellValue,
  /** The rows whose files have several values; `value` is null. */
  is_varying: Type.Boolean(),
  count: Type.Integer(),
});
export type WireTableGroup = Static<typeof WireTableGroup>;

export const TableResponse = Type.Object({
  revision: Type.Integer(),
  level: Type.Enum([...TABLE_LEVELS]),
  /** Rows that were chosen. */
  total: Type.Integer(),
  /** Whether all files were found, and read for all columns of the query. */
  is_complete: Type.Boolean(),
  columns: Type.Array(Type.String()),
  /** With `group`: all groups in the order of the rows. */
  groups: nullable(Type.Array(WireTableGroup)),
  rows: Type.Array(WireTableRow),
});
export type TableResponse = Static<typeof TableResponse>;

export const ColumnSummary = Type.Object({
  name: Type.String(),
  /** Rows in which a file has no value: those that `IS NULL` chooses. */
  empty: Type.Integer(),
  /** Rows whose files differ. */
  varying: Type.Integer(),
  /** The values, the most frequent first, each with the number of rows in which a file has it; null above 50 values. */
  values: nullable(Type.Array(Type.Object({ value: Present, count: Type.Integer() }))),
  /** Of numbers with more values: 40 bins of equal width from `min` to `max`. */
  histogram: nullable(Type.Object({ min: Type.Number(), max: Type.Number(), counts: Type.Array(Type.Integer()) })),
});
export type ColumnSummary = Static<typeof ColumnSummary>;

export const TableSummaryResponse = Type.Object({
  revision: Type.Integer(),
  total: Type.Integer(),
  is_complete: Type.Boolean(),
  columns: Type.Array(ColumnSummary),
});
export type TableSummaryResponse = Static<typeof TableSummaryResponse>;
