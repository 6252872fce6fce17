import { type FileRow, writeTableFile } from '../../images/tables/writeTableFile.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import type { ReviewParquetInput } from './reviewTasks.ts';

/** The handler of `writeReviewParquetTask`. */
export function writeReviewParquet(
  { lines, columns, createdBy }: ReviewParquetInput,
  { transfer, throwIfCancelled }: Pick<TaskContext, 'transfer' | 'throwIfCancelled'>,
): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  for (const piece of writeTableFile(readRows(lines), { format: 'parquet', columns, createdBy })) {
    throwIfCancelled();
    pieces.push(piece);
  }
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return transfer(bytes);
}

function* readRows(lines: Uint8Array): Generator<FileRow, undefined> {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  for (let start = 0; start < text.length;) {
    const end = text.indexOf(LINE_FEED, start);
    const row: Readonly<Record<string, FileRow[number]>> = JSON.parse(text.toString('utf8', start, end));
    yield Object.values(row);
    start = end + 1;
  }
  return undefined;
}

const LINE_FEED = 0x0a;
