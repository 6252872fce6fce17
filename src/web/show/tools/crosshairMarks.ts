import { findCrosshair } from '../pictures/crosshair.ts';
import { findPositionAt, imagePlaneOf, spaceOf } from '../pictures/findPositionAt.ts';
import { pictureOf } from '../pictures/pictureKinds.ts';
import { visibleCells } from '../pictures/shownFrame.ts';
import { applyMatrix } from '../pictures/viewTransform.ts';
import { reportOf, type ShownImage } from '../pictures/viewports.ts';
import { cellOf } from '../../kit/state/cells.ts';
import type { Page } from '../../kit/state/page.ts';
import { toolsOf } from '../../kit/state/tools.ts';
import type { Matrix, Point, Size } from '../../kit/state/viewState.ts';
import { normalOf, type ImagePlane, type Vector3 } from '../../../shared/geometry.ts';
import { findCrossing, type PlacedImage, type LineSegment, toImage } from './crosshairLines.ts';

/** A straight line on the screen. */
export type Stroke = LineSegment & {
  readonly color: string | undefined;
  readonly isEdge: boolean;
  /** Of an edge of a slab: the cell with its plane. */
  readonly cell?: number;
};
type Handle = { readonly at: Point; readonly color: string | undefined };
type Name = { readonly at: Point; readonly text: string; readonly color: string | undefined };
export type CrosshairMarks = {
  readonly strokes: readonly Stroke[];
  readonly names: readonly Name[];
  readonly center: Point | undefined;
  /** Where lines can be taken to turn their planes. */
  readonly handles: readonly Handle[];
  /** Of the cell, from the report of its picture: measuring it would make the browser lay out the page each time. */
  readonly size: Size;
};

const NOTHING: CrosshairMarks = {
  strokes: [],
  names: [],
  center: undefined,
  handles: [],
  size: { width: 0, height: 0 },
};

/** Half of the gap around the crosshair, which must not hide what it points at. */
const GAP_PX = 12;
const ARM_PX = 14;
/** Part of half a line between its end and its handle. */
const HANDLE_AT = 0.3;
/** A finger needs 44 pixels in each direction. */
const HANDLE_REACH_PX = 22;
/** Part of a line between its end and its name. */
const NAME_AT = 0.22;
/** Lines that are this near to the crosshair lead to it. */
const NEAR_PX = 2;

/** What is drawn over the image of a cell. */
export function listCrosshairMarks(page: Page, cell: number): CrosshairMarks {
  const { shown, screen } = reportOf(page, cell);
  const point = findCrosshair(page, shown?.source);
  const plane = shown && imagePlaneOf(shown.source, shown.position);
  const isHidden = toolsOf(page).getState().overlayText === 'none';
  if (shown === undefined || screen === undefined || point === undefined || plane === undefined || isHidden) {
    return NOTHING;
  }
  const picture: PlacedImage = { plane, image: screen.image };
  const at = toImage(picture, point);
  const isInside = at.x >= 0 && at.y >= 0 && at.x <= screen.image.width && at.y <= screen.image.height;
  const center = isInside && isOn(shown, point) ? applyMatrix(screen.imageToScreen, at) : undefined;
  const strokes: Stroke[] = [];
  const names: Name[] = [];
  const handles: Handle[] = [];
  const canTurn = shown.source.beginTurn !== undefined;
  let leading = 0;
  for (const other of visibleCells(page)) {
    const source = other === cell ? undefined : pictureOf(page, other);
    if (source === undefined || spaceOf(source) !== spaceOf(shown.source)) continue;
    // Where the other cell will be, because its picture comes later than the crosshair.
    const { position } = cellOf(page, other);
    const [otherPlane, image] = [imagePlaneOf(source, position), source.sizeOf(position)];
    if (otherPlane === undefined || image === undefined) continue;
    const crossing = findCrossing(picture, { plane: otherPlane, image });
    if (crossing === undefined) continue;
    const line = toScreen(crossing, screen.imageToScreen);
    if (strokes.some((known) => isSameLine(known, line))) continue;
    const color = source.line?.color;
    const isLeading = center !== undefined && distanceTo(line, center) <= NEAR_PX;
    if (isLeading) leading += 1;
    const parts = isLeading ? leaveGap(line, center) : [line];
    strokes.push(...parts.map((part) => ({ ...part, color, isEdge: false })));
    if (isLeading && canTurn && source.beginTurn !== undefined) {
      handles.push(...parts.map((part) => ({ at: farther(part, center), color })));
    }
    for (const half of source.line === undefined || source.line.slabMm === 0 ? [] : [-0.5, 0.5]) {
      const moved = moveAlong(otherPlane, half * (source.line?.slabMm ?? 0));
      const edge = findCrossing(picture, { plane: moved, image });
      if (edge === undefined) continue;
      strokes.push({ ...toScreen(edge, screen.imageToScreen), color, isEdge: true, cell: other });
    }
    if (source.line !== undefined) names.push({ at: nearEnd(line), text: source.line.name, color });
  }
  if (center !== undefined && leading < 2) strokes.push(...listArms(center));
  return { strokes, names, center, handles, size: screen };
}

