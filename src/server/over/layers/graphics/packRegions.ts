import { addTo } from '../../../../shared/addTo.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { GraphicItem } from '../../../../shared/contract/graphics.ts';
import { dot, type ImagePlane, normalOf } from '../../../../shared/geometry.ts';
import { encodeGraphics } from '../../../../shared/graphicsPacket.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { MovePoints } from '../../../images/volumes/samplePlane.ts';
import { createBridge } from '../applyBridge.ts';
import { planeInColumns, PLANE_NUMBERS } from '../planeColumns.ts';
import type { BridgeStep } from '../registrationTasks.ts';
import { type DrawnShape, drawInImage, drawInPlane, type ImageUnder, liftShape } from './drawRegions.ts';
import { REGION_SHAPES, type RegionColumns, type RegionShape } from './regionRecord.ts';
import type { CoveredByRegions, CoverRegionsInput, PackRegionsInput } from './regionTasks.ts';

/** More elements over one picture would make the page slow. */
const MOST_ITEMS = 20_000;
const MOST_NUMBERS = 1_000_000;
/** Regions times images: some seconds. */
const MOST_COMPARISONS = 200_000_000;

/** Implements `packRegionsTask`. */
export function packRegions(input: PackRegionsInput, context: TaskContext): Uint8Array<ArrayBuffer> {
  const { layer, shapes, numbers, texts, images, lifted, spaces, plane, rows, columns, pixelMm } = input;
  const { belowMm, aboveMm } = input;
  const items: GraphicItem[] = [];
  const written = new Set<number>();
  let values = 0;
  const put = (shape: number, drawn: readonly DrawnShape[], unitMm: number | undefined) => {
    const part = shapes.partOf[shape]!;
    const number = numbers[part]!;
    const radius = shapes.uncertainties[shape]!;
    for (const one of drawn) {
      values += one.points.length;
      if (items.length >= MOST_ITEMS || values > MOST_NUMBERS) {
        throw new ViewerError('layer_too_large', `more than ${MOST_ITEMS} regions lie over this picture`);
      }
      // Once for all shapes of a part, so that texts do not cover each other.
      const text = written.has(part) ? undefined : texts[part];
      written.add(part);
      items.push({
        part: number,
        units: 'pixel',
        isFilled: false,
        ...one,
        ...(text !== undefined && { text: { value: text } }),
        ...(unitMm !== undefined && Number.isFinite(radius) && { uncertaintyPx: radius / unitMm }),
      });
    }
  };
  const undersOf = new Map<number, ImageUnder[]>();
  for (const { image, ...under } of images) addTo(undersOf, image, under);
  const liftsOf = new Map<number, { readonly plane: ImagePlane; readonly move: MovePoints | undefined }[]>();
  for (const { image, plane: own, steps } of lifted) {
    liftsOf.set(image, [...(liftsOf.get(image) ?? []), { plane: own, move: steps && createBridge(steps) }]);
  }
  const drawMoved = (shape: number, type: RegionShape, points: Float64Array, move: MovePoints | undefined) => {
    move?.(points);
    if (plane === undefined || !points.every(Number.isFinite)) return;
    const drawn = drawInPlane(type, points, { plane, belowMm, aboveMm, rows, columns });
    put(shape, drawn, Math.sqrt(plane.rowSpacingMm * plane.columnSpacingMm));
  };
  const bridges = new Map(spaces.map(({ space, steps }) => [space, steps && createBridge(steps)] as const));
  for (let shape = 0; shape < shapes.length; shape += 1) {
    if (numbers[shapes.partOf[shape]!]! < 0) continue;
    context.throwIfCancelled();
    const place = shapes.placeOf[shape]!;
    const type = REGION_SHAPES[shapes.types[shape]!]!;
    if (place >= 0) {
      for (const under of undersOf.get(place) ?? []) {
        put(shape, drawInImage(type, pointsOf(shapes, shape), under, { rows, columns }), pixelMm);
      }
      for (const { plane: own, move } of liftsOf.get(place) ?? []) {
        const lift = liftShape(type, pointsOf(shapes, shape), own);
        drawMoved(shape, lift.shape, lift.points, move);
      }
    } else if (bridges.has(-1 - place)) {
      drawMoved(shape, type, pointsOf(shapes, shape).slice(), bridges.get(-1 - place));
    }
  }
  return context.transfer(encodeGraphics(layer, { rows, columns, items }));
}

function pointsOf({ points, starts }: RegionColumns, shape: number): Float64Array {
  return points.subarray(3 * starts[shape]!, 3 * starts[shape + 1]!);
}

