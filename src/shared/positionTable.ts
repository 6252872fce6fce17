import { dot, type ImagePlane, inPlaneAxes, normalOf, type PlaneOrientation, type Vector3 } from './geometry.ts';

/**
 * The slices of a volume: where each one lies along the normal, and where its first sample is. A volume is this table
 * and not a regular grid, so a tilted gantry, irregular spacing and missing slices need no resampled copy.
 */
export type PositionTable = PlaneOrientation & {
  readonly rows: number;
  readonly columns: number;
  readonly rowSpacingMm: number;
  readonly columnSpacingMm: number;
  /** Position of each slice along the normal, ascending. At least two. */
  readonly positionsMm: Float64Array;
  /** Centre of the first sample of each slice, three coordinates each. */
  readonly points: Float64Array;
  /** For each gap between consecutive slices 1 if nothing is known in between, because slices are missing. */
  readonly isHole: Uint8Array;
  /** The usual distance between slices. */
  readonly spacingMm: number;
};

/** Sample indices in a volume. Whole numbers are the centres of samples. */
export type VolumePosition = { readonly place: number; readonly row: number; readonly column: number };

/**
 * Indices this close to a whole number are that number, and halves this close are rounded up: the error of arithmetic
 * with coordinates must not select another sample. Masks are resampled by the same rule.
 */
export const INDEX_TOLERANCE = 1e-6;

/**
 * A piece of the normal in which the position of a sample is a linear function of the point: `row` and `column` are the
 * in-plane indices of a point minus `rowStart + rowStep * z`, and the same for the column.
 */
export type TableSegment = {
  /** The segment covers positions from `startMm` up to but not including `endMm`. */
  readonly startMm: number;
  readonly endMm: number;
  /** Slices on both sides; equal where only one slice counts. -1: no slice reaches here. */
  readonly lower: number;
  readonly upper: number;
  /** `place = lower + (z - lowerMm) * placesPerMm`. */
  readonly lowerMm: number;
  readonly placesPerMm: number;
  readonly rowStart: number;
  readonly rowStep: number;
  readonly columnStart: number;
  readonly columnStep: number;
};

/** The segments of a table from minus to plus infinity, without gaps. */
export function listSegments(table: PositionTable): readonly TableSegment[] {
  const { positionsMm, points, isHole, rowSpacingMm, columnSpacingMm } = table;
  const last = positionsMm.length - 1;
  const { alongRow, downColumn } = inPlaneAxes(table);
  const rowAt = (place: number) => dotAt(points, place, downColumn) / rowSpacingMm;
  const columnAt = (place: number) => dotAt(points, place, alongRow) / columnSpacingMm;
  const segments: TableSegment[] = [];
  let start = -Infinity;

  /** `shape` is the place before the gap whose slope applies, also beyond the ends of the table. */
  const add = (endMm: number, lower: number, upper: number, shape: number) => {
    const lowerMm = positionsMm[shape]!;
    const gapMm = positionsMm[shape + 1]! - lowerMm;
    const rowStep = (rowAt(shape + 1) - rowAt(shape)) / gapMm;
    const columnStep = (columnAt(shape + 1) - columnAt(shape)) / gapMm;
    segments.push({
      startMm: start,
      endMm,
      lower,
      upper,
      lowerMm,
      placesPerMm: lower === upper ? 0 : 1 / gapMm,
      rowStart: rowAt(shape) - rowStep * lowerMm,
      rowStep,
      columnStart: columnAt(shape) - columnStep * lowerMm,
      columnStep,
    });
    start = endMm;
  };

  // The border is half open, as that of samples within a slice.
  const lowestOf = (place: number) => positionsMm[place]! - reachOf(table, place, -1) * (1 + 2 * INDEX_TOLERANCE);
  const highestOf = (place: number) => positionsMm[place]! + reachOf(table, place, 1) * (1 - 2 * INDEX_TOLERANCE);
  add(lowestOf(0), -1, -1, 0);
  add(positionsMm[0]!, 0, 0, 0);
  for (let gap = 0; gap < last; gap += 1) {
    if (isHole[gap] !== 1) {
      add(positionsMm[gap + 1]!, gap, gap + 1, gap);
      continue;
    }
    add(highestOf(gap), gap, gap, findSlope(table, gap, 1));
    add(lowestOf(gap + 1), -1, -1, gap);
    add(positionsMm[gap + 1]!, gap + 1, gap + 1, findSlope(table, gap + 1, -1));
  }
  add(highestOf(last), last, last, last - 1);
  add(Infinity, -1, -1, last - 1);
  return segments;
}

