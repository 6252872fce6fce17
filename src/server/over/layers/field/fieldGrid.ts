import { dot, inPlaneAxes, normalOf, pixelToPatient, type Vector3 } from '../../../../shared/geometry.ts';
import type { FieldItem } from '../../../../shared/fieldPacket.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import { findSegment, listSegments, type PositionTable } from '../../../../shared/positionTable.ts';
import { cornersOfVolume, findExtent, type Range } from '../volumeExtent.ts';

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
  const extent = findExtent(cornersOfVolume(table), target, slabMm);
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

/**
 * The same for a picture that registrations bend on its way into the volume. How much of it the volume covers is not
 * known before, so the grid covers all of it.
 */
export function chooseBentGrid(
  { rowSpacingMm, columnSpacingMm, spacingMm }: PositionTable,
  target: PlaneGrid,
): FieldGrid {
  const finestMm = Math.min(rowSpacingMm, columnSpacingMm, spacingMm) / 2;
  const place = (pixelMm: number, count: number, factor: number) => {
    const stepMm = Math.max(pixelMm, finestMm) * factor;
    return { stepMm, count: Math.ceil(((count - 1) * pixelMm) / stepMm - 1e-9) + 1 };
  };
  for (let factor = 1; ; factor *= 2) {
    const across = place(target.columnSpacingMm, target.columns, factor);
    const down = place(target.rowSpacingMm, target.rows, factor);
    if (across.count * down.count > MOST_SAMPLES) continue;
    return {
      grid: {
        rowDirection: target.rowDirection,
        columnDirection: target.columnDirection,
        position: target.position,
        rowSpacingMm: down.stepMm,
        columnSpacingMm: across.stepMm,
        rows: down.count,
        columns: across.count,
      },
      toTarget: [across.stepMm / target.columnSpacingMm, 0, 0, down.stepMm / target.rowSpacingMm, 0, 0],
    };
  }
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
