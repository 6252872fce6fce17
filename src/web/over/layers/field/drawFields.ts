import type { FieldPacket } from '../../../../shared/fieldPacket.ts';
import { keyOfTarget, toPicturePixels } from '../../../show/pictures/layerTarget.ts';
import { composeMatrices } from '../../../show/pictures/viewTransform.ts';
import type { Matrix } from '../../../kit/state/viewState.ts';
import type { LayerDrawer, StyledLayer } from '../layerPainter.ts';
import { colorField } from './colorField.ts';
import { fieldColorsOf, type FieldPaint, isFieldPaint } from './fieldLook.ts';
import { type MixedPicture, mixFields } from './mixFields.ts';
import { type SpreadField, spreadField } from './spreadField.ts';
import { traceLevel } from './traceLevel.ts';

const LINE_PX = 1.5;
const DASH_PX = [6, 4];

export function createFieldDrawer(): LayerDrawer<FieldPacket> {
  const keptOf = createKept();
  /** Pictures of the last drawing, so that moving the view repaints nothing. */
  let painted = new Map<FieldPacket, { readonly washed: readonly Washed[]; readonly picture: WashPicture }>();

  return {
    draw(context, drawn, imageToCanvas) {
      const next: typeof painted = new Map();
      let firstDose: FieldPaint | undefined;
      for (const { packet, target, look } of drawn) {
        const { ofClient: paint } = look;
        const { spread, lines } = keptOf(packet, drawn.length);
        if (!isFieldPaint(paint) || spread === undefined) continue;
        const toCanvas = composeMatrices(imageToCanvas, toPicturePixels(target));
        const washed = paint.isWash ? listWashed(drawn, { packet, target, paint }, keptOf) : [];
        if (washed[0]?.packet === packet) {
          const known = painted.get(packet);
          const picture =
            known !== undefined && isSame(known.washed, washed)
              ? known.picture
              : paintWashed(washed, known?.picture.canvas);
          if (picture !== undefined) {
            next.set(packet, { washed, picture });
            const { left, top, width, height, parts, canvas } = picture;
            context.setTransform(...toCanvas);
            context.imageSmoothingEnabled = true;
            context.drawImage(canvas, left / parts, top / parts, width / parts, height / parts);
          }
        }
        // Of two doses the second has dashed lines, so that they can be told apart.
        const isSecond = firstDose !== undefined && firstDose !== paint;
        if (paint.areLines) strokeLevels(context, { spread, lines, paint }, toCanvas, isSecond);
        const lit = paint.litLevel?.();
        if (lit !== undefined) strokeLit(context, { spread, lines, paint }, toCanvas, lit);
        if (paint.isDose) firstDose ??= paint;
      }
      painted = next;
    },
  };
}

/** What is made of a packet, which is much larger than the packet. */
type Kept = { readonly spread: SpreadField | undefined; readonly lines: Map<number, Path2D> };
/** The fields over a few images, for one canvas; more if more pieces of a slide are drawn at once. */
const MOST_KEPT = 8;

/** Keeps what was made of the packets that were drawn last. */
function createKept(): (packet: FieldPacket, drawn: number) => Kept {
  const kept = new Map<FieldPacket, Kept>();
  return (packet, drawn) => {
    const known = kept.get(packet) ?? { spread: spreadField(packet), lines: new Map() };
    kept.delete(packet);
    kept.set(packet, known);
    const [oldest] = kept.keys();
    if (kept.size > Math.max(MOST_KEPT, drawn) && oldest !== undefined) kept.delete(oldest);
    return known;
  };
}

/** A field that is painted, alone or mixed with others. */
type Washed = { readonly packet: FieldPacket; readonly spread: SpreadField; readonly paint: FieldPaint };
type WashPicture = Omit<MixedPicture, 'pixels'> & { readonly canvas: HTMLCanvasElement };

/** The field, or all those that are mixed with it over the same target; the first of them paints them. */
function listWashed(
  drawn: readonly StyledLayer<FieldPacket>[],
  one: Pick<StyledLayer<FieldPacket>, 'packet' | 'target'> & { readonly paint: FieldPaint },
  keptOf: (packet: FieldPacket, drawn: number) => Kept,
): readonly Washed[] {
  const group = one.paint.mix?.group;
  return drawn.flatMap(({ packet, target, look: { ofClient: paint } }) => {
    if (!isFieldPaint(paint) || !paint.isWash) return [];
    const isWith = group !== undefined && paint.mix?.group === group && keyOfTarget(target) === keyOfTarget(one.target);
    const { spread } = packet === one.packet || isWith ? keptOf(packet, drawn.length) : { spread: undefined };
    return spread === undefined ? [] : [{ packet, spread, paint }];
  });
}

