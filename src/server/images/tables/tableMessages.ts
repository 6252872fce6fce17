import type { NumberedReply, PieceReply } from '../../machine/workers/askedThread.ts';
import type { FileFacts } from '../catalog/fileNews.ts';
import type { PeopleColumnInfo, PeopleItem } from './peopleColumn.ts';
import type { ColumnFacts, HarvestedInfo, HarvestedValues } from './tableData.ts';
import type { PageQuery, RowsQuery, SummaryQuery } from './tableQuery.ts';
import type { TableFormat } from './writeTableFile.ts';

/** Messages to the thread that has the table, processed in order of arrival. */
export type TableThreadRequest = TableFacts | TableQuestion | { readonly kind: 'drop'; readonly answer: number };

export type TableFacts =
  /** The first message: from here on there are no files. `budgetBytes` is for all columns. */
  | { readonly kind: 'start'; readonly budgetBytes: number }
  | FileFacts
  | { readonly kind: 'columns'; readonly columns: readonly HarvestedInfo[] }
  | { readonly kind: 'people'; readonly info: PeopleColumnInfo; readonly items: readonly PeopleItem[] };

export type TableQuestion = { readonly answer: number } & (
  | ({ readonly kind: 'harvested' } & HarvestedValues)
  | { readonly kind: 'describe'; readonly names: readonly string[] }
  | { readonly kind: 'page'; readonly query: PageQuery }
  | { readonly kind: 'summary'; readonly query: SummaryQuery }
  /** Requests the files that a condition chooses. */
  | { readonly kind: 'choose'; readonly where: string }
  /** Requests the first piece of a file. */
  | ({ readonly kind: 'begin' } & WantedTableFile)
  | { readonly kind: 'continue' }
);

export type WantedTableFile = {
  readonly query: RowsQuery & { readonly columns: readonly string[] };
  readonly format: TableFormat;
  readonly createdBy: string;
};

/** The indices of the chosen files, ascending. */
export type ChosenReply = HeldReply & { readonly files: Uint32Array<ArrayBuffer> };

export type TableThreadReply = HeldReply | FactsReply | ChosenReply | JsonReply | PieceReply | FailedReply;

/** The values were taken; all columns take so many bytes. */
export type HeldReply = NumberedReply & { readonly bytes: number };
export type FactsReply = HeldReply & { readonly facts: readonly ColumnFacts[] };
/** Members of an object as JSON: the groups and rows, or the summaries. */
export type JsonReply = HeldReply & { readonly total: number; readonly members: Uint8Array<ArrayBuffer> };
/** The question has no answer: `column_gone` if a column has been forgotten meanwhile, `dropped` if nobody waits. */
export type FailedReply = NumberedReply & {
  readonly failure: 'column_gone' | 'too_many_groups' | 'dropped' | 'bug';
  readonly message: string;
};
