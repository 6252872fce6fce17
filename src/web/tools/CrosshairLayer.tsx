import { useEffect, useRef } from 'react';
import { findCrosshair } from '../pictures/crosshair.ts';
import { imagePlaneOf, spaceOf } from '../pictures/findPositionAt.ts';
import { pictureOf } from '../pictures/pictureKinds.ts';
import { visibleCells } from '../pictures/shownFrame.ts';
import { applyMatrix } from '../pictures/viewTransform.ts';
import { reportOf, viewportsOf } from '../pictures/viewports.ts';
import { cellOf, cellsOf } from '../state/cells.ts';
import { crosshairOf } from '../state/crosshair.ts';
import { type Page, usePage } from '../state/page.ts';
import { toolsOf } from '../state/tools.ts';
import type { Matrix, Point } from '../state/viewState.ts';
import { followStores } from '../ui/followStores.ts';
import { createSvgElement, createSvgPool, setNumbers } from '../ui/svgElements.ts';
import { findCrossing, type PlacedImage, type LineSegment, toImage } from './crosshairLines.ts';
import styles from './CrosshairLayer.module.css';

/** The crosshair over the image of a cell, and the lines in which the pictures of other cells cross it. */
export function CrosshairLayer({ cell }: { readonly cell: number }) {
  const page = usePage();
  const ref = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = ref.current;
    if (svg === null) return undefined;
    const draw = createDrawing(svg);
    const stores = [crosshairOf(page), cellsOf(page), toolsOf(page)];
    return followStores(stores, () => draw(listMarks(page, cell)), viewportsOf(page));
  }, [page, cell]);
  // The position is also written in the corner of the image.
  return <svg ref={ref} className={styles.layer} data-layer="crosshair" aria-hidden="true" />;
}

/** A straight line on the screen. */
type Stroke = LineSegment & { readonly color: string | undefined; readonly isEdge: boolean };
type Name = { readonly at: Point; readonly text: string; readonly color: string | undefined };
type Marks = {
  readonly strokes: readonly Stroke[];
  readonly names: readonly Name[];
  readonly center: Point | undefined;
};

const NOTHING: Marks = { strokes: [], names: [], center: undefined };

/** Half of the gap around the crosshair, which must not hide what it points at. */
const GAP_PX = 12;
const ARM_PX = 14;
/** Part of a line between its end and its name. */
const NAME_AT = 0.22;
/** Lines that are this near to the crosshair lead to it. */
const NEAR_PX = 2;

function listMarks(page: Page, cell: number): Marks {
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
  const center = isInside ? applyMatrix(screen.imageToScreen, at) : undefined;
  const strokes: Stroke[] = [];
  const names: Name[] = [];
  let leading = 0;
  for (const other of visibleCells(page)) {
    const source = other === cell ? undefined : pictureOf(page, other);
    if (source === undefined || spaceOf(source) !== spaceOf(shown.source)) continue;
    // Where the other cell will be, because its picture comes later than the crosshair.
    const { position } = cellOf(page, other);
    const [otherPlane, image] = [imagePlaneOf(source, position), source.sizeOf(position)];
    const crossing = otherPlane && image && findCrossing(picture, { plane: otherPlane, image });
    if (crossing === undefined) continue;
    const line = toScreen(crossing, screen.imageToScreen);
    if (strokes.some((known) => isSameLine(known, line))) continue;
    const color = source.line?.color;
    const isLeading = center !== undefined && distanceTo(line, center) <= NEAR_PX;
    if (isLeading) leading += 1;
    const parts = isLeading ? leaveGap(line, center) : [line];
    strokes.push(...parts.map((part) => ({ ...part, color, isEdge: false })));
    if (source.line !== undefined) names.push({ at: nearEnd(line), text: source.line.name, color });
  }
  if (center !== undefined && leading < 2) strokes.push(...listArms(center));
  return { strokes, names, center };
}

function toScreen({ from, to }: LineSegment, imageToScreen: Matrix): LineSegment {
  return { from: applyMatrix(imageToScreen, from), to: applyMatrix(imageToScreen, to) };
}

/** Away from the edge of the cell, where other texts are. */
function nearEnd({ from, to }: LineSegment): Point {
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

function createDrawing(svg: SVGSVGElement): (marks: Marks) => void {
  const halos = createSvgPool(svg, () => createSvgElement('line', styles.halo));
  const lines = createSvgPool(svg, () => createSvgElement('line', styles.line));
  const texts = createSvgPool(svg, () => createSvgElement('text', styles.name));
  return ({ strokes, names, center }) => {
    for (const pool of [halos, lines]) {
      for (const [i, element] of pool.use(strokes.length).entries()) {
        const { from, to, color, isEdge } = strokes[i]!;
        setNumbers(element, { x1: from.x, y1: from.y, x2: to.x, y2: to.y });
        setColor(element, color);
        element.classList.toggle(styles.slab ?? 'slab', isEdge);
      }
    }
    const { clientWidth, clientHeight } = svg;
    for (const [i, element] of texts.use(names.length).entries()) {
      const { at, text, color } = names[i]!;
      // Beside the end of the line, and never outside the cell.
      const x = Math.min(Math.max(at.x + 4, 4), clientWidth - 52);
      setNumbers(element, { x, y: Math.min(Math.max(at.y - 5, 14), clientHeight - 6) });
      setColor(element, color);
      if (element.textContent !== text) element.textContent = text;
    }
    // For tests.
    svg.dataset['center'] = center === undefined ? '' : `${center.x},${center.y}`;
  };
}

function setColor(element: SVGElement, color: string | undefined): void {
  if (color === undefined) element.removeAttribute('color');
  else element.setAttribute('color', color);
}
