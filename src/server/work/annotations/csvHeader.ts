import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { CSV_DIALECT, describeCsvError, RecordScanner } from '../../machine/workers/csvRecords.ts';

/** Positions of the columns that are read, counted from 0; other columns are ignored. */
export type CsvColumns = {
  readonly path: number;
  readonly coords: number;
  readonly count: number | undefined;
  readonly frames: number | undefined;
  /** As spelled in the file, in its order. */
  readonly names: readonly string[];
};

export type CsvHeader = {
  readonly columns: CsvColumns;
  /** Offset of the first byte after the header row. */
  readonly end: number;
};

type Refused = { readonly ok: false; readonly message: string };

/** Checks whether an annotation CSV can be imported, as far as its first row shows. The other rows are not read. */
export async function checkCsvHeader(path: string): Promise<{ readonly ok: true } | Refused> {
  const opened = await openCsv(path);
  if (!opened.ok) return opened;
  try {
    const read = await readCsvHeader(opened.file, path);
    return read.ok ? { ok: true } : read;
  } finally {
    await opened.file.close();
  }
}

/**
 * Opens the file for reading. A pipe is refused, because the file is read twice: the header now, the rows after the
 * scan.
 */
export async function openCsv(path: string): Promise<{ readonly ok: true; readonly file: FileHandle } | Refused> {
  let file: FileHandle;
  try {
    // Without O_NONBLOCK, opening a pipe would block until a process writes to it.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return { ok: false, message: `${path}: cannot be opened (${errorCode(error)})` };
  }
  const stats = await file.stat();
  if (stats.isFile()) return { ok: true, file };
  await file.close();
  return { ok: false, message: `${path}: is not a regular file` };
}

export async function readCsvHeader(
  file: FileHandle,
  path: string,
): Promise<{ readonly ok: true; readonly header: CsvHeader } | Refused> {
  try {
    const first = await readFirstRecord(file);
    const columns = findColumns(first.cells);
    return { ok: true, header: { columns, end: first.end } };
  } catch (error) {
    if (error instanceof HeaderRefused) return { ok: false, message: `${path}: ${error.message}` };
    if (error instanceof CsvError)
      return { ok: false, message: `${path}: the header has ${describeCsvError(error.code)}` };
    return { ok: false, message: `${path}: cannot be read (${errorCode(error)})` };
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error);
}

class HeaderRefused extends Error {}

const UTF8_BOM = Buffer.of(0xef, 0xbb, 0xbf);
const STEP_BYTES = 64 * 2 ** 10;
const MAX_HEADER_BYTES = 2 ** 20;

async function readFirstRecord(file: FileHandle): Promise<{ cells: readonly string[]; end: number }> {
  const scanner = new RecordScanner();
  let bytes = Buffer.alloc(0);
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(STEP_BYTES), 0, STEP_BYTES, bytes.length);
    const isWhole = bytesRead === 0;
    bytes = Buffer.concat([bytes, buffer.subarray(0, bytesRead)]);
    if (isUtf16(bytes)) throw new HeaderRefused('is UTF-16 text; save it as UTF-8');
    let start = bytes.subarray(0, UTF8_BOM.length).equals(UTF8_BOM) ? UTF8_BOM.length : 0;
    let state = scanner.scan(bytes, start, isWhole);
    while (state === 'blank' && start < bytes.length) {
      start = scanner.end;
      state = scanner.scan(bytes, start, isWhole);
    }
    if (state === 'blank') throw new HeaderRefused('is empty: its first row must name the columns');
    if (state === 'unfinished') {
      if (bytes.length > MAX_HEADER_BYTES)
        throw new HeaderRefused('has a first row of more than 1 MiB; is it a CSV file?');
      continue;
    }
    // For an irregular or unclosed row, the parser reports what is wrong.
    const row = state === 'record' ? bytes.subarray(start, scanner.end) : bytes.subarray(start);
    const [cells = []] = parse(row, { ...CSV_DIALECT, to: 1 });
    return { cells, end: scanner.end };
  }
}

function isUtf16(bytes: Buffer): boolean {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  return mark === 0xfffe || mark === 0xfeff;
}

function findColumns(names: readonly string[]): CsvColumns {
  const broken = names.findIndex((name) => name.includes('\0'));
  if (broken !== -1)
    throw new HeaderRefused(`has a NUL byte in column ${broken + 1} of its header; it must be text in UTF-8`);
  return {
    path: requireColumn(names, 'anon_dicom_path'),
    coords: requireColumn(names, 'ROI_coords'),
    count: findColumn(names, 'num_ROI'),
    frames: findColumn(names, 'ROI_frames'),
    names,
  };
}

function requireColumn(names: readonly string[], name: string): number {
  const position = findColumn(names, name);
  if (position !== undefined) return position;
  const found = names.map((column) => JSON.stringify(column)).join(', ');
  const hint = names.length === 1 && /[;\t]/.test(found) ? '; cells must be separated by commas' : '';
  throw new HeaderRefused(`the header has no column ${name}; it has ${found.slice(0, 1_000)}${hint}`);
}

function findColumn(names: readonly string[], name: string): number | undefined {
  const position = names.indexOf(name);
  if (position === -1) return undefined;
  const second = names.indexOf(name, position + 1);
  if (second === -1) return position;
  throw new HeaderRefused(`the header has the column ${name} twice, in positions ${position + 1} and ${second + 1}`);
}