function isSame(a: readonly Washed[], b: readonly Washed[]): boolean {
  return a.length === b.length && a.every(({ packet, paint }, at) => packet === b[at]?.packet && paint === b[at].paint);
}

function paintWashed(washed: readonly Washed[], reused = document.createElement('canvas')): WashPicture | undefined {
  const mixed = washed.flatMap(({ spread, paint }) =>
    paint.mix === undefined ? [] : [{ spread, paint, mix: paint.mix }],
  );
  const [only] = washed;
  if (only === undefined) return undefined;
  const picture = mixed[0] === undefined ? colorAlone(only) : mixFields(mixed, mixed[0].mix.group);
  if (picture === undefined) return undefined;
  const { pixels, ...place } = picture;
  const { width, height } = place;
  if (reused.width !== width) reused.width = width;
  if (reused.height !== height) reused.height = height;
  const data = new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
  reused.getContext('2d')?.putImageData(data, 0, 0);
  return { ...place, canvas: reused };
}

function colorAlone({ spread, paint }: Washed): MixedPicture {
  const { values, ...place } = spread;
  const pixels = new Uint32Array(values.length);
  colorField(pixels, values, paint);
  return { ...place, pixels };
}

/** The color of a value, as a style sheet has it. */
export function colorOfValue(look: Pick<FieldPaint, 'colorMap' | 'palette' | 'low' | 'high'>, value: number): string {
  const { low, high } = look;
  const colors = fieldColorsOf(look);
  const level = Math.round(((value - low) / (high - low)) * (colors.length - 1));
  const color = colors[Math.min(Math.max(level, 0), colors.length - 1)] ?? 0;
  return `rgb(${color & 0xff} ${(color >>> 8) & 0xff} ${(color >>> 16) & 0xff})`;
}

/** The user may try many levels. */
const MOST_LINES = 64;

function pathOf(lines: Map<number, Path2D>, spread: SpreadField, level: number): Path2D {
  const path = lines.get(level) ?? toPath(traceLevel(spread, level));
  if (lines.size >= MOST_LINES) lines.clear();
  lines.set(level, path);
  return path;
}

function toPath(points: readonly number[]): Path2D {
  const path = new Path2D();
  for (let at = 0; at < points.length; at += 4) {
    path.moveTo(points[at]!, points[at + 1]!);
    path.lineTo(points[at + 2]!, points[at + 3]!);
  }
  return path;
}

type Leveled = {
  readonly spread: SpreadField;
  /** Lines that are traced already, by level of the packet. */
  readonly lines: Map<number, Path2D>;
  readonly paint: FieldPaint;
};

/** Lines are transformed rather than the canvas, so that they are equally thin at every zoom. */
function strokeLevels(
  context: CanvasRenderingContext2D,
  { spread, lines, paint }: Leveled,
  imageToCanvas: Matrix,
  isDashed: boolean,
): void {
  const matrix = new DOMMatrix([...imageToCanvas]);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.lineWidth = LINE_PX * devicePixelRatio;
  context.lineCap = isDashed ? 'butt' : 'round';
  if (isDashed) context.setLineDash(DASH_PX.map((px) => px * devicePixelRatio));
  const { slope, intercept } = paint.line;
  for (const level of paint.levels) {
    const path = new Path2D();
    path.addPath(pathOf(lines, spread, (level - intercept) / slope), matrix);
    context.strokeStyle = colorOfValue(paint, level);
    context.stroke(path);
  }
  context.setLineDash([]);
}

/** White on black, so that it is seen on every color. */
function strokeLit(
  context: CanvasRenderingContext2D,
  { spread, lines, paint }: Leveled,
  imageToCanvas: Matrix,
  value: number,
): void {
  const { slope, intercept } = paint.line;
  const path = new Path2D();
  path.addPath(pathOf(lines, spread, (value - intercept) / slope), new DOMMatrix([...imageToCanvas]));
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.lineCap = 'round';
  for (const [px, color] of LIT_STROKES) {
    context.lineWidth = px * devicePixelRatio;
    context.strokeStyle = color;
    context.stroke(path);
  }
}

const LIT_STROKES = [
  [5, 'rgb(0 0 0 / 70%)'],
  [2.5, '#ffffff'],
] as const;
