import { isClusters, type PointShapes, type PointsPacket } from '../../../../shared/pointsPacket.ts';
import { isSlideRegion, type SlideRegion } from '../../../show/pictures/layerTarget.ts';
import type { Matrix } from '../../../kit/state/viewState.ts';
import type { LayerLook } from '../../../../shared/partStyle.ts';
import type { DrawingSurfaces, LayerDrawer, StyledLayer } from '../layerPainter.ts';
import { type Cluster, mergeClusters } from './mergeClusters.ts';
import { colorAt, colorPlaceOf, countShown, findPointsLook, isShown, type ValueColors } from './pointsLook.ts';

const LINE_PX = 1.25;
const DOT_PX = 2;
/** Few points are drawn larger, because they are looked for. */
const LARGE_DOT_PX = 5;
const FEW = 500;
/** Areas are pale, because the tissue below must stay visible. */
const FILL = 0.6;
/** A piece that is larger on the screen has few annotations, which are drawn without a picture of them. */
const MOST_PICTURE_PX = 2048;
/** Pictures are painted again for this long in one animation frame; the others wait for the next one. */
const PAINT_MS = 8;

type Picture = { readonly look: LayerLook; readonly scale: number; readonly canvas: HTMLCanvasElement };
type Args = { readonly drawn: readonly StyledLayer<PointsPacket>[]; readonly imageToCanvas: Matrix };

/**
 * Draws annotations of slides on a canvas of their own, which lies over all other layers. Pieces with many annotations
 * are painted once for a zoom and then moved as pictures.
 */
export function createPointsDrawer({ top }: DrawingSurfaces): LayerDrawer<PointsPacket> {
  const context = top.getContext('2d');
  let pictures = new Map<PointsPacket, Picture>();
  let last: Args | undefined;
  let isWaiting = false;

  const paintAll = () => {
    if (context === null || last === undefined) return;
    const { drawn, imageToCanvas } = last;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, top.width, top.height);
    const until = performance.now() + PAINT_MS;
    const next: typeof pictures = new Map();
    let isComplete = true;
    for (const one of drawn) {
      const { target, packet, look } = one;
      if (!isSlideRegion(target)) continue;
      const scale = Math.hypot(imageToCanvas[0], imageToCanvas[1]);
      if (Math.max(target.width, target.height) * scale > MOST_PICTURE_PX) {
        drawDirectly(context, one, target, imageToCanvas);
        continue;
      }
      let picture = pictures.get(packet);
      const isOld = picture === undefined || picture.look !== look || Math.abs(picture.scale / scale - 1) > 0.01;
      // The first one is always painted, so that each frame makes progress.
      if (isOld && (next.size === 0 || performance.now() < until)) picture = paintPicture(one, target, scale);
      else if (isOld) isComplete = false;
      if (picture === undefined) continue;
      next.set(packet, picture);
      context.setTransform(...imageToCanvas);
      context.drawImage(picture.canvas, target.x, target.y, target.width, target.height);
    }
    pictures = next;
    if (!isComplete) scheduleRest();
  };

  const scheduleRest = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      paintAll();
    });
  };

  return {
    draw({ canvas }, drawn, imageToCanvas) {
      const [width, height] = drawn.length === 0 ? [0, 0] : [canvas.width, canvas.height];
      if (top.width !== width) top.width = width;
      if (top.height !== height) top.height = height;
      last = { drawn, imageToCanvas };
      if (drawn.length === 0) pictures = new Map();
      else paintAll();
    },
  };
}

function paintPicture(one: StyledLayer<PointsPacket>, { width, height }: SlideRegion, scale: number): Picture {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext('2d');
  if (context !== null) paint(context, one, [canvas.width / width, 0, 0, canvas.height / height, 0, 0]);
  return { look: one.look, scale, canvas };
}

/** Without the annotations of other pieces, which reach into this one and are drawn there. */
function drawDirectly(
  context: CanvasRenderingContext2D,
  one: StyledLayer<PointsPacket>,
  { x, y, width, height }: SlideRegion,
  [a, b, c, d, e, f]: Matrix,
): void {
  context.save();
  context.setTransform(a, b, c, d, e, f);
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  paint(context, one, [a, b, c, d, a * x + c * y + e, b * x + d * y + f]);
  context.restore();
}

/** Paints with a matrix from pixels of the region to those of the canvas. */
function paint(context: CanvasRenderingContext2D, { packet, look }: StyledLayer<PointsPacket>, matrix: Matrix): void {
  const { content } = packet;
  context.setTransform(1, 0, 0, 1, 0, 0);
  if (isClusters(content)) {
    const isVisible = (part: number) => look.styleOf(part).isVisible;
    const { colors, filter } = findPointsLook(look.ofClient) ?? {};
    const valueOf = (entry: number) => {
      const place = colors?.placeOf.get(content.parts[entry]!);
      return place === undefined ? NaN : content.values[entry * content.width + place]!;
    };
    const countOf = (entry: number) => countShown(filter, content, entry);
    for (const cluster of mergeClusters(content, isVisible, countOf, valueOf)) {
      paintCluster(context, cluster, look, matrix, content.cell);
    }
  } else paintShapes(context, content, look, matrix);
  context.globalAlpha = 1;
}

