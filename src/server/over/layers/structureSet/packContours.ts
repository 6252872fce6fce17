import { type ContourItem, encodeContours } from '../../../../shared/contourPacket.ts';
import { dot, normalOf } from '../../../../shared/geometry.ts';
import { planeInColumns, PLANE_NUMBERS } from '../planeColumns.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { SLIDE_REACH_MM } from '../slideReach.ts';
import { createContourFinder, drawContours, findContoursOver, requireFew } from './contoursOver.ts';
import type { CoveredPlanes } from '../spatial/coverage.ts';
import type { CoverInput, PackContoursInput } from './structureSetTasks.ts';

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
export function coverPlanes(input: CoverInput, context: TaskContext): CoveredPlanes {
  const { contours, rois, roiCount, planes, firstSlide, seriesOf, seriesCount } = input;
  const count = planes.length / PLANE_NUMBERS;
  const isCovered = new Uint8Array(count);
  const firstPlanes = new Int32Array(seriesCount * roiCount).fill(-1);
  const lastPlanes = new Int32Array(seriesCount * roiCount).fill(-1);
  const positions = new Float64Array(count);
  const isWanted = (roi: number) => rois[roi] === 1;
  const [overFrame, overSlide] = [0, SLIDE_REACH_MM].map((flatMm) => createContourFinder(contours, isWanted, flatMm));

  for (let at = 0; at < count; at += 1) {
    context.throwIfCancelled();
    const plane = planeInColumns(planes, at);
    if (plane === undefined) continue;
    positions[at] = dot(normalOf(plane), plane.position);
    for (const { contour } of (at < firstSlide ? overFrame : overSlide)?.(plane) ?? []) {
      const end = seriesOf[at]! * roiCount + contours.roiOf[contour]!;
      isCovered[at] = 1;
      if (firstPlanes[end]! < 0 || positions[at]! < positions[firstPlanes[end]!]!) firstPlanes[end] = at;
      if (lastPlanes[end]! < 0 || positions[at]! > positions[lastPlanes[end]!]!) lastPlanes[end] = at;
    }
  }
  return { isCovered, firstPlanes, lastPlanes };
}
