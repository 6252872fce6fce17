import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { Matrix, Point, Size } from '../../../kit/state/viewState.ts';
import type { MarkPress } from '../../../show/tools/followMarks.ts';
import { applyMatrix } from '../../../show/pictures/viewTransform.ts';
import type { Roi } from './roi.ts';
import { areaOf, type Handle, HANDLES } from './roiEditing.ts';

export type ScreenRect = Point & Size;

/** Where a box lies on the screen. Views turn by quarters only, so it stays a rectangle with upright edges. */
export function toScreenRect([ymin, xmin, ymax, xmax]: RoiBox, imageToScreen: Matrix): ScreenRect {
  const a = applyMatrix(imageToScreen, { x: xmin, y: ymin });
  const b = applyMatrix(imageToScreen, { x: xmax, y: ymax });
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}

/** Minimum distance between the handles of one edge, in CSS pixels; closer ones are hard to hit separately. */
const HANDLE_SPACING = 14;

export type PlacedHandle = { readonly handle: Handle; readonly at: Point };

/** Places the handles on the edges of the box, or around the box where it is too small to keep them apart. */
export function placeHandles(box: RoiBox, imageToScreen: Matrix): readonly PlacedHandle[] {
  const rect = toScreenRect(box, imageToScreen);
  const across = Math.max(rect.width / 2, HANDLE_SPACING);
  const down = Math.max(rect.height / 2, HANDLE_SPACING);
  const middle = { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
  return HANDLES.map((handle) => {
    const side = toScreenDirection(handle, imageToScreen);
    return { handle, at: { x: middle.x + side.x * across, y: middle.y + side.y * down } };
  });
}

/** The side of the box on the screen at which a handle of the image lies. */
function toScreenDirection(handle: Handle, [a, b, c, d]: Matrix): Point {
  return { x: Math.sign(a * handle.x + c * handle.y), y: Math.sign(b * handle.x + d * handle.y) };
}

export type RoiHit<R extends Roi = Roi> =
  | { readonly part: 'handle'; readonly roi: R; readonly handle: Handle }
  | { readonly part: 'edge' | 'inside'; readonly roi: R };

export type HitQuery<R extends Roi = Roi> = {
  readonly rois: readonly R[];
  readonly selected: string | undefined;
  readonly imageToScreen: Matrix;
  /** Tolerance beside a line in CSS pixels: larger for a finger than for a mouse. */
  readonly reach: number;
};

/** What is under a screen point: a handle of the selected ROI, else an edge, else the smallest ROI around it. */
export function findHit<R extends Roi>(
  point: Point,
  { rois, selected: selectedUid, imageToScreen, reach }: HitQuery<R>,
): RoiHit<R> | undefined {
  const selected = rois.find(({ uid }) => uid === selectedUid);
  if (selected !== undefined) {
    const handle = findHandle(point, selected, { imageToScreen, reach });
    if (handle !== undefined) return { part: 'handle', roi: selected, handle };
  }
  const nearest = [...rois].toSorted(
    (a, b) => Number(b.uid === selectedUid) - Number(a.uid === selectedUid) || areaOf(a.box) - areaOf(b.box),
  );
  const onEdge = nearest.find(({ box }) => isNearEdge(point, toScreenRect(box, imageToScreen), reach));
  if (onEdge !== undefined) return { part: 'edge', roi: onEdge };
  const around = nearest.find(({ box }) => isInside(point, toScreenRect(box, imageToScreen)));
  return around && { part: 'inside', roi: around };
}

function findHandle(
  point: Point,
  { box }: Roi,
  { imageToScreen, reach }: Pick<HitQuery, 'imageToScreen' | 'reach'>,
): Handle | undefined {
  const [nearest] = placeHandles(box, imageToScreen)
    .map(({ handle, at }) => ({ handle, distance: Math.max(Math.abs(at.x - point.x), Math.abs(at.y - point.y)) }))
    .toSorted((a, b) => a.distance - b.distance);
  return nearest !== undefined && nearest.distance <= reach ? nearest.handle : undefined;
}

function isNearEdge(point: Point, rect: ScreenRect, reach: number): boolean {
  return isInside(point, inflate(rect, reach)) && !isInside(point, inflate(rect, -reach));
}

function isInside({ x, y }: Point, rect: ScreenRect): boolean {
  return x >= rect.x && x <= rect.x + rect.width && y >= rect.y && y <= rect.y + rect.height;
}

function inflate({ x, y, width, height }: ScreenRect, by: number): ScreenRect {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

/** Whether a press grabs the ROI. A press inside grabs only the selected ROI, and only with the ROI tool. */
export function isTaken(
  { part, roi }: RoiHit,
  { isOwnTool, selected }: { readonly isOwnTool: boolean; readonly selected: string | undefined },
): boolean {
  return part !== 'inside' || (isOwnTool && roi.uid === selected);
}

/** The CSS cursor over these ROIs; empty where the tools decide. */
export function cursorAt(press: MarkPress, rois: readonly Roi[], selected: string | undefined): string {
  const { shown, at, reach, isOwnTool } = press;
  const { imageToScreen } = shown.screen;
  const hit = findHit(at, { rois, selected, imageToScreen, reach });
  if (hit?.part === 'handle') return cursorOf(hit.handle, imageToScreen);
  if (hit !== undefined && isTaken(hit, { isOwnTool, selected })) return 'move';
  return isOwnTool ? 'crosshair' : '';
}

/** The CSS cursor over a handle, which shows the screen axis along which it can be dragged. */
export function cursorOf(handle: Handle, imageToScreen: Matrix): string {
  const { x, y } = toScreenDirection(handle, imageToScreen);
  if (x === 0) return 'ns-resize';
  if (y === 0) return 'ew-resize';
  return x === y ? 'nwse-resize' : 'nesw-resize';
}
