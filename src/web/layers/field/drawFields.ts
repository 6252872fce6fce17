import type { FieldPacket } from '../../../shared/fieldPacket.ts';
import { toPicturePixels } from '../../pictures/layerTarget.ts';
import { composeMatrices } from '../../pictures/viewTransform.ts';
import type { Matrix } from '../../state/viewState.ts';
import type { LayerDrawer } from '../layerPainter.ts';
import { fieldColorsOf, type FieldPaint, isFieldPaint } from './fieldLook.ts';
import { type SpreadField, spreadField } from './spreadField.ts';
import { traceLevel } from './traceLevel.ts';

const LINE_PX = 1.5;
const DASH_PX = [6, 4];

export function createFieldDrawer(): LayerDrawer<FieldPacket> {
  const keptOf = createKept();
  /** Pictures of the last drawing, so that moving the view repaints nothing. */
  let painted = new Map<FieldPacket, { readonly paint: FieldPaint; readonly canvas: HTMLCanvasElement }>();

  return {
    draw(context, drawn, imageToCanvas) {
      const next: typeof painted = new Map();
      let firstDose: FieldPaint | undefined;
      for (const { packet, target, look } of drawn) {
        const { ofClient: paint } = look;
        const { spread, lines } = keptOf(packet, drawn.length);
        if (!isFieldPaint(paint) || spread === undefined) continue;
        const toCanvas = composeMatrices(imageToCanvas, toPicturePixels(target));
        if (paint.isWash) {
          const known = painted.get(packet);
          const canvas = known?.paint === paint ? known.canvas : paintWash(spread, paint, known?.canvas);
          next.set(packet, { paint, canvas });
          const { left, top, width, height, parts } = spread;
          context.setTransform(...toCanvas);
          context.imageSmoothingEnabled = true;
          context.drawImage(canvas, left / parts, top / parts, width / parts, height / parts);
        }
        // Of two doses the second has dashed lines, so that they can be told apart.
        const isSecond = firstDose !== undefined && firstDose !== paint;
        if (paint.areLines) strokeLevels(context, { spread, lines, paint }, toCanvas, isSecond);
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

function paintWash(spread: SpreadField, paint: FieldPaint, reused = document.createElement('canvas')) {
  const { width, height } = spread;
  if (reused.width !== width) reused.width = width;
  if (reused.height !== height) reused.height = height;
  const data = new ImageData(width, height);
  colorField(new Uint32Array(data.data.buffer), spread.values, paint);
  reused.getContext('2d')?.putImageData(data, 0, 0);
  return reused;
}

const OPAQUE = 0xff000000;

/** One RGBA pixel for each value. What is missing or below the threshold stays transparent. */
export function colorField(pixels: Uint32Array, values: Float32Array, paint: Omit<FieldPaint, 'isDose'>): void {
  const { opacity, low, high, threshold = -Infinity, line } = paint;
  const alpha = Math.round(opacity * 255) * 0x1000000;
  const colors = fieldColorsOf(paint).map((color) => color - OPAQUE + alpha);
  const top = colors.length - 1;
  // The values of the look as values of the packet, whose line may fall.
  const perLevel = high === low ? 0 : top / (high - low);
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at]! * line.slope + line.intercept;
    if (!(value >= threshold)) continue;
    const level = perLevel === 0 ? (value < low ? 0 : top) : (value - low) * perLevel;
    pixels[at] = colors[level <= 0 ? 0 : level >= top ? top : Math.round(level)]!;
  }
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
