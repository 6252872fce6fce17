import type { GraphicItem, GraphicsPacket } from '../../../../shared/contract/graphics.ts';
import { applyMatrix } from '../../../show/pictures/viewTransform.ts';
import { isOverlapping, type Matrix } from '../../../kit/state/viewState.ts';
import { createSvgElement, setNumbers } from '../../../kit/ui/svgElements.ts';
import type { LayerLook } from '../../../../shared/partStyle.ts';
import { isClosedShape, pathOfItem, type PicturePoint, pointsOfItem, toPicturePoint } from './graphicPaths.ts';
import styles from './drawGraphics.module.css';

const LINE_PX = 1.5;
const HALO_PX = 2;
const MARK_PX = 5;
const ARROW_PX = 9;
const TEXT_GAP_PX = 6;
const LINE_HEIGHT_PX = 15;
/** Width of a letter, on average. */
const LETTER_PX = 7;
/** Areas are paler than masks, because texts and lines of others lie over them. */
const FILL = 0.6;

/** What is placed in pixels of the screen, again for every view. */
type Placed = { readonly place: (toScreen: Matrix, taken: TextRectangle[]) => void };
/** Where a text is already. */
type TextRectangle = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

export type StyledGraphics = { readonly packet: GraphicsPacket; readonly look: LayerLook };

export interface GraphicsSvg {
  /** `toScreen` maps pixels of the picture to CSS pixels. */
  draw(drawn: readonly StyledGraphics[], toScreen: Matrix): void;
}

