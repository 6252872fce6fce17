import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { listStoredColumns, listValues, readStoredColumns, withTable } from '../../images/catalog/parquetTable.ts';
import { CSV_DIALECT, describeCsvError } from '../../machine/workers/csvRecords.ts';
import { parseJson } from '../../machine/workers/parseJson.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { readTextLines } from '../journal/readTextLines.ts';
import { NoScores, ScoreCollector } from './collectScores.ts';
import type { ReadScores, ReadScoresInput, ReadScoresResult } from './scoreTasks.ts';

type Context = Pick<TaskContext, 'throwIfCancelled'>;

/** Texts: half a million long rows. */
const MOST_BYTES = 2 ** 29;
const LONGEST_LINE = 2 ** 16;
const ROWS_AT_ONCE = 8_192;
/** Of a Parquet file: a group, which mostly has some 100,000 rows, is unpacked again for each part of it. */
const GROUP_PART_ROWS = 2 ** 17;
const MOST_ROWS_OF_GROUP = 2 ** 20;

/** Implements `readScoresTask`. The form of the file is told by its first bytes. */
export async function readScores({ path, source }: ReadScoresInput, context: Context): Promise<ReadScoresResult> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new NoScores('it is not a regular file');
      if (stats.size > MOST_BYTES) throw new NoScores(`it has more than ${MOST_BYTES / 2 ** 20} MiB`);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
      const start = buffer.toString('latin1', 0, bytesRead);
      const scores = start === 'PAR1' ? await readParquet(source, context) : await readText(file, start, context);
      return { ok: true, scores };
    } finally {
      await file.close();
    }
  } catch (error) {
    context.throwIfCancelled();
    return { ok: false, message: explain(error) };
  }
}

function explain(error: unknown): string {
  if (error instanceof CsvError) return `line ${Number(error['lines'] ?? 1)}: ${describeCsvError(error.code)}`;
  // Messages of the system name the path.
  if (error instanceof Error && 'code' in error && !(error instanceof ViewerError)) {
    return `it cannot be read (${String(error.code)})`;
  }
  return error instanceof Error ? error.message : String(error);
}

function readText(file: FileHandle, start: string, context: Context): Promise<ReadScores> {
  return start.startsWith('{') ? readLines(file, context) : readCsv(file, context);
}

async function readCsv(file: FileHandle, { throwIfCancelled }: Context): Promise<ReadScores> {
  let collector: ScoreCollector | undefined;
  let width = 0;
  let rows = 1;
  const parser = parse({
    ...CSV_DIALECT,
    bom: true,
    on_record(cells: string[]) {
      if (rows % ROWS_AT_ONCE === 0) throwIfCancelled();
      if (collector === undefined) {
        collector = new ScoreCollector(cells);
        width = cells.length;
      } else {
        rows += 1;
        if (cells.length !== width) {
          throw new NoScores(`row ${rows} has ${cells.length} cells, but the header has ${width}`);
        }
        collector.add((column) => cells[column]);
      }
      return null;
    },
  });
  // Nothing is read from the parser, but its stream only ends when it flows.
  parser.resume();
  await pipeline(Readable.from(readChunks(file)), parser);
  if (collector === undefined) throw new NoScores('it is empty');
  return collector.finish();
}

const CHUNK_BYTES = 2 ** 18;

async function* readChunks(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function readLines(file: FileHandle, { throwIfCancelled }: Context): Promise<ReadScores> {
  let collector: ScoreCollector | undefined;
  let names: readonly string[] = [];
  for await (const { number, text } of readTextLines(file, { longestBytes: LONGEST_LINE, mostBytes: MOST_BYTES })) {
    if (number % ROWS_AT_ONCE === 0) throwIfCancelled();
    if (text?.trim() === '') continue;
    const row = text === undefined ? undefined : parseLine(text);
    if (row === undefined) throw new NoScores(`line ${number} is no row in JSON`);
    if (collector === undefined) {
      names = Object.keys(row);
      collector = new ScoreCollector(names);
    }
    collector.add((column) => row[names[column]!]);
  }
  if (collector === undefined) throw new NoScores('it is empty');
  return collector.finish();
}

function parseLine(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member is checked when it is read
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof ViewerError) return undefined;
    throw error;
  }
}

function readParquet(source: ReadScoresInput['source'], { throwIfCancelled }: Context): Promise<ReadScores> {
  return withTable(source, async (table) => {
    const names = listStoredColumns(table.footer.schema);
    const collector = new ScoreCollector(names);
    const wanted = collector.listColumns().map((at) => names[at]!);
    let start = 0;
    for (const rows of table.footer.groupRows) {
      if (!(Number.isSafeInteger(rows) && rows >= 0 && rows <= MOST_ROWS_OF_GROUP)) {
        throw new NoScores(`a row group has more than ${MOST_ROWS_OF_GROUP} rows`);
      }
      const end = start + rows;
      for (let from = start; from < end; from += GROUP_PART_ROWS) {
        throwIfCancelled();
        const span = { from, to: Math.min(from + GROUP_PART_ROWS, end) };
        const columns = await readStoredColumns(table, wanted, span);
        const values = names.map((name) => listValues(columns, name, span));
        for (let row = 0; row < span.to - span.from; row += 1) collector.add((column) => values[column]?.[row]);
      }
      start = end;
    }
    return collector.finish();
  });
}
