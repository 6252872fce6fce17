import { dot, inPlaneAxes, normalOf, patientToPixel, pixelToPatient, type Vector3 } from '../../../shared/geometry.ts';
import type { FieldItem } from '../../../shared/fieldPacket.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import { findSegment, listSegments, planeOfPlace, type PositionTable } from '../../../shared/positionTable.ts';

/** The samples of a volume that are sent for a picture, and where they lie in it. */
export type FieldGrid = { readonly grid: PlaneGrid; readonly toTarget: FieldItem['toTarget'] };

/** Directions this close are the same. */
const SAME_DIRECTION = 1 - 1e-8;
/** Positions of slices this close, in parts of their distance, are regular. */
const REGULAR = 1e-4;
/** A finer grid would be larger than any picture. */
const MOST_SAMPLES = 2 ** 20;

/**
 * The grid on which a volume is sampled over a picture. Along the axes of the volume it is the volume's own, so that
 * what the page interpolates is what the volume has; otherwise it is twice as fine as the volume, but not finer than the
 * picture. Undefined if the two do not meet.
 */
export function chooseFieldGrid(table: PositionTable, target: PlaneGrid, slabMm = 0): FieldGrid | undefined {
  const extent = findExtent(cornersOf(table), target, slabMm);
  if (extent === undefined) return undefined;
  const [column, row] = findOwnSteps(table, target) ?? [
    createSteps(target.rowDirection, target.columnSpacingMm, table),
    createSteps(target.columnDirection, target.rowSpacingMm, table),
  ];
  let factor = 1;
  for (;;) {
    const across = placeSteps(column, extent.columns, factor);
    const down = placeSteps(row, extent.rows, factor);
    if (across === undefined || down === undefined) return undefined;
    if (across.count * down.count > MOST_SAMPLES) {
      factor *= 2;
      continue;
    }
    const [left, top] = [across.firstMm / target.columnSpacingMm, down.firstMm / target.rowSpacingMm];
    return {
      grid: {
        rowDirection: target.rowDirection,
        columnDirection: target.columnDirection,
        position: pixelToPatient(target, { row: top, column: left }),
        rowSpacingMm: down.stepMm,
        columnSpacingMm: across.stepMm,
        rows: down.count,
        columns: across.count,
      },
      toTarget: [across.stepMm / target.columnSpacingMm, 0, 0, down.stepMm / target.rowSpacingMm, left, top],
    };
  }
}

/** Tells whether a volume and a picture meet; for many pictures. */
export function createMeeting(table: PositionTable): (target: PlaneGrid) => boolean {
  const corners = cornersOf(table);
  return (target) => findExtent(corners, target, 0) !== undefined;
}

type Range = { readonly fromMm: number; readonly toMm: number };

/** The part of a picture that the box around a volume covers, in millimetres from the centre of its first pixel. */
function findExtent(
  points: readonly Vector3[],
  target: PlaneGrid,
  slabMm: number,
): { readonly columns: Range; readonly rows: Range } | undefined {
  const corners = points.map((point) => patientToPixel(target, point));
  const distances = corners.map(({ distanceMm }) => distanceMm);
  if (Math.min(...distances) > slabMm / 2 || Math.max(...distances) < -slabMm / 2) return undefined;
  const columns = rangeOf(
    corners.map(({ column }) => column),
    target.columns,
    target.columnSpacingMm,
  );
  const rows = rangeOf(
    corners.map(({ row }) => row),
    target.rows,
    target.rowSpacingMm,
  );
  return columns.fromMm < columns.toMm && rows.fromMm < rows.toMm ? { columns, rows } : undefined;
}

function rangeOf(indices: readonly number[], count: number, spacingMm: number): Range {
  return {
    fromMm: Math.max(-0.5, Math.min(...indices)) * spacingMm,
    toMm: Math.min(count - 0.5, Math.max(...indices)) * spacingMm,
  };
}

/** The corners of a volume, half a sample beyond the centres of the outermost ones. */
function cornersOf(table: PositionTable): Vector3[] {
  const { positionsMm, rows, columns } = table;
  const last = positionsMm.length - 1;
  const normal = normalOf(table);
  const ends = [
    { place: 0, beyondMm: -(positionsMm[1]! - positionsMm[0]!) / 2 },
    { place: last, beyondMm: (positionsMm[last]! - positionsMm[last - 1]!) / 2 },
  ];
  return ends.flatMap(({ place, beyondMm }) =>
    [-0.5, rows - 0.5].flatMap((row) =>
      [-0.5, columns - 0.5].map((column): Vector3 => {
        const [x, y, z] = pixelToPatient(planeOfPlace(table, place), { row, column });
        return [x + normal[0] * beyondMm, y + normal[1] * beyondMm, z + normal[2] * beyondMm];
      }),
    ),
  );
}