/** Draws graphics into an SVG element: lines keep their width and texts their size at every zoom. */
export function createGraphicsSvg(svg: SVGSVGElement): GraphicsSvg {
  let built: readonly StyledGraphics[] = [];
  let groups: SVGGElement[] = [];
  let placed: Placed[] = [];

  const build = (drawn: readonly StyledGraphics[]) => {
    for (const group of groups) group.remove();
    [groups, placed, built] = [[], [], drawn];
    for (const { packet, look } of drawn) {
      const group = createSvgElement('g', undefined);
      const lines = createSvgElement('g', undefined);
      group.append(lines);
      for (const item of packet.items) if (look.styleOf(item.part).isVisible) addItem(group, lines, item, packet, look);
      placed.push({ place: (toScreen) => lines.setAttribute('transform', `matrix(${toScreen.join(' ')})`) });
      svg.append(group);
      groups.push(group);
    }
  };

  const addItem = (
    group: SVGGElement,
    lines: SVGGElement,
    item: GraphicItem,
    packet: GraphicsPacket,
    look: LayerLook,
  ) => {
    const { opacity, isOutline, color } = look.styleOf(item.part);
    // A color that the user has chosen comes before that of the object.
    const chosen = color ?? item.style.color ?? look.colorOf(item.part);
    const paint = toPaint(chosen);
    const points = pointsOfItem(item, packet);
    const path = pathOfItem(item, packet);
    const strength = (0.5 + opacity / 2) * (item.style.opacity ?? 1);
    if (path !== undefined) {
      const isFilled = item.isFilled || (!isOutline && isClosedShape(item));
      const width = item.style.widthPx ?? LINE_PX;
      const dash =
        item.style.isDashed === true || item.how === 'nearest' || item.how === 'projected'
          ? `${4 * width} ${3 * width}`
          : 'none';
      for (const isHalo of [true, false]) {
        const line = createSvgElement('path', undefined);
        line.setAttribute('d', path);
        line.setAttribute('fill', isFilled && !isHalo ? paint : 'none');
        line.setAttribute('fill-opacity', String(opacity * FILL));
        line.setAttribute('fill-rule', 'evenodd');
        line.setAttribute('stroke', isHalo ? 'rgb(0 0 0)' : paint);
        line.setAttribute('stroke-opacity', String(isHalo ? strength * 0.5 : strength));
        line.setAttribute('stroke-width', String(isHalo ? width + HALO_PX : width));
        line.setAttribute('stroke-dasharray', dash);
        line.setAttribute('vector-effect', 'non-scaling-stroke');
        if (!isHalo) line.dataset['part'] = String(item.part);
        lines.append(line);
      }
      addArrows(group, item, points, paint);
    }
    if (item.shape === 'point') addMarks(group, item, points, paint);
    if (item.uncertaintyPx !== undefined) addUncertainty(lines, points, item.uncertaintyPx, paint);
    if (item.text !== undefined) addText(group, item, points, packet, chosen);
  };

  const addMarks = (group: SVGGElement, { part, style }: GraphicItem, points: PicturePoint[], paint: string) => {
    const { mark = 'cross' } = style;
    if (mark === 'none') return;
    const element = createSvgElement('path', undefined);
    element.setAttribute('fill', 'none');
    element.setAttribute('stroke', paint);
    element.setAttribute('stroke-width', String(style.widthPx ?? LINE_PX));
    element.dataset['part'] = String(part);
    element.dataset['mark'] = mark;
    group.append(element);
    placed.push({
      place: (toScreen) =>
        element.setAttribute('d', points.map(([x, y]) => MARKS[mark](applyMatrix(toScreen, { x, y }))).join('')),
    });
  };

  const addArrows = (group: SVGGElement, { style }: GraphicItem, points: readonly PicturePoint[], paint: string) => {
    const { arrows } = style;
    if (arrows === undefined || points.length < 2) return;
    const ends: (readonly [PicturePoint, PicturePoint])[] = [];
    if (arrows !== 'end') ends.push([points[0]!, points[1]!]);
    if (arrows !== 'start') ends.push([points.at(-1)!, points.at(-2)!]);
    const element = createSvgElement('path', undefined);
    element.setAttribute('fill', paint);
    group.append(element);
    placed.push({
      place: (toScreen) =>
        element.setAttribute(
          'd',
          ends
            .map(([[x, y], [fromX, fromY]]) =>
              arrowHead(applyMatrix(toScreen, { x, y }), applyMatrix(toScreen, { x: fromX, y: fromY })),
            )
            .join(''),
        ),
    });
  };

  const addText = (
    group: SVGGElement,
    { text, part }: GraphicItem,
    points: readonly PicturePoint[],
    packet: GraphicsPacket,
    color: readonly number[],
  ) => {
    if (text === undefined) return;
    const paint = toPaint(color);
    const { value, box, anchor } = text;
    const element = createSvgElement('text', styles.text);
    element.setAttribute('fill', toPaint(lighten(color)));
    element.dataset['part'] = String(part);
    const align = box?.align ?? 'left';
    element.setAttribute('text-anchor', align === 'left' ? 'start' : align === 'right' ? 'end' : 'middle');
    const lines = value.split('\n').map((line) => {
      const row = createSvgElement('tspan', undefined);
      row.textContent = line;
      element.append(row);
      return row;
    });
    group.append(element);
    const longest = Math.max(...lines.map(({ textContent }) => textContent.length));
    const size = { width: longest * LETTER_PX, height: lines.length * LINE_HEIGHT_PX };
    const target = anchor && toPicturePoint(...anchor.point, anchor.units, packet);
    const leader = anchor?.isMarked === true ? createSvgElement('line', undefined) : undefined;
    if (leader !== undefined) {
      leader.setAttribute('stroke', paint);
      leader.setAttribute('stroke-width', String(LINE_PX));
      group.append(leader);
    }
    const corners = box && {
      first: toPicturePoint(box.corners[0], box.corners[1], box.units, packet),
      last: toPicturePoint(box.corners[2], box.corners[3], box.units, packet),
    };
    placed.push({
      place: (toScreen, taken) => {
        const start = corners
          ? startInBox(toScreen, corners.first, corners.last, align)
          : startBeside(toScreen, target === undefined ? points : [target], size, taken);
        if (start === undefined) return;
        for (const [at, row] of lines.entries()) {
          setNumbers(row, { x: start.x, y: start.y + (at + 0.8) * LINE_HEIGHT_PX });
        }
        if (leader === undefined || target === undefined) return;
        const to = applyMatrix(toScreen, { x: target[0], y: target[1] });
        const from = corners ? nearestOfBox(toScreen, corners.first, corners.last, to) : start;
        setNumbers(leader, { x1: from.x, y1: from.y, x2: to.x, y2: to.y });
      },
    });
  };

  return {
    draw(drawn, toScreen) {
      const isSame =
        drawn.length === built.length &&
        drawn.every(({ packet, look }, at) => built[at]?.packet === packet && built[at].look === look);
      if (!isSame) build(drawn);
      const taken: TextRectangle[] = [];
      for (const { place } of placed) place(toScreen, taken);
    },
  };
}

