import type { Vector3 } from '../../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { areaOfLevel, axesOf, findRoiStack, flattenContour, type PlaneAxes } from '../structureSet/measureContours.ts';
import { DoseTally } from './doseTally.ts';
import type { MeasureContoursInput, MeasuredDvh, MeasuredDvhs } from './dvhTasks.ts';
import { createDoseSampler, type DoseSampler, tooMany } from './sampleDose.ts';

/** Samples across the narrow side of a structure, at least. */
const STEPS_ACROSS = 40;
/** Crossings of lines of samples with the contours of one plane. */
const MOST_CROSSINGS = 2 * 2 ** 20;

/**
 * Implements `measureContoursTask`. A structure is sampled in the planes of its own contours, each of which stands for
 * its slab. Samples of the dose itself would be too coarse for a small structure.
 */
export function measureContourDose(input: MeasureContoursInput, { throwIfCancelled }: TaskContext): MeasuredDvhs {
  const { doses, contours, rois } = input;
  const sampler = createDoseSampler(doses, throwIfCancelled);
  const ofRois = new Map<number, number[]>(rois.map((roi) => [roi, []]));
  for (let at = 0; at < contours.length; at += 1) ofRois.get(contours.roiOf[at]!)?.push(at);
  return rois.map((roi) => {
    throwIfCancelled();
    return measureRoi(ofRois.get(roi) ?? [], input, sampler);
  });
}

/** The closed contours of one plane in its own coordinates: x and y of each point. */
type FlatLevel = {
  readonly lines: readonly Float64Array[];
  readonly positionMm: number;
  readonly thicknessMm: number;
};

type Axes = PlaneAxes & { readonly normal: Vector3 };
type Box = { left: number; top: number; right: number; bottom: number };

function measureRoi(
  own: readonly number[],
  { contours, bound, ...scale }: MeasureContoursInput,
  sampler: DoseSampler,
): MeasuredDvh | undefined {
  const { normal, levels } = findRoiStack(own, contours, contours.shapes);
  if (levels.length === 0) return undefined;
  const axes = { ...axesOf(normal, sampler.rowDirection, sampler.columnDirection), normal };
  const flatten = (level: (typeof levels)[number]): FlatLevel => ({
    lines: level.members.map((at) => flattenContour(contours, at, axes)),
    positionMm: level.position,
    thicknessMm: level.high - level.low,
  });
  // Twice, because the step depends on all planes, and all of them at once would take as much memory as the object.
  const boxes = levels.map((level) => findBox(flatten(level)));
  const stepMm = chooseStep(boxes, sampler.stepMm, bound.mostOfPart);
  const tally = new DoseTally(scale);
  for (const [at, level] of levels.entries()) {
    sampleLevel(flatten(level), { box: boxes[at]!, axes, stepMm, sampler, tally });
  }
  return tally.finish({ stepMm, planes: levels.length });
}

function findBox({ lines }: FlatLevel): Box {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const line of lines) {
    for (let at = 0; at < line.length; at += 2) {
      box.left = Math.min(box.left, line[at]!);
      box.right = Math.max(box.right, line[at]!);
      box.top = Math.min(box.top, line[at + 1]!);
      box.bottom = Math.max(box.bottom, line[at + 1]!);
    }
  }
  return box;
}

/** Coordinates of contours are not more exact. */
const LEAST_STEP_MM = 0.01;
/** Samples along one side of a plane. */
const MOST_SIDE = 8192;

/** As fine as the dose needs it and as the structure needs it, but not so fine that it takes forever. */
function chooseStep(boxes: readonly Box[], ofDoseMm: number, mostSamples: number): number {
  let [width, height, areaMm2] = [0, 0, 0];
  for (const { left, right, top, bottom } of boxes) {
    width = Math.max(width, right - left);
    height = Math.max(height, bottom - top);
    areaMm2 += (right - left) * (bottom - top);
  }
  const stepMm = Math.min(ofDoseMm, Math.min(width, height) / STEPS_ACROSS);
  const leastMm = Math.max(Math.sqrt(areaMm2 / mostSamples), Math.max(width, height) / MOST_SIDE, LEAST_STEP_MM);
  return Math.max(stepMm, leastMm);
}

type LevelSampling = {
  readonly box: Box;
  readonly axes: Axes;
  readonly stepMm: number;
  readonly sampler: DoseSampler;
  readonly tally: DoseTally;
};

