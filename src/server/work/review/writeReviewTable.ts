import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReviewScheme } from '../../../shared/contract/review.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import { type FileColumn, type FileRow, type TableFormat, writeTableFile } from '../../images/tables/writeTableFile.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { Decisions } from './decisions.ts';
import type { ReviewOrder } from './reviewOrder.ts';
import { writeReviewParquetTask } from './reviewTasks.ts';
import type { ReviewUnits } from './reviewUnits.ts';
import type { Decision } from './verdictLine.ts';

export type ReviewTable = {
  readonly units: ReviewUnits;
  readonly order: ReviewOrder;
  readonly decisions: Decisions;
  readonly level: TableLevel;
  readonly scheme: ReviewScheme;
  /** Each has columns. */
  readonly readers: readonly string[];
  /** Whether units follow whose files are not open. */
  readonly hasClosed: boolean;
};

type Written = {
  readonly format: TableFormat;
  readonly createdBy: string;
  readonly signal: AbortSignal;
  readonly tasks: TaskRunner;
};

/** One row a unit: its UIDs, the number of its open files, and what each reader has said last. */
export async function* writeReviewTable(
  table: ReviewTable,
  { format, createdBy, signal, tasks }: Written,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const columns = listColumns(table);
  if (format !== 'parquet') return yield* writeTexts(table, { format, columns, createdBy, signal });
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTexts(table, { format: 'jsonl', columns, createdBy, signal })) pieces.push(piece);
  const lines = Buffer.concat(pieces);
  yield await tasks.run(writeReviewParquetTask, { lines, columns, createdBy }, { signal });
}

type Texts = Pick<Written, 'createdBy' | 'signal'> & {
  readonly format: 'csv' | 'jsonl';
  readonly columns: readonly FileColumn[];
};

async function* writeTexts(
  table: ReviewTable,
  { signal, ...options }: Texts,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for (const piece of writeTableFile(listRows(table), options)) {
    yield piece;
    await nextTurn();
    signal.throwIfAborted();
  }
}

function listColumns({ level, scheme, readers }: ReviewTable): readonly FileColumn[] {
  const ofReader = (reader: string): FileColumn[] => [
    { name: `verdict:${reader}`, type: 'STRING' },
    { name: `reasons:${reader}`, type: 'STRING' },
    ...scheme.scores.map(({ id }): FileColumn => ({ name: `score:${id}:${reader}`, type: 'INT32' })),
    { name: `comment:${reader}`, type: 'STRING' },
    { name: `shown_ms:${reader}`, type: 'DOUBLE' },
    { name: `at:${reader}`, type: 'STRING' },
  ];
  return [
    { name: 'StudyInstanceUID', type: 'STRING' },
    ...(level === 'study' ? [] : [{ name: 'SeriesInstanceUID', type: 'STRING' } as const]),
    ...(level === 'file' ? [{ name: 'SOPInstanceUID', type: 'STRING' } as const] : []),
    { name: 'files', type: 'INT32' },
    ...readers.flatMap(ofReader),
  ];
}

function* listRows(table: ReviewTable): Generator<FileRow, undefined> {
  const { units, order, decisions, hasClosed } = table;
  for (let position = 0; position < order.total; position += 1) yield toRow(order.at(position), table);
  if (!hasClosed) return undefined;
  for (const unit of decisions.units) if (units.count(unit) === 0) yield toRow(unit, table);
  return undefined;
}

function toRow(number: number, { units, decisions, level, scheme, readers }: ReviewTable): FileRow {
  const { study, series, instance } = units.unit(number);
  const ofReader = (decision: Decision | undefined) => [
    decision?.verdict ?? null,
    decision === undefined || decision.reasons.length === 0 ? null : decision.reasons.join('\\'),
    ...scheme.scores.map(({ id }) => {
      const score = decision?.scores[id];
      // Another scheme may have had other scores of this name.
      return score === undefined || !Number.isInteger(score) || Math.abs(score) >= 2 ** 31 ? null : score;
    }),
    decision === undefined || decision.comment === '' ? null : decision.comment,
    decision?.shownMs ?? null,
    decision?.at ?? null,
  ];
  return [
    study,
    ...(level === 'study' ? [] : [series]),
    ...(level === 'file' ? [instance] : []),
    units.count(number),
    ...readers.flatMap((reader) => ofReader(decisions.find(number, reader))),
  ];
}
