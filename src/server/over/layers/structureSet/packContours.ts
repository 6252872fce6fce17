import { type ContourItem, type ContourSource, encodeContours } from '../../../../shared/contourPacket.ts';
import { dot, normalOf } from '../../../../shared/geometry.ts';
import { planeInColumns, PLANE_NUMBERS } from '../planeColumns.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { SLIDE_REACH_MM } from '../slideReach.ts';
import { createContourFinder, drawContours, findContoursOver, requireFew } from './contoursOver.ts';
import { areaOfContour } from './measureContours.ts';
import type { CoveredByAreas, CoverInput, PackContoursInput } from './structureSetTasks.ts';

/** Implements `packContoursTask`. */
export function packContours(input: PackContoursInput): Uint8Array<ArrayBuffer> {
  const { layer, sets, plane, flatMm, rows, columns } = input;
  const items: ContourItem[] = [];
  for (const { contours, numbers } of sets) {
    const placed = findContoursOver(contours, plane, (roi) => numbers[roi]! >= 0, flatMm);
    for (const item of drawContours(contours, plane, placed, (roi) => numbers[roi]!)) items.push(item);
    requireFew(items.length);
  }
  return encodeContours(layer, { rows, columns, items });
}

/** Implements `coverPlanesTask`. */
export function coverPlanes(input: CoverInput, context: TaskContext): CoveredByAreas {
  const { contours, rois, roiCount, planes, firstSlide, seriesOf, seriesCount } = input;
  const count = planes.length / PLANE_NUMBERS;
  const isCovered = new Uint8Array(count);
  const firstPlanes = new Int32Array(seriesCount * roiCount).fill(-1);
  const lastPlanes = new Int32Array(seriesCount * roiCount).fill(-1);
  const positions = new Float64Array(count);
  const areas = new Float64Array(count);
  const contourAreas = new Float64Array(contours.length).fill(NaN);
  const areaOf = (contour: number) => {
    if (Number.isNaN(contourAreas[contour])) contourAreas[contour] = areaOfContour(contours, contour);
    return contourAreas[contour]!;
  };
  const isWanted = (roi: number) => rois[roi] === 1;
  const [overFrame, overSlide] = [0, SLIDE_REACH_MM].map((flatMm) => createContourFinder(contours, isWanted, flatMm));

  for (let at = 0; at < count; at += 1) {
    context.throwIfCancelled();
    const plane = planeInColumns(planes, at);
    if (plane === undefined) continue;
    positions[at] = dot(normalOf(plane), plane.position);
    let [largest, sum] = [0, 0];
    for (const { contour, how } of (at < firstSlide ? overFrame : overSlide)?.(plane) ?? []) {
      const end = seriesOf[at]! * roiCount + contours.roiOf[contour]!;
      isCovered[at] = 1;
      const area = areaOf(contour) * WEIGHTS[how];
      largest = Math.max(largest, area);
      sum += area;
      if (firstPlanes[end]! < 0 || positions[at]! < positions[firstPlanes[end]!]!) firstPlanes[end] = at;
      if (lastPlanes[end]! < 0 || positions[at]! > positions[lastPlanes[end]!]!) lastPlanes[end] = at;
    }
    areas[at] = largest + OTHERS * sum;
  }
  return { isCovered, firstPlanes, lastPlanes, areas };
}

/** A contour that was drawn on a slice counts more than one nearby, and one that a slice only cuts hardly counts. */
const WEIGHTS: Readonly<Record<ContourSource, number>> = { stored: 1, nearest: 0.9, cut: 1e-6 };
/** Of contours of one area, that with the most others on its slice counts. */
const OTHERS = 0.01;
