import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { type AnnotationField, checkAnnotation, type ImageBounds } from '../../../shared/annotations.ts';
import type { AnnotationPayload } from '../../../shared/contract/annotations.ts';
import { parseJson } from '../../machine/workers/parseJson.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { unpackTargets } from './roiTargets.ts';
import type { ImportInput, ImportResult } from './annotationTasks.ts';
import { type CsvColumns, type CsvHeader, errorCode, openCsv, readCsvHeader } from './csvHeader.ts';
import { CSV_DIALECT, describeCsvError } from '../../machine/workers/csvRecords.ts';
import { type ImportedAnnotations, packAnnotations } from './packedRois.ts';
import { createPathMatcher } from './pathMatcher.ts';
import { createRowSieve } from './rowSieve.ts';

const CHUNK_BYTES = 256 * 2 ** 10;

/** Reads the rows of the open files in one pass. If one of these rows is invalid, the whole CSV is refused. */
export async function importCsv(input: ImportInput, context: TaskContext): Promise<ImportResult> {
  const opened = await openCsv(input.csvPath);
  if (!opened.ok) return opened;
  try {
    const state = await readState(opened.file);
    const read = await readCsvHeader(opened.file, input.csvPath);
    const result = read.ok ? await importRows(opened.file, read.header, input, context) : read;
    // A mixture of two versions of the file may look like a valid CSV, and an error about the mixture would not help
    // the user.
    if ((await readState(opened.file)) === state) return result;
    return { ok: false, message: `${input.csvPath}: was changed while it was being read` };
  } finally {
    await opened.file.close();
  }
}

/** Possible granularity of file timestamps: a change within this time may not show. */
const CLOCK_STEP_MS = 20;