/** A stored image has the point only if no other image of its stack is nearer to it. */
function isOn({ source, position }: ShownImage, point: Vector3): boolean {
  return source.traits.cuts || findPositionAt(source, point, position) === position;
}

function toScreen({ from, to }: LineSegment, imageToScreen: Matrix): LineSegment {
  return { from: applyMatrix(imageToScreen, from), to: applyMatrix(imageToScreen, to) };
}

/** In the outer half of a part of a line, away from the crosshair. */
function farther({ from, to }: LineSegment, center: Point): Point {
  const isFrom = Math.hypot(from.x - center.x, from.y - center.y) > Math.hypot(to.x - center.x, to.y - center.y);
  const [far, near] = isFrom ? [from, to] : [to, from];
  return { x: far.x + (near.x - far.x) * HANDLE_AT, y: far.y + (near.y - far.y) * HANDLE_AT };
}

function moveAlong(plane: ImagePlane, mm: number): ImagePlane {
  const normal = normalOf(plane);
  const at = (axis: 0 | 1 | 2) => plane.position[axis] + normal[axis] * mm;
  return { ...plane, position: [at(0), at(1), at(2)] };
}

/** Whether a press at this point takes a handle. */
export function isOnHandle(page: Page, cell: number, { x, y }: Point): boolean {
  return listCrosshairMarks(page, cell).handles.some(({ at }) => Math.hypot(at.x - x, at.y - y) <= HANDLE_REACH_PX);
}

/** An edge can be taken this far from it; a narrow slab leaves room for the crosshair between its edges. */
const EDGE_REACH_PX = 8;

/** The cell whose slab has an edge at this point. */
export function findSlabEdge(page: Page, cell: number, at: Point): number | undefined {
  const near = listCrosshairMarks(page, cell)
    .strokes.filter(({ isEdge, ...line }) => isEdge && isBeside(line, at))
    .toSorted((a, b) => distanceTo(a, at) - distanceTo(b, at));
  return near[0]?.cell;
}

/** Within reach of a line, and not beyond its ends. */
function isBeside({ from, to }: LineSegment, { x, y }: Point): boolean {
  const [u, v] = [to.x - from.x, to.y - from.y];
  const along = ((x - from.x) * u + (y - from.y) * v) / (u * u + v * v);
  return along >= 0 && along <= 1 && distanceTo({ from, to }, { x, y }) <= EDGE_REACH_PX;
}

/** Away from the edge of the cell, where other texts are, and at the upper end of an upright line: the badges are below. */
function nearEnd(line: LineSegment): Point {
  const isUpright = Math.abs(line.to.y - line.from.y) > Math.abs(line.to.x - line.from.x);
  const { from, to } = isUpright && line.to.y > line.from.y ? { from: line.to, to: line.from } : line;
  return { x: to.x + (from.x - to.x) * NAME_AT, y: to.y + (from.y - to.y) * NAME_AT };
}

function leaveGap({ from, to }: LineSegment, center: Point): LineSegment[] {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const along = (center.x - from.x) * ux + (center.y - from.y) * uy;
  const at = (pixels: number): Point => ({ x: from.x + ux * pixels, y: from.y + uy * pixels });
  const parts: LineSegment[] = [];
  if (along - GAP_PX > 0) parts.push({ from, to: at(along - GAP_PX) });
  if (along + GAP_PX < length) parts.push({ from: at(along + GAP_PX), to });
  return parts;
}

/** A cross where no lines of other pictures lead to the point. */
function listArms({ x, y }: Point): Stroke[] {
  const reach = GAP_PX + ARM_PX;
  const arms: readonly (readonly [number, number])[] = [
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
  ];
  return arms.map(([u, v]) => ({
    from: { x: x + u * GAP_PX, y: y + v * GAP_PX },
    to: { x: x + u * reach, y: y + v * reach },
    color: undefined,
    isEdge: false,
  }));
}

function isSameLine(known: LineSegment, line: LineSegment): boolean {
  return distanceTo(line, known.from) <= NEAR_PX && distanceTo(line, known.to) <= NEAR_PX;
}

function distanceTo({ from, to }: LineSegment, { x, y }: Point): number {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  return length === 0 ? Infinity : Math.abs((x - from.x) * (to.y - from.y) - (y - from.y) * (to.x - from.x)) / length;
}