/** Below a slice along the normal, or above it. */
export type Side = -1 | 1;

/**
 * How far a slice reaches along the normal to one side: half way to its neighbour. Where it has none, at an end of the
 * volume or at a hole, it reaches as far as to the other side, or half of the usual distance if it has no neighbour at
 * all, but never beyond the middle of a hole.
 */
export function reachOf(table: PositionTable, place: number, side: Side): number {
  const { positionsMm, isHole, spacingMm } = table;
  const { towards, away } = gapsBeside(place, side);
  const gapMm = (gap: number) => positionsMm[gap + 1]! - positionsMm[gap]!;
  if (isHole[towards] === 0) return gapMm(towards) / 2;
  const ownMm = isHole[away] === 0 ? gapMm(away) : spacingMm;
  return (isHole[towards] === 1 ? Math.min(ownMm, gapMm(towards)) : ownMm) / 2;
}

/** The plane in which a slice ends on one side: its own, moved along the line on which its neighbours begin. */
export function endOfPlace(table: PositionTable, place: number, side: Side): ImagePlane {
  const { positionsMm, points } = table;
  const gap = findSlope(table, place, side);
  const part = (side * reachOf(table, place, side)) / (positionsMm[gap + 1]! - positionsMm[gap]!);
  const plane = planeOfPlace(table, place);
  const moved = (axis: 0 | 1 | 2) =>
    plane.position[axis] + part * (points[3 * gap + 3 + axis]! - points[3 * gap + axis]!);
  return { ...plane, position: [moved(0), moved(1), moved(2)] };
}

/** The gap whose tilt a slice has on one side: that on the other side if it has a neighbour only there. */
function findSlope({ isHole }: PositionTable, place: number, side: Side): number {
  const { towards, away } = gapsBeside(place, side);
  if (isHole[towards] === undefined) return away;
  return isHole[towards] === 1 && isHole[away] === 0 ? away : towards;
}

function gapsBeside(place: number, side: Side): { readonly towards: number; readonly away: number } {
  return side < 0 ? { towards: place - 1, away: place } : { towards: place, away: place - 1 };
}

/** The number of the segment that contains a position; `near` is tried first. */
export function findSegment(segments: readonly TableSegment[], zMm: number, near = 0): number {
  const hint = segments[near];
  if (hint !== undefined && zMm >= hint.startMm && zMm < hint.endMm) return near;
  let low = 0;
  let high = segments.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (segments[middle]!.startMm <= zMm) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The indices of a point of the patient; undefined if no sample reaches it. */
export function findVolumePosition(table: PositionTable, point: Vector3): VolumePosition | undefined {
  const segments = listSegments(table);
  const zMm = dot(normalOf(table), point);
  const segment = segments[findSegment(segments, zMm)];
  if (segment === undefined || segment.lower < 0) return undefined;
  const { alongRow, downColumn } = inPlaneAxes(table);
  const row = dot(point, downColumn) / table.rowSpacingMm - segment.rowStart - segment.rowStep * zMm;
  const column = dot(point, alongRow) / table.columnSpacingMm - segment.columnStart - segment.columnStep * zMm;
  if (!isWithin(row, table.rows) || !isWithin(column, table.columns)) return undefined;
  const place = segment.lower + (zMm - segment.lowerMm) * segment.placesPerMm;
  return { place, row: clamp(row, table.rows), column: clamp(column, table.columns) };
}

/** The plane of one slice. */
export function planeOfPlace(table: PositionTable, place: number): ImagePlane {
  const { rowDirection, columnDirection, rowSpacingMm, columnSpacingMm } = table;
  const [x = NaN, y = NaN, z = NaN] = table.points.subarray(3 * place, 3 * place + 3);
  return { position: [x, y, z], rowDirection, columnDirection, rowSpacingMm, columnSpacingMm };
}

/** A sample reaches half a step to each side of its centre. */
export function isWithin(index: number, count: number): boolean {
  const nearest = Math.floor(index + 0.5 + INDEX_TOLERANCE);
  return nearest >= 0 && nearest < count;
}

function clamp(index: number, count: number): number {
  return Math.min(Math.max(index, 0), count - 1);
}

function dotAt(points: Float64Array, place: number, direction: Vector3): number {
  return (
    points[3 * place]! * direction[0] + points[3 * place + 1]! * direction[1] + points[3 * place + 2]! * direction[2]
  );
}