function paintShapes(context: CanvasRenderingContext2D, shapes: PointShapes, look: LayerLook, matrix: Matrix): void {
  const { parts, types, starts, points, width, values } = shapes;
  const { colors: byValue, filter } = findPointsLook(look.ofClient) ?? {};
  const paths = new Map<string, ColoredPaths>();
  const pathOf = (part: number, at: number) => {
    const place = byValue?.placeOf.get(part);
    const color = byValue && colorByValue(byValue, place === undefined ? NaN : values[at * width + place]!);
    const key = `${part} ${color ?? ''}`;
    const known = paths.get(key) ?? { part, color, areas: new Path2D(), lines: new Path2D(), dots: new Path2D() };
    paths.set(key, known);
    return known;
  };
  const [a, b, c, d, e, f] = matrix;
  // In packets, (0, 0) is the centre of the first pixel; in pictures, its corner.
  const xOf = (at: number) => a * (points[2 * at]! + 0.5) + c * (points[2 * at + 1]! + 0.5) + e;
  const yOf = (at: number) => b * (points[2 * at]! + 0.5) + d * (points[2 * at + 1]! + 0.5) + f;
  const dot = (types.length <= FEW ? LARGE_DOT_PX : DOT_PX) * devicePixelRatio;
  for (let i = 0; i < types.length; i += 1) {
    if (!isShown(filter, shapes, i)) continue;
    const part = parts[i]!;
    const [start, end] = [starts[i]!, starts[i + 1]!];
    const { areas, lines, dots } = pathOf(part, i);
    switch (types[i]!) {
      case 0:
        for (let at = start; at < end; at += 1) dots.rect(xOf(at) - dot / 2, yOf(at) - dot / 2, dot, dot);
        break;
      case 3:
        addEllipse(areas, (at) => [xOf(start + at), yOf(start + at)]);
        break;
      default: {
        const path = types[i] === 1 ? lines : areas;
        path.moveTo(xOf(start), yOf(start));
        for (let at = start + 1; at < end; at += 1) path.lineTo(xOf(at), yOf(at));
        if (path === areas) path.closePath();
      }
    }
  }
  context.lineWidth = LINE_PX * devicePixelRatio;
  context.lineJoin = 'round';
  for (const { part, color: ofValue, areas, lines, dots } of paths.values()) {
    const { isVisible, isOutline, opacity } = look.styleOf(part);
    if (!isVisible) continue;
    const color = ofValue ?? `rgb(${look.colorOf(part).join(' ')})`;
    context.fillStyle = color;
    context.strokeStyle = color;
    if (!isOutline) {
      context.globalAlpha = opacity * FILL;
      context.fill(areas);
    }
    context.globalAlpha = 0.5 + opacity / 2;
    context.stroke(areas);
    context.stroke(lines);
    context.fill(dots);
  }
}

type ColoredPaths = {
  readonly part: number;
  /** Of a value; undefined for that of the part. */
  readonly color: string | undefined;
  readonly areas: Path2D;
  readonly lines: Path2D;
  readonly dots: Path2D;
};

/** Annotations without a value. */
const NO_VALUE = 'rgb(128 128 128)';

function colorByValue(look: ValueColors, value: number): string {
  const place = colorPlaceOf(look, value);
  return place === undefined ? NO_VALUE : colorAt(look.colorMap, place);
}

/** By the ends of its two axes. */
function addEllipse(path: Path2D, pointAt: (at: number) => readonly [number, number]): void {
  const [[x1, y1], [x2, y2], [x3, y3], [x4, y4]] = [pointAt(0), pointAt(1), pointAt(2), pointAt(3)];
  const [major, minor] = [Math.hypot(x2 - x1, y2 - y1) / 2, Math.hypot(x4 - x3, y4 - y3) / 2];
  const turn = Math.atan2(y2 - y1, x2 - x1);
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  path.moveTo(x + major * Math.cos(turn), y + major * Math.sin(turn));
  path.ellipse(x, y, major, minor, turn, 0, 2 * Math.PI);
}

const LEAST_RADIUS_PX = 7;
const RADIUS_PER_DOUBLING_PX = 1.6;

/** A disc with the number of annotations, within its cell, so that no other piece has to draw a part of it. */
function paintCluster(
  context: CanvasRenderingContext2D,
  { x, y, count, part, value, left, top }: Cluster,
  look: LayerLook,
  [a, b, c, d, e, f]: Matrix,
  cell: number,
): void {
  const ratio = devicePixelRatio;
  const cellPx = cell * Math.hypot(a, b);
  const radius = Math.min(
    cellPx * 0.48,
    (LEAST_RADIUS_PX + RADIUS_PER_DOUBLING_PX * Math.log2(Math.max(1, count))) * ratio,
  );
  const inset = (radius / cellPx) * cell;
  const inX = Math.min(Math.max(x, left + inset), left + cell - inset);
  const inY = Math.min(Math.max(y, top + inset), top + cell - inset);
  const [atX, atY] = [a * inX + c * inY + e, b * inX + d * inY + f];
  const { opacity } = look.styleOf(part);
  context.globalAlpha = 0.35 + opacity / 2;
  const { colors } = findPointsLook(look.ofClient) ?? {};
  const byValue = colors && colorByValue(colors, value);
  context.fillStyle = byValue ?? `rgb(${look.colorOf(part).join(' ')})`;
  context.beginPath();
  context.arc(atX, atY, radius, 0, 2 * Math.PI);
  context.fill();
  context.globalAlpha = 1;
  context.font = `600 ${11 * ratio}px sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineWidth = 2.5 * ratio;
  context.strokeStyle = 'rgb(0 0 0 / 70%)';
  context.fillStyle = '#fff';
  const text = count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
  context.strokeText(text, atX, atY);
  context.fillText(text, atX, atY);
}