/**
 * The contours of one plane by the even-odd rule, as they are drawn. A sample at the edge counts by the part of its cell
 * that lies between the crossings of its row, so that the volume does not depend on where the samples lie.
 */
function sampleLevel(level: FlatLevel, { box, axes, stepMm, sampler, tally }: LevelSampling): void {
  const columns = Math.max(1, Math.ceil((box.right - box.left) / stepMm));
  const rows = Math.max(1, Math.ceil((box.bottom - box.top) / stepMm));
  // The cells end where the contours end, so that nothing is lost at the border of the last ones.
  const acrossMm = Math.max((box.right - box.left) / columns, LEAST_STEP_MM / 2);
  const downMm = Math.max((box.bottom - box.top) / rows, LEAST_STEP_MM / 2);
  const crossings = listCrossings(level, { rows, box, acrossMm, downMm });
  const { across, down, normal } = axes;
  const [x, y, z] = [box.left + acrossMm / 2, box.top + downMm / 2, level.positionMm];
  const at = (axis: 0 | 1 | 2) => x * across[axis] + y * down[axis] + z * normal[axis];
  const plane: PlaneGrid = {
    position: [at(0), at(1), at(2)],
    rowDirection: across,
    columnDirection: down,
    rowSpacingMm: downMm,
    columnSpacingMm: acrossMm,
    rows,
    columns,
  };
  const weights = new Float64Array(columns);
  const sampledMm2 = countCells(crossings) * acrossMm * downMm;
  // The area that the volume of its layer is made of. Lines of samples miss a little at rounded ends.
  const areaMm2 = areaOfLevel(level.lines) ?? sampledMm2;
  const cellMm3 = acrossMm * downMm * level.thicknessMm * (sampledMm2 > 0 ? areaMm2 / sampledMm2 : 0);
  sampler.eachBand(plane, (doses, firstRow, count) => {
    for (let row = 0; row < count; row += 1) {
      const ofRow = crossings[firstRow + row];
      if (ofRow === undefined) continue;
      weights.fill(0);
      for (let i = 0; i + 1 < ofRow.length; i += 2) cover(weights, ofRow[i]!, ofRow[i + 1]!);
      tally.add(doses, row * columns, weights, cellMm3);
    }
  });
}

type Cells = { readonly rows: number; readonly box: Box; readonly acrossMm: number; readonly downMm: number };

/** Of each line of samples that the contours cross: where, in steps from the left. */
function listCrossings({ lines }: FlatLevel, { rows, box, acrossMm, downMm }: Cells) {
  const found: (number[] | undefined)[] = Array.from({ length: rows }, () => undefined);
  let count = 0;
  for (const line of lines) {
    for (let at = 0, before = line.length - 2; at < line.length; before = at, at += 2) {
      // In steps, so that the samples of row n are at n.
      const [y1, y2] = [(line[before + 1]! - box.top) / downMm - 0.5, (line[at + 1]! - box.top) / downMm - 0.5];
      if (y1 === y2) continue;
      const [x1, x2] = [(line[before]! - box.left) / acrossMm, (line[at]! - box.left) / acrossMm];
      const first = Math.max(0, Math.ceil(Math.min(y1, y2)));
      const end = Math.min(rows, Math.ceil(Math.max(y1, y2)));
      count += Math.max(0, end - first);
      if (count > MOST_CROSSINGS) throw tooMany('a structure');
      for (let row = first; row < end; row += 1) (found[row] ??= []).push(x1 + ((row - y1) / (y2 - y1)) * (x2 - x1));
    }
  }
  return found;
}

/** The cells between all crossings, which are sorted for it. */
function countCells(crossings: readonly (number[] | undefined)[]): number {
  let cells = 0;
  for (const ofRow of crossings) {
    if (ofRow === undefined) continue;
    ofRow.sort((a, b) => a - b);
    for (let i = 0; i + 1 < ofRow.length; i += 2) cells += ofRow[i + 1]! - ofRow[i]!;
  }
  return cells;
}

/** Adds the parts of cells between two places. */
function cover(weights: Float64Array, from: number, to: number): void {
  const first = Math.max(0, Math.floor(from));
  const last = Math.min(weights.length - 1, Math.floor(to));
  for (let column = first; column <= last; column += 1) {
    const isWhole = column > first && column < last;
    weights[column]! += isWhole ? 1 : Math.max(0, Math.min(to, column + 1) - Math.max(from, column));
  }
}
