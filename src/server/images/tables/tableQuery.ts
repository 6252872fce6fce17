import type { TableLevel } from '../../../shared/tableLevel.ts';

/** A way to order rows. Rows without a value are last. */
export type SortStep = { readonly name: string; readonly isDescending: boolean };

/** Which rows of a table are wanted, in which order. All names are those of columns. */
export type RowsQuery = {
  readonly level: TableLevel;
  /** A condition on files. A series or study is chosen if one of its files is. */
  readonly where: string | undefined;
  readonly sort: readonly SortStep[];
  /** Rows with equal values of this column are together. */
  readonly group: string | undefined;
};

export type PageQuery = RowsQuery & {
  readonly columns: readonly string[];
  readonly offset: number;
  readonly limit: number;
};

export type SummaryQuery = Pick<RowsQuery, 'level' | 'where'> & { readonly columns: readonly string[] };