function addUncertainty(lines: SVGGElement, points: readonly PicturePoint[], radius: number, paint: string): void {
  for (const [x, y] of points) {
    const circle = createSvgElement('circle', undefined);
    setNumbers(circle, { cx: x, cy: y, r: radius });
    circle.setAttribute('fill', 'none');
    circle.setAttribute('stroke', paint);
    circle.setAttribute('stroke-opacity', '0.7');
    circle.setAttribute('stroke-dasharray', '2 3');
    circle.setAttribute('vector-effect', 'non-scaling-stroke');
    lines.append(circle);
  }
}

type ScreenPoint = { readonly x: number; readonly y: number };

const MARKS = {
  cross: ({ x, y }: ScreenPoint) => `M${x - MARK_PX} ${y}L${x + MARK_PX} ${y}M${x} ${y - MARK_PX}L${x} ${y + MARK_PX}`,
  circle: ({ x, y }: ScreenPoint) =>
    `M${x - MARK_PX} ${y}a${MARK_PX} ${MARK_PX} 0 1 0 ${2 * MARK_PX} 0a${MARK_PX} ${MARK_PX} 0 1 0 ${-2 * MARK_PX} 0`,
  square: ({ x, y }: ScreenPoint) => `M${x - MARK_PX} ${y - MARK_PX}h${2 * MARK_PX}v${2 * MARK_PX}h${-2 * MARK_PX}z`,
} as const;

/** A triangle at a point, away from where the line comes from. */
function arrowHead(tip: ScreenPoint, from: ScreenPoint): string {
  const length = Math.hypot(tip.x - from.x, tip.y - from.y) || 1;
  const [dx, dy] = [((tip.x - from.x) / length) * ARROW_PX, ((tip.y - from.y) / length) * ARROW_PX];
  const side = (sign: 1 | -1) => `L${tip.x - dx - (sign * dy) / 2.5} ${tip.y - dy + (sign * dx) / 2.5}`;
  return `M${tip.x} ${tip.y}${side(1)}${side(-1)}Z`;
}

function startInBox(
  toScreen: Matrix,
  [x1, y1]: PicturePoint,
  [x2, y2]: PicturePoint,
  align: 'left' | 'center' | 'right',
): ScreenPoint {
  const [a, b] = [applyMatrix(toScreen, { x: x1, y: y1 }), applyMatrix(toScreen, { x: x2, y: y2 })];
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
  return {
    x: align === 'left' ? left : align === 'right' ? right : (left + right) / 2,
    y: Math.min(a.y, b.y),
  };
}

function nearestOfBox(
  toScreen: Matrix,
  [x1, y1]: PicturePoint,
  [x2, y2]: PicturePoint,
  { x, y }: ScreenPoint,
): ScreenPoint {
  const [a, b] = [applyMatrix(toScreen, { x: x1, y: y1 }), applyMatrix(toScreen, { x: x2, y: y2 })];
  return {
    x: Math.min(Math.max(x, Math.min(a.x, b.x)), Math.max(a.x, b.x)),
    y: Math.min(Math.max(y, Math.min(a.y, b.y)), Math.max(a.y, b.y)),
  };
}

/** To the right of a shape, at its upper end, or below the texts that are there already. */
function startBeside(
  toScreen: Matrix,
  points: readonly PicturePoint[],
  size: Pick<TextRectangle, 'width' | 'height'>,
  taken: TextRectangle[],
): ScreenPoint | undefined {
  if (points.length === 0) return undefined;
  let [right, top] = [-Infinity, Infinity];
  for (const [x, y] of points) {
    const at = applyMatrix(toScreen, { x, y });
    right = Math.max(right, at.x);
    top = Math.min(top, at.y);
  }
  const free = { x: right + TEXT_GAP_PX, y: top, ...size };
  for (let tries = 0; tries < MOST_TEXTS && taken.length < MOST_TEXTS; tries += 1) {
    const other = taken.find((one) => isOverlapping(one, free));
    if (other === undefined) break;
    free.y = other.y + other.height;
  }
  taken.push(free);
  return free;
}

/** Of more texts over one picture, nobody can read any. */
const MOST_TEXTS = 100;
/** Dark colors are not readable as letters. */
const LEAST_BRIGHTNESS = 150;

function lighten(color: readonly number[]): readonly number[] {
  const [red = 0, green = 0, blue = 0] = color;
  const brightness = 0.3 * red + 0.59 * green + 0.11 * blue;
  if (brightness >= LEAST_BRIGHTNESS) return color;
  const part = (LEAST_BRIGHTNESS - brightness) / (255 - brightness);
  return color.map((value) => Math.round(value + (255 - value) * part));
}

function toPaint(color: readonly number[]): string {
  return `rgb(${color.join(' ')})`;
}
