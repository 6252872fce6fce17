import { isMask } from '../../../../../shared/markTraits.ts';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { ViewerError } from '../../../../../shared/contract/errors.ts';
import type { MarkPlace } from '../../../../../shared/contract/marks.ts';
import { formatCsvLine } from '../../../../../shared/csvCell.ts';
import { parseJson } from '../../../../machine/workers/parseJson.ts';
import { CSV_DIALECT, describeCsvError, RecordScanner } from '../../../../machine/workers/csvRecords.ts';
import { listSlices } from '../../markContent.ts';
import { countMaskPixels } from '../../../../../shared/maskRuns.ts';
import { type Quantity, type QuantityName, toArea } from '../../../../../shared/markMeasures.ts';
import type { Scale } from '../../../../../shared/pixelScale.ts';
import { drawnVolumeMl } from '../drawnVolume.ts';
import {
  caveatsOfOutline,
  cornersOfMask,
  listPoints,
  measureOutline,
  scaleOfMark,
  toPatient,
} from '../formatShapes.ts';
import type { MarkedFile, MarkToWrite, WriteFormatInput } from '../formatTasks.ts';
import { type FormatReading, MOST_IN_FORMAT, tooManyMarks, toTimeMs, toWord } from '../formatReading.ts';

export { readCsv as read, writeMarkCsv as write };

/** The columns, in order. One row is one mark, or what a mark through a stack has on one frame. */
const COLUMNS = [
  'uid',
  'kind',
  'place',
  'label',
  'class',
  'class_title',
  'text',
  'comment',
  'author',
  'locked',
  'created',
  'modified',
  'study_instance_uid',
  'series_instance_uid',
  'sop_instance_uid',
  'frame_number',
  'file',
  'points_px',
  'mask',
  'place_details',
  'length_mm',
  'short_axis_mm',
  'angle_degrees',
  'area_px',
  'area_mm2',
  'volume_ml',
  'points_mm',
  'spacing_source',
  'length_px',
  'short_axis_px',
  'caveat',
  'time_s',
  'velocity_cm_s',
  'distance_mm',
  'frequency_hz',
  'velocity_time_integral_cm',
] as const;
type Column = (typeof COLUMNS)[number];
type Row = Readonly<Partial<Record<Column, string>>>;

/** The rows of marks. */
function* writeMarkCsv({ marks, files, isFirst }: WriteFormatInput): Generator<string> {
  if (isFirst) yield formatCsvLine(COLUMNS);
  for (const mark of marks) {
    for (const row of listRows(mark, files)) yield formatCsvLine(COLUMNS.map((column) => row[column] ?? ''));
  }
}

function* listRows(mark: MarkToWrite, files: readonly MarkedFile[]): Generator<Row> {
  const { content, uid, createdAtMs, modifiedAtMs, labelClass, frames } = mark;
  const { kind, place, points, slices, locked } = content;
  const words: Row = {
    uid,
    kind,
    place: place.type,
    label: guard(content.label),
    class: guard(content.class ?? ''),
    class_title: guard(labelClass?.title ?? ''),
    text: guard(content.text),
    comment: guard(content.comment),
    author: guard(content.author),
    locked: String(locked),
    created: new Date(createdAtMs).toISOString(),
    modified: new Date(modifiedAtMs).toISOString(),
    place_details: writeDetails(place, files),
  };
  if (place.type !== 'stack') {
    const frame = place.type === 'slide' ? undefined : place.frame_index;
    const at = { ...words, ...nameFrame(files[place.file_index], frame) };
    const measured = place.type === 'volume' ? { volume_ml: writeNumber(drawnVolumeMl(mark)) } : shape(0, points);
    yield { ...at, ...measured };
    return;
  }
  const volume_ml = writeNumber(drawnVolumeMl(mark));
  const placeOfFrame = new Map<string, number>();
  for (let n = 0; n < frames.length; n += 2) placeOfFrame.set(`${frames[n]} ${frames[n + 1]}`, n / 2);
  for (const slice of listSlices(slices)) {
    const at = placeOfFrame.get(`${slice.fileIndex} ${slice.frame}`) ?? -1;
    const named = { ...words, volume_ml, ...nameFrame(files[slice.fileIndex], slice.frame) };
    if (!isMask(kind)) {
      yield { ...named, ...shape(at, slice.points) };
      continue;
    }
    const [left, top, width, height] = slice.rectangle;
    const { scale } = scaleOfMark(mark, at, cornersOfMask(slice));
    const areaPixels = countMaskPixels(slice.runs);
    yield {
      ...named,
      mask: JSON.stringify({ left, top, width, height, runs: [...slice.runs] }),
      spacing_source: scale.source ?? '',
      ...writeQuantities([toArea(areaPixels, scale), toArea(areaPixels, IN_PIXELS)]),
    };
  }

  function shape(at: number, outline: Float64Array): Row {
    const { scale, plane } = scaleOfMark(mark, at, outline);
    const pairs = listPoints(outline);
    return {
      points_px: JSON.stringify(pairs),
      points_mm: plane === undefined ? '' : JSON.stringify(pairs.map(([x, y]) => toPatient(plane, x, y))),
      spacing_source: scale.source ?? '',
      caveat: caveatsOfOutline(kind, outline).join('; '),
      ...writeQuantities([
        ...measureOutline(kind, outline, scale),
        ...measureOutline(kind, outline, IN_PIXELS).filter(({ unit }) => unit.startsWith('px')),
      ]),
    };
  }
}

