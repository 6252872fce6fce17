import type { Rgb } from '../../../shared/cielab.ts';
import type { SheetBox } from './layOutSheet.ts';
import { blendPixel, type SheetCanvas } from './sheetCanvas.ts';

/** Coordinates of x and y in pixels of a box, from its upper left corner. */
export type TileLine = readonly number[];

export type LineStroke = {
  readonly color: Rgb;
  readonly alpha: number;
  /** Width in pixels. */
  readonly width: number;
  readonly isDashed?: boolean;
};

/** Pixels along lines that may still be drawn, so that files do not decide how long drawing takes. */
export type LineBudget = { left: number };

const DASH = [4, 3] as const;
/** Corners that are nearer to each other are one. */
const NEAR = 0.2;

/** Draws lines with smooth edges; where they cross each other, they are no denser. False if the budget ended before. */
export function strokeLines(
  canvas: SheetCanvas,
  box: SheetBox,
  lines: readonly TileLine[],
  stroke: LineStroke,
  budget: LineBudget,
): boolean {
  const cover: Cover = { shares: new Float32Array(box.width * box.height), top: box.height, bottom: 0 };
  let isWhole = true;
  for (const line of lines) {
    for (const [x1, y1, x2, y2] of listSegments(line, stroke.isDashed === true)) {
      const inside = clipLine([x1, y1, x2, y2], box, stroke.width);
      if (inside === undefined) continue;
      budget.left -= Math.abs(inside[2] - inside[0]) + Math.abs(inside[3] - inside[1]) + 1;
      if (budget.left < 0) {
        isWhole = false;
        break;
      }
      coverSegment(cover, box, inside, stroke.width / 2);
    }
  }
  for (let y = cover.top, at = y * box.width; y < cover.bottom; y += 1) {
    for (let x = 0; x < box.width; x += 1, at += 1) {
      if (cover.shares[at]! > 0) blendPixel(canvas, box, x, y, stroke.color, cover.shares[at]! * stroke.alpha);
    }
  }
  return isWhole;
}

/** How much of each pixel is covered, and the rows where something is. */
type Cover = { readonly shares: Float32Array; top: number; bottom: number };

type Segment = readonly [x1: number, y1: number, x2: number, y2: number];

function* listSegments(line: TileLine, isDashed: boolean): Generator<Segment> {
  let [x, y] = [line[0] ?? NaN, line[1] ?? NaN];
  /** What is left of the dash or the gap. */
  let isGap = false;
  let left: number = DASH[0];
  const last = line.length - 2;
  for (let at = 2; at <= last; at += 2) {
    const [toX, toY] = [line[at]!, line[at + 1]!];
    const length = Math.hypot(toX - x, toY - y);
    if (!(length >= NEAR) && at < last) continue;
    if (!isDashed) {
      yield [x, y, toX, toY];
      [x, y] = [toX, toY];
      continue;
    }
    // A line that is far longer than any picture has no dashes worth drawing.
    let passed = length > MOST_DASHED ? length : 0;
    while (passed < length) {
      const step = Math.min(left, length - passed);
      const [from, to] = [passed / length, (passed + step) / length];
      if (!isGap) yield [x + (toX - x) * from, y + (toY - y) * from, x + (toX - x) * to, y + (toY - y) * to];
      passed += step;
      left -= step;
      if (left > 0) continue;
      isGap = !isGap;
      left = DASH[isGap ? 1 : 0];
    }
    [x, y] = [toX, toY];
  }
}

const MOST_DASHED = 10_000;

/** The part of a line in a box with some margin (Liang and Barsky); undefined if there is none. */
function clipLine([x1, y1, x2, y2]: Segment, { width, height }: SheetBox, margin: number): Segment | undefined {
  const [dx, dy] = [x2 - x1, y2 - y1];
  let [from, to] = [0, 1];
  const edges = [
    [-dx, x1 + margin],
    [dx, width + margin - x1],
    [-dy, y1 + margin],
    [dy, height + margin - y1],
  ] as const;
  for (const [step, room] of edges) {
    if (step === 0) {
      if (!(room >= 0)) return undefined;
    } else if (step < 0) from = Math.max(from, room / step);
    else to = Math.min(to, room / step);
  }
  // Also for coordinates that are no numbers.
  if (!(from <= to)) return undefined;
  return [x1 + dx * from, y1 + dy * from, x1 + dx * to, y1 + dy * to];
}

/** How much of each pixel near a line is covered by it. */
function coverSegment(cover: Cover, { width, height }: SheetBox, [x1, y1, x2, y2]: Segment, radius: number): void {
  const { shares } = cover;
  const [dx, dy] = [x2 - x1, y2 - y1];
  const square = dx * dx + dy * dy;
  const reach = radius + 1;
  const isFlat = Math.abs(dx) >= Math.abs(dy);
  const [start, end] = isFlat ? [Math.min(x1, x2), Math.max(x1, x2)] : [Math.min(y1, y2), Math.max(y1, y2)];
  const [long, short] = isFlat ? [width, height] : [height, width];
  const slope = isFlat ? dy / (dx || 1) : dx / (dy || 1);
  // Across the line, a slanted one reaches farther.
  const across = reach * Math.SQRT2;
  for (let along = Math.max(0, Math.floor(start - reach)); along < Math.min(long, end + reach); along += 1) {
    const place = Math.min(end, Math.max(start, along + 0.5));
    const middle = isFlat ? y1 + (place - x1) * slope : x1 + (place - y1) * slope;
    const first = Math.max(0, Math.floor(middle - across));
    for (let side = first; side < Math.min(short, middle + across); side += 1) {
      const [x, y] = isFlat ? [along, side] : [side, along];
      const share = square === 0 ? 0 : Math.min(1, Math.max(0, ((x + 0.5 - x1) * dx + (y + 0.5 - y1) * dy) / square));
      const distance = Math.hypot(x + 0.5 - x1 - dx * share, y + 0.5 - y1 - dy * share);
      const at = y * width + x;
      shares[at] = Math.max(shares[at]!, Math.min(1, radius + 0.5 - distance));
    }
  }
  cover.top = Math.min(cover.top, Math.max(0, Math.floor(Math.min(y1, y2) - across)));
  cover.bottom = Math.max(cover.bottom, Math.min(height, Math.ceil(Math.max(y1, y2) + across)));
}