/** Implements `coverRegionsTask`. */
export function coverRegions(input: CoverRegionsInput, context: TaskContext): CoveredByRegions {
  const { shapes, space, steps, partCount, planes, seriesOf, seriesCount } = input;
  const count = planes.length / PLANE_NUMBERS;
  const { below, above, positions } = findReaches(planes, seriesOf);
  const isCovered = new Uint8Array(count);
  const firstPlanes = new Int32Array(seriesCount * partCount).fill(-1);
  const lastPlanes = new Int32Array(seriesCount * partCount).fill(-1);
  const moved = moveShapes(shapes, space, steps);
  if (moved.length * count > MOST_COMPARISONS) {
    throw new ViewerError('layer_too_large', `${moved.length} regions are too many for ${count} images`);
  }
  for (let at = 0; at < count; at += 1) {
    context.throwIfCancelled();
    const plane = planeInColumns(planes, at);
    if (plane === undefined) continue;
    const under = { plane, belowMm: below[at]!, aboveMm: above[at]!, rows: Infinity, columns: Infinity };
    const normal = normalOf(plane);
    for (const { shape, points, low, high } of moved) {
      const { [shapes.types[shape]!]: type = 'point' } = REGION_SHAPES;
      // Most shapes are far away from most planes, which the box around them tells.
      const isEndless = type === 'line' || type === 'plane';
      if (!isEndless && !mayTouch(low, high, normal, positions[at]!, under)) continue;
      if (drawInPlane(type, points, under).length === 0) continue;
      const end = seriesOf[at]! * partCount + shapes.partOf[shape]!;
      isCovered[at] = 1;
      if (firstPlanes[end]! < 0 || positions[at]! < positions[firstPlanes[end]!]!) firstPlanes[end] = at;
      if (lastPlanes[end]! < 0 || positions[at]! > positions[lastPlanes[end]!]!) lastPlanes[end] = at;
    }
  }
  return { isCovered, below, above, firstPlanes, lastPlanes };
}

type MovedShape = {
  readonly shape: number;
  readonly points: Float64Array;
  readonly low: readonly number[];
  readonly high: readonly number[];
};

function moveShapes(shapes: RegionColumns, space: number, steps: readonly BridgeStep[] | undefined): MovedShape[] {
  const move = steps && createBridge(steps);
  const moved: MovedShape[] = [];
  for (let shape = 0; shape < shapes.length; shape += 1) {
    if (shapes.placeOf[shape]! !== -1 - space) continue;
    const points = pointsOf(shapes, shape).slice();
    move?.(points);
    if (!points.every(Number.isFinite)) continue;
    const [low, high] = [
      [Infinity, Infinity, Infinity],
      [-Infinity, -Infinity, -Infinity],
    ];
    for (const [at, value] of points.entries()) {
      low[at % 3] = Math.min(low[at % 3]!, value);
      high[at % 3] = Math.max(high[at % 3]!, value);
    }
    moved.push({ shape, points, low, high });
  }
  return moved;
}

/** Whether a box may reach a plane. An ellipse is within the box of the ends of its axes, enlarged by half. */
function mayTouch(
  low: readonly number[],
  high: readonly number[],
  normal: readonly number[],
  position: number,
  { belowMm, aboveMm }: { readonly belowMm: number; readonly aboveMm: number },
): boolean {
  let [middle, reach] = [0, 0];
  for (let axis = 0; axis < 3; axis += 1) {
    middle += normal[axis]! * ((low[axis]! + high[axis]!) / 2);
    reach += Math.abs(normal[axis]!) * (high[axis]! - low[axis]!);
  }
  const away = middle - position;
  return away >= -belowMm - reach - 0.1 && away <= aboveMm + reach + 0.1;
}

/** Planes of a series with other directions than this are no neighbours. */
const SAME_NORMAL = 1e-3;
const SAME_PLACE_MM = 1e-3;

/** Half the way to the next planes of the same series and direction; for a single plane, half a pixel. */
function findReaches(planes: Float64Array<ArrayBuffer>, seriesOf: Uint32Array) {
  const count = planes.length / PLANE_NUMBERS;
  const [below, above, positions] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  const groups = new Map<string, number[]>();
  for (let at = 0; at < count; at += 1) {
    const plane = planeInColumns(planes, at);
    if (plane === undefined) continue;
    const normal = normalOf(plane);
    positions[at] = dot(normal, plane.position);
    below[at] = Math.max(plane.rowSpacingMm, plane.columnSpacingMm) / 2;
    above[at] = below[at]!;
    const key = `${seriesOf[at]} ${normal.map((part) => Math.round(part / SAME_NORMAL)).join(' ')}`;
    addTo(groups, key, at);
  }
  for (const group of groups.values()) {
    const sorted = group.toSorted((a, b) => positions[a]! - positions[b]!);
    // Several frames of a series may be in one place, at different times.
    const places: number[] = [];
    const placeOf = sorted.map((at) => {
      const last = places.at(-1);
      if (last === undefined || positions[at]! - last > SAME_PLACE_MM) places.push(positions[at]!);
      return places.length - 1;
    });
    if (places.length < 2) continue;
    for (const [i, at] of sorted.entries()) {
      const place = placeOf[i]!;
      const before = place > 0 ? places[place]! - places[place - 1]! : undefined;
      const after = place + 1 < places.length ? places[place + 1]! - places[place]! : undefined;
      below[at] = (before ?? after ?? 0) / 2;
      above[at] = (after ?? before ?? 0) / 2;
    }
  }
  return { below, above, positions };
}
