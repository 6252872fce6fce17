import { type AnnotationField, checkAnnotation, type ImageBounds } from '../../shared/annotations.ts';
import type { AnnotationPayload } from '../../shared/contract/annotations.ts';
import type { CsvColumns } from './csvHeader.ts';

/** A row of an open file that cannot be imported. */
export class InvalidRow extends Error {
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
export function parseRow(cells: readonly string[], columns: CsvColumns, bounds: ImageBounds): AnnotationPayload {
  const { names } = columns;
  if (cells.length !== names.length) {
    const hint = cells.length > names.length ? '; JSON cells must be quoted' : '';
    const column = names[Math.min(cells.length, names.length - 1)] ?? COLUMN_OF.roi_coords;
    throw new InvalidRow(column, `the row has ${cells.length} cells where the header has ${names.length}${hint}`);
  }
  const coords = parseJson(cells[columns.coords] ?? '', COLUMN_OF.roi_coords);
  const framesText = textAt(cells, columns.frames);
  const countText = textAt(cells, columns.count);
  const checked = checkAnnotation(
    {
      num_roi: countText === '' ? lengthOf(coords) : parseCount(countText),
      roi_coords: coords,
      roi_frames: framesText === '' ? [] : parseJson(framesText, COLUMN_OF.roi_frames),
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

function lengthOf(coords: unknown): number {
  return Array.isArray(coords) ? coords.length : 0;
}

/** Accepts `2.0` too, because spreadsheet and table tools write it for a column that has gaps elsewhere. */
function parseCount(text: string): number {
  if (/^\d{1,9}(\.0*)?$/.test(text)) return Number(text);
  throw new InvalidRow(COLUMN_OF.num_roi, `${excerpt(text)} is not a count`);
}

function parseJson(text: string, column: string): unknown {
  if (text.trim() === '') throw new InvalidRow(column, 'is empty; no ROIs are written as []');
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRow(column, `${excerpt(text)} is not JSON`);
  }
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
