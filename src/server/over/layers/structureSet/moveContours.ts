import { createBridge } from '../applyBridge.ts';
import { measureContours, pointsOf } from './measureContours.ts';
import { share } from './structureSetRecord.ts';
import type { MoveContoursInput, MovedContours } from './structureSetTasks.ts';

/**
 * Implements `moveContoursTask`. The points are moved into the other frame of reference, and their planes are fitted
 * again there: what comes out is a structure set like any other.
 */
export function moveContours({ contours, rois, steps }: MoveContoursInput): MovedContours {
  const move = createBridge(steps);
  const lost = new Uint32Array(rois.length);
  const [points, starts, roiOf, types] = [
    new Float32Array(contours.points.length),
    new Uint32Array(contours.length + 1),
    new Uint32Array(contours.length),
    new Uint8Array(contours.length),
  ];
  let [count, end] = [0, 0];
  for (let contour = 0; contour < contours.length; contour += 1) {
    const roi = contours.roiOf[contour]!;
    if (rois[roi] !== 1) continue;
    const moved = Float64Array.from(pointsOf(contours, contour));
    move(moved);
    if (!moved.every(Number.isFinite)) {
      lost[roi]! += 1;
      continue;
    }
    points.set(moved, 3 * end);
    starts[count] = end;
    roiOf[count] = roi;
    types[count] = contours.types[contour]!;
    count += 1;
    end += moved.length / 3;
  }
  starts[count] = end;
  const columns = {
    length: count,
    points: share(Float32Array, points.subarray(0, 3 * end)),
    starts: share(Uint32Array, starts.subarray(0, count + 1)),
    roiOf: share(Uint32Array, roiOf.subarray(0, count)),
    types: share(Uint8Array, types.subarray(0, count)),
  };
  const { shapes, reaches, slabs, depths } = measureContours(columns, rois.length);
  return { contours: { ...columns, shapes, reaches, slabs, depths }, lost };
}
