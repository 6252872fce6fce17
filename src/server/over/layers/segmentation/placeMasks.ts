import { addTo } from '../../../../shared/addTo.ts';
import { boxOfMask, type CroppedMasks } from './croppedMasks.ts';
import type { MaskBox } from './maskBox.ts';
import { addBits, findFirstBit } from './maskBits.ts';

export type PlaceMask = MaskBox & {
  readonly segment: number;
  /** The first of its frames. */
  readonly frame: number;
  readonly encoding: CroppedMasks['encoding'];
  readonly samples: Uint8Array;
};

/** A frame, its number among the cropped ones, and its segment. */
export type PlaceFrame = { readonly frame: number; readonly index: number; readonly segment: number };

/** The masks that have samples near a sample of the place. */
export type PlaceMasks = (row: number, column: number) => readonly PlaceMask[];

/** Sides of the cells into which a place is divided, as a power of two. */
const CELL_LOG = 5;
const CELL = 2 ** CELL_LOG;
const NO_MASKS: readonly PlaceMask[] = [];

/**
 * The masks in one place of a segmentation. Frames of one segment in the same place, of which a file can have thousands,
 * are put together first. Each sample is then looked for only in the masks that have any sample in its cell.
 */
export function createPlaceMasks(cropped: CroppedMasks, frames: readonly PlaceFrame[]): PlaceMasks {
  const bySegment = new Map<number, PlaceMask[]>();
  for (const frame of frames) {
    const mask = maskOf(cropped, frame);
    const same = bySegment.get(mask.segment);
    if (mask.rows === 0) continue;
    if (same === undefined) bySegment.set(mask.segment, [mask]);
    else same.push(mask);
  }
  const masks: readonly PlaceMask[] = [...bySegment.values()].map((same) =>
    same.length === 1 ? same[0]! : joinMasks(same),
  );
  if (masks.length < 2) return () => masks;
  const cells = findCells(masks);
  let [known, inKnown] = [-1, NO_MASKS];
  return (row, column) => {
    const cell = cellOf(row, column);
    if (cell === known) return inKnown;
    known = cell;
    inKnown = cells.get(cell) ?? NO_MASKS;
    return inKnown;
  };
}

function maskOf(cropped: CroppedMasks, { frame, index, segment }: PlaceFrame): PlaceMask {
  const { starts, encoding, samples } = cropped;
  return { segment, frame, ...boxOfMask(cropped, index), encoding, samples: samples.subarray(starts[index]) };
}

/** The sample in a row and column of the whole frame; 0 beside the mask. */
export function readMask(mask: PlaceMask, row: number, column: number): number {
  const y = row - mask.top;
  const x = column - mask.left;
  if (y < 0 || x < 0 || x >= mask.columns || y >= mask.rows) return 0;
  const at = y * mask.columns + x;
  const { samples } = mask;
  if (mask.encoding === 'bits') return (samples[at >>> 3]! >>> (at & 7)) & 1;
  if (mask.encoding === 'uint8') return samples[at]!;
  return samples[2 * at]! | (samples[2 * at + 1]! << 8);
}

/** Of bits and fractions the largest, of labels that of the first frame that has any. */
function joinMasks(masks: readonly PlaceMask[]): PlaceMask {
  const { segment, frame, encoding } = masks[0]!;
  const box = { top: Infinity, left: Infinity, bottom: 0, right: 0 };
  for (const { top, left, rows, columns } of masks) {
    box.top = Math.min(box.top, top);
    box.left = Math.min(box.left, left);
    box.bottom = Math.max(box.bottom, top + rows);
    box.right = Math.max(box.right, left + columns);
  }
  const { top, left } = box;
  const [rows, columns] = [box.bottom - top, box.right - left];
  const bytes = encoding === 'bits' ? Math.ceil((rows * columns) / 8) : rows * columns * (encoding === 'uint8' ? 1 : 2);
  const samples = new Uint8Array(bytes);
  const joined = { segment, frame, top, left, rows, columns, encoding, samples };
  for (const mask of masks) {
    for (let row = mask.top; row < mask.top + mask.rows; row += 1) {
      const to = (row - top) * columns + mask.left - left;
      if (encoding === 'bits') {
        const from = { bits: mask.samples, at: (row - mask.top) * mask.columns };
        addBits(from, { bits: samples, at: to }, mask.columns);
      } else joinRow(mask, joined, row);
    }
  }
  return joined;
}

function joinRow(mask: PlaceMask, joined: PlaceMask, row: number): void {
  for (let column = mask.left; column < mask.left + mask.columns; column += 1) {
    const [value, known] = [readMask(mask, row, column), readMask(joined, row, column)];
    if (value <= known || (mask.segment < 0 && known !== 0)) continue;
    const at = (row - joined.top) * joined.columns + column - joined.left;
    if (mask.encoding === 'uint8') joined.samples[at] = value;
    else {
      joined.samples[2 * at] = value & 0xff;
      joined.samples[2 * at + 1] = value >>> 8;
    }
  }
}

function cellOf(row: number, column: number): number {
  return (row >>> CELL_LOG) * 65_536 + (column >>> CELL_LOG);
}

/** For each cell the masks that have a sample there. */
function findCells(masks: readonly PlaceMask[]): ReadonlyMap<number, readonly PlaceMask[]> {
  const cells = new Map<number, PlaceMask[]>();
  for (const mask of masks) {
    const { top, left, rows, columns } = mask;
    for (let row = top - (top % CELL); row < top + rows; row += CELL) {
      for (let column = left - (left % CELL); column < left + columns; column += CELL) {
        if (!isFilled(mask, row, column)) continue;
        const cell = cellOf(row, column);
        addTo(cells, cell, mask);
      }
    }
  }
  return cells;
}

/** Whether a mask has a sample in the cell that begins here. */
function isFilled(mask: PlaceMask, row: number, column: number): boolean {
  const from = Math.max(column, mask.left);
  const end = Math.min(column + CELL, mask.left + mask.columns);
  for (let y = Math.max(row, mask.top); y < Math.min(row + CELL, mask.top + mask.rows); y += 1) {
    if (mask.encoding === 'bits') {
      const start = (y - mask.top) * mask.columns - mask.left;
      if (findFirstBit(mask.samples, start + from, start + end) !== -1) return true;
    } else for (let x = from; x < end; x += 1) if (readMask(mask, y, x) !== 0) return true;
  }
  return false;
}