/** Differs after every change of the content. */
async function readState(file: FileHandle): Promise<string> {
  const { mtimeMs } = await file.stat();
  if (Math.abs(Date.now() - mtimeMs) < CLOCK_STEP_MS) await wait(CLOCK_STEP_MS);
  const { size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
  return `${size} ${mtimeNs} ${ctimeNs}`;
}

async function importRows(
  file: FileHandle,
  { columns, end }: CsvHeader,
  { csvPath, startDirectory, files: packed }: ImportInput,
  context: TaskContext,
): Promise<ImportResult> {
  const files = unpackTargets(packed);
  const findFile = createPathMatcher(files, startDirectory);
  const sieve = createRowSieve({
    start: end,
    cell: columns.path,
    isWanted: (path) => findFile(path) !== undefined,
  });
  const payloads = new Map<number, AnnotationPayload>();
  let unmatched = 0;
  /** Offset in the output of the sieve. */
  let rowStart = 0;

  const takeRow = (cells: string[], rowEnd: number): void => {
    const path = cells[columns.path] ?? '';
    const index = findFile(path);
    const bounds = index === undefined ? undefined : files[index];
    if (index === undefined || bounds === undefined) {
      unmatched += 1;
    } else {
      refuseNul(cells, columns.names);
      if (payloads.has(index)) throw new InvalidRow('anon_dicom_path', `a second row for ${bounds.path}`);
      payloads.set(index, parseRow(cells, columns, bounds));
    }
    rowStart = rowEnd;
  };

  const parser = parse({
    ...CSV_DIALECT,
    on_record: (cells, { bytes }) => {
      takeRow(cells, bytes);
      return null;
    },
  });
  // Nothing is read from the parser, but its stream only ends when it flows.
  parser.resume();
  try {
    await pipeline(sieve.sift(readChunks(file, end, context)), parser);
  } catch (error) {
    context.throwIfCancelled();
    const reason = rowFault(error, columns.names);
    if (reason === undefined) return { ok: false, message: `${csvPath}: cannot be read (${errorCode(error)})` };
    const line = await countLines(file, sieve.fileOffset(rowStart));
    return { ok: false, message: `${csvPath}: line ${line}, column ${reason.column}: ${reason.message}` };
  }
  return {
    ok: true,
    annotations: moved(packAnnotations(payloads), context),
    unmatchedRows: unmatched + sieve.leftOut(),
  };
}

/** All chunks share the same memory. */
async function* readChunks(file: FileHandle, start: number, context: TaskContext): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = start; ;) {
    context.throwIfCancelled();
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function refuseNul(cells: readonly string[], names: readonly string[]): void {
  const cell = cells.findIndex((text) => text.includes('\0'));
  if (cell !== -1) throw new InvalidRow(columnName(names, cell), 'a NUL byte; the file must be text in UTF-8');
}

function rowFault(error: unknown, names: readonly string[]): { column: string; message: string } | undefined {
  if (error instanceof InvalidRow) return error;
  if (!(error instanceof CsvError)) return undefined;
  // Without configured columns, the parser's column is the number of preceding cells.
  const cell = typeof error['column'] === 'number' ? error['column'] : 0;
  return { column: columnName(names, cell), message: describeCsvError(error.code) };
}

function columnName(names: readonly string[], cell: number): string {
  return names[cell] ?? String(cell + 1);
}

function moved(annotations: ImportedAnnotations, { transfer }: TaskContext): ImportedAnnotations {
  return {
    fileIndices: transfer(annotations.fileIndices),
    boxStarts: transfer(annotations.boxStarts),
    coords: transfer(annotations.coords),
    frameStarts: transfer(annotations.frameStarts),
    frames: transfer(annotations.frames),
  };
}

/** A row of an open file that cannot be imported. */
class InvalidRow extends Error {
  readonly column: string;

  constructor(column: string, message: string) {
    super(message);
    this.column = column;
  }
}

const COLUMN_OF = {
  num_roi: 'num_ROI',
  roi_coords: 'ROI_coords',
  roi_frames: 'ROI_frames',
} as const satisfies Record<AnnotationField, string>;

/** The ROIs that a row declares for an image with these bounds. Throws InvalidRow. */
function parseRow(cells: readonly string[], columns: CsvColumns, bounds: ImageBounds): AnnotationPayload {
  const { names } = columns;
  if (cells.length !== names.length) {
    const hint = cells.length > names.length ? '; JSON cells must be quoted' : '';
    const column = names[Math.min(cells.length, names.length - 1)] ?? COLUMN_OF.roi_coords;
    throw new InvalidRow(column, `the row has ${cells.length} cells, but the header has ${names.length}${hint}`);
  }
  const coords = parseCell(cells[columns.coords] ?? '', COLUMN_OF.roi_coords);
  const framesText = textAt(cells, columns.frames);
  const countText = textAt(cells, columns.count);
  const checked = checkAnnotation(
    {
      num_roi: countText === '' ? (Array.isArray(coords) ? coords.length : 0) : parseCount(countText),
      roi_coords: coords,
      roi_frames: framesText === '' ? [] : parseCell(framesText, COLUMN_OF.roi_frames),
    },
    bounds,
  );
  if (checked.ok) return checked.payload;
  throw new InvalidRow(COLUMN_OF[checked.problem.field ?? 'roi_coords'], checked.problem.message);
}

/** Empty if the CSV has no such column. */
function textAt(cells: readonly string[], position: number | undefined): string {
  return position === undefined ? '' : (cells[position] ?? '').trim();
}

/** Accepts `2.0` too, because spreadsheet and table tools write it for a column that has gaps elsewhere. */
function parseCount(text: string): number {
  if (/^\d{1,9}(\.0*)?$/.test(text)) return Number(text);
  throw new InvalidRow(COLUMN_OF.num_roi, `${excerpt(text)} is not a count`);
}

function parseCell(text: string, column: string): unknown {
  if (text.trim() === '') throw new InvalidRow(column, 'is empty; write [] for no ROIs');
  try {
    return parseJson(text);
  } catch {
    throw new InvalidRow(column, `${excerpt(text)} is not JSON`);
  }
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

const CR = 0x0d;
const LF = 0x0a;

/**
 * The line number, counted from 1 as in editors, of the first row at or after this offset, which is the start of a
 * line. The file is read again for this, only to report a failure, because counting during the single pass over
 * millions of rows would cost more.
 */
async function countLines(file: FileHandle, offset: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let line = 1;
  let previous = 0;
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return line;
    for (const byte of buffer.subarray(0, bytesRead)) {
      if (position >= offset && byte !== CR && byte !== LF) return line;
      if (byte === CR || (byte === LF && previous !== CR)) line += 1;
      previous = byte;
      position += 1;
    }
  }
}