/** Equidistant places along one axis of the picture. */
type Steps = {
  readonly stepMm: number;
  /** Place of step 0. */
  readonly startMm: number;
  /** The steps that the volume has; undefined if it does not matter. */
  readonly has: { readonly first: number; readonly last: number } | undefined;
};

function placeSteps({ stepMm, startMm, has }: Steps, { fromMm, toMm }: Range, factor: number) {
  const size = stepMm * factor;
  // One more on each side, to interpolate up to the border of the picture.
  const first = Math.max(Math.floor((fromMm - startMm) / size), Math.ceil((has?.first ?? -Infinity) / factor));
  const last = Math.min(Math.ceil((toMm - startMm) / size), Math.floor((has?.last ?? Infinity) / factor));
  return last < first ? undefined : { stepMm: size, firstMm: startMm + first * size, count: last - first + 1 };
}

/** Steps half as long as the shortest distance of samples along a direction, but not shorter than those of the picture. */
function createSteps(direction: Vector3, pixelMm: number, table: PositionTable): Steps {
  const { rowSpacingMm, columnSpacingMm, spacingMm } = table;
  const samplesPerMm = Math.max(
    Math.abs(dot(direction, table.rowDirection)) / columnSpacingMm,
    Math.abs(dot(direction, table.columnDirection)) / rowSpacingMm,
    Math.abs(dot(direction, normalOf(table))) / spacingMm,
  );
  return { stepMm: Math.max(pixelMm, 1 / (2 * samplesPerMm)), startMm: 0, has: undefined };
}

/** The volume's own samples along a row and down a column of the picture, if both run along axes of the volume. */
function findOwnSteps(table: PositionTable, target: PlaneGrid): readonly [Steps, Steps] | undefined {
  const normal = normalOf(table);
  const zMm = dot(normal, target.position);
  const isParallel = Math.abs(dot(normalOf(target), normal)) >= SAME_DIRECTION;
  const segments = listSegments(table);
  const { rowStart, rowStep, columnStart, columnStep } = segments[findSegment(segments, zMm)]!;
  const { alongRow, downColumn } = inPlaneAxes(table);
  const isTilted = segments.some((one) => Math.max(Math.abs(one.rowStep), Math.abs(one.columnStep)) > 1e-6);
  if (isTilted && !isParallel) return undefined;
  const axes = [
    {
      direction: table.rowDirection,
      stepMm: table.columnSpacingMm,
      count: table.columns,
      index: dot(alongRow, target.position) / table.columnSpacingMm - (columnStart + columnStep * zMm),
    },
    {
      direction: table.columnDirection,
      stepMm: table.rowSpacingMm,
      count: table.rows,
      index: dot(downColumn, target.position) / table.rowSpacingMm - (rowStart + rowStep * zMm),
    },
    ...(isRegular(table)
      ? [
          {
            direction: normal,
            stepMm: stepOf(table),
            count: table.positionsMm.length,
            index: (zMm - table.positionsMm[0]!) / stepOf(table),
          },
        ]
      : []),
  ];
  const find = (direction: Vector3): Steps | undefined => {
    for (const axis of axes) {
      const cosine = dot(direction, axis.direction);
      if (Math.abs(cosine) < SAME_DIRECTION) continue;
      const sign = Math.sign(cosine);
      const has = sign > 0 ? { first: 0, last: axis.count - 1 } : { first: 1 - axis.count, last: 0 };
      return { stepMm: axis.stepMm, startMm: -sign * axis.index * axis.stepMm, has };
    }
    return undefined;
  };
  const [across, down] = [find(target.rowDirection), find(target.columnDirection)];
  return across && down && [across, down];
}

function stepOf({ positionsMm }: PositionTable): number {
  const last = positionsMm.length - 1;
  return (positionsMm[last]! - positionsMm[0]!) / last;
}

function isRegular(table: PositionTable): boolean {
  const stepMm = stepOf(table);
  const { positionsMm, isHole } = table;
  if (isHole.includes(1)) return false;
  return positionsMm.every((zMm, place) => Math.abs(zMm - positionsMm[0]! - place * stepMm) <= REGULAR * stepMm);
}