/** The same shape in pixels, whatever their size. */
const IN_PIXELS: Scale = { spacing: [1, 1], unit: 'px', source: undefined, aspect: 1 };

function writeNumber(number: number | undefined): string {
  return number === undefined ? '' : String(number);
}

/** The column of each quantity, by its unit. */
const COLUMN_OF: Readonly<Record<QuantityName, Readonly<Partial<Record<Quantity['unit'], Column>>>>> = {
  length: { mm: 'length_mm', px: 'length_px' },
  short_axis: { mm: 'short_axis_mm', px: 'short_axis_px' },
  angle: { '°': 'angle_degrees' },
  area: { 'mm²': 'area_mm2', 'px²': 'area_px' },
  time: { s: 'time_s' },
  velocity: { 'cm/s': 'velocity_cm_s' },
  distance: { mm: 'distance_mm' },
  frequency: { Hz: 'frequency_hz' },
  velocity_time_integral: { cm: 'velocity_time_integral_cm' },
};

function writeQuantities(quantities: readonly Quantity[]): Row {
  return Object.fromEntries(quantities.map(({ name, unit, value }) => [COLUMN_OF[name][unit], String(value)]));
}

/** Frames count from 1, as in DICOM. */
function nameFrame(file: MarkedFile | undefined, frame: number | undefined): Row {
  return {
    study_instance_uid: file?.studyInstanceUid ?? '',
    series_instance_uid: file?.seriesInstanceUid ?? '',
    sop_instance_uid: file?.sopInstanceUid ?? '',
    frame_number: frame === undefined ? '' : String(frame + 1),
    file: guard(file?.path ?? ''),
  };
}

/** What a place has beside its frame, as JSON. */
function writeDetails(place: MarkPlace, files: readonly MarkedFile[]): string {
  const nameEnd = ({ file_index, frame_index }: { readonly file_index: number; readonly frame_index: number }) => {
    const file = files[file_index];
    return { sop_instance_uid: file?.sopInstanceUid ?? '', frame_number: frame_index + 1, file: file?.path ?? '' };
  };
  if (place.type === 'stack') return JSON.stringify({ from: nameEnd(place.from), to: nameEnd(place.to) });
  const { type: _, file_index: __, ...details } = place;
  const { frame_index: ___, ...others }: Partial<Record<string, unknown>> = details;
  return Object.keys(others).length === 0 ? '' : JSON.stringify(others);
}

/**
 * A text that begins with an apostrophe gets another: one is put before texts that a spreadsheet would run as a formula,
 * and reading takes one away.
 */
function guard(text: string): string {
  return text.startsWith("'") ? `'${text}` : text;
}

function unguard(text: string): string {
  return text.startsWith("'") ? text.slice(1) : text;
}

/** Rows of one uid whose place is a stack are one mark. */
function readCsv(body: Uint8Array, reading: FormatReading): void {
  refuseManyRows(body);
  const stacks = new Map<string, { row: ReadRow; slices: object[] }>();
  let columns: ReadonlyMap<string, number> | undefined;
  let number = 0;
  // Each row is read when it is parsed, so that a file takes no more memory than its marks.
  eachRow(body, (cells) => {
    number += 1;
    if (columns === undefined) {
      columns = findColumns(cells);
      return;
    }
    const row = toRow(`row ${number}`, cells, columns);
    reading.attempt(row.name, () => {
      const uid = row.cell('uid');
      if (row.cell('place') !== 'stack') return readSingle(row, reading);
      const known = uid === '' ? undefined : stacks.get(uid);
      const slice = readSlice(row, reading);
      if (known === undefined) stacks.set(uid === '' ? row.name : uid, { row, slices: [slice] });
      else known.slices.push(slice);
      reading.hold(slice);
      return undefined;
    });
  });
  if (columns === undefined) findColumns([]);
  for (const { row, slices } of stacks.values()) {
    reading.attempt(row.name, () => {
      const { from, to } = parseDetails(row);
      const place = { type: 'stack', from: readEnd(from, reading), to: readEnd(to, reading) };
      reading.add({ ...readWords(row), body: { ...readBody(row), place, points: [], slices } });
    });
  }
}

type ReadRow = { readonly name: string; readonly cell: (column: Column) => string };

/** Throws `payload_too_large` before any row is parsed. */
function refuseManyRows(body: Uint8Array): void {
  const scanner = new RecordScanner();
  let rows = 0;
  // What the scanner cannot tell apart is an error of the parser.
  for (let at = 0; at < body.length && scanner.scan(body, at, true) !== 'lost'; at = scanner.end) {
    rows += 1;
    if (rows > MOST_IN_FORMAT) throw tooManyMarks();
  }
}

function toRow(name: string, cells: readonly string[], columns: ReadonlyMap<string, number>): ReadRow {
  return { name, cell: (column) => cells[columns.get(column) ?? -1] ?? '' };
}

function findColumns(names: readonly string[]): ReadonlyMap<string, number> {
  const columns = new Map(names.map((name, at) => [name.trim(), at]));
  for (const wanted of ['kind', 'points_px'] satisfies Column[]) {
    if (!columns.has(wanted)) throw new ViewerError('invalid_json', `the CSV has no column ${wanted}`);
  }
  return columns;
}

function eachRow(body: Uint8Array, take: (cells: string[]) => void): void {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  try {
    parse(bytes, {
      ...CSV_DIALECT,
      bom: true,
      on_record: (cells: string[]) => {
        take(cells);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ViewerError('invalid_json', `the CSV has ${describeCsvError(error.code)}`, { cause: error });
  }
}

function readSingle(row: ReadRow, reading: FormatReading): void {
  const type = row.cell('place') || 'frame';
  const file_index = findFile(row, reading);
  const frame = type === 'slide' ? {} : { frame_index: readFrame(row.cell('frame_number')) };
  const place = { type, file_index, ...frame, ...parseDetails(row) };
  reading.add({ ...readWords(row), body: { ...readBody(row), place, points: parsePoints(row), slices: [] } });
}

/** The shape of its values is checked with the whole mark. */
function readSlice(row: ReadRow, reading: FormatReading) {
  const mask = row.cell('mask');
  return {
    file_index: findFile(row, reading),
    frame_index: readFrame(row.cell('frame_number')),
    points: parsePoints(row),
    ...(mask !== '' && { mask: parseCell(row, 'mask') }),
  };
}

function findFile(row: ReadRow, reading: FormatReading): number {
  return reading.placeOfFile(unguard(row.cell('file')), row.cell('sop_instance_uid'));
}

function readEnd(end: unknown, reading: FormatReading) {
  const { sop_instance_uid: uid, frame_number: frame, file }: Record<string, unknown> = Object(end);
  return { file_index: reading.placeOfFile(toWord(file), toWord(uid)), frame_index: readFrame(String(Number(frame))) };
}

function readFrame(text: string): number {
  if (text === '') return 0;
  if (!/^\d{1,9}$/.test(text) || text === '0') {
    throw new ViewerError('invalid_mark', `frame_number: ${JSON.stringify(text.slice(0, 40))} is no number from 1`);
  }
  return Number(text) - 1;
}

function readWords(row: ReadRow) {
  return {
    name: row.name,
    uid: row.cell('uid') || undefined,
    createdAtMs: toTimeMs(row.cell('created')),
    modifiedAtMs: toTimeMs(row.cell('modified')),
  };
}

function readBody(row: ReadRow) {
  return {
    kind: row.cell('kind'),
    label: unguard(row.cell('label')),
    class: unguard(row.cell('class')) || null,
    text: unguard(row.cell('text')),
    comment: unguard(row.cell('comment')),
    author: unguard(row.cell('author')),
    locked: row.cell('locked').toLowerCase() === 'true',
  };
}

function parsePoints(row: ReadRow): unknown {
  return row.cell('points_px') === '' ? [] : parseCell(row, 'points_px');
}

function parseDetails(row: ReadRow): Record<string, unknown> {
  return row.cell('place_details') === '' ? {} : Object(parseCell(row, 'place_details'));
}

function parseCell(row: ReadRow, column: Column): unknown {
  try {
    return parseJson(row.cell(column));
  } catch (error) {
    throw new ViewerError('invalid_mark', `${column}: the cell is not JSON`, { cause: error });
  }
}
