import { listTicks } from '../../../kit/ui/listTicks.ts';
import { formatClock } from './formatClock.ts';
import { LEFT_MM, type PaperPlan, STEP_MM } from './planPaper.ts';
import type { RowsPlan } from './planRows.ts';
import { type Strip, xOf, yOf } from './strips.ts';
import type { TraceValues } from './traceValues.ts';

export type Inks = {
  readonly trace: string;
  readonly paper: string;
  readonly fine: string;
  readonly strong: string;
  readonly mark: string;
};

/** A canvas has no light-dark(): the colors are those of the element's own style. */
export function readInks(element: HTMLElement): Inks {
  const { color, backgroundColor, borderTopColor, borderBottomColor, outlineColor } = getComputedStyle(element);
  return {
    trace: color,
    paper: backgroundColor,
    fine: borderTopColor,
    strong: borderBottomColor,
    mark: outlineColor,
  };
}

export type Mark = { readonly timeS: number; readonly text: string };

type Drawing = {
  readonly values: readonly (TraceValues | undefined)[];
  readonly marks: readonly Mark[];
  readonly inks: Inks;
};

/** An ECG on its paper. */
export function drawPaper(context: CanvasRenderingContext2D, plan: PaperPlan, { values, marks, inks }: Drawing): void {
  const { strips, width, height, pxPerMm, steps } = plan;
  drawGround(context, width, height, inks);
  // Finer lines than these would be gray.
  if (pxPerMm >= 2.5) drawLines(context, plan, 1, inks.fine);
  drawLines(context, plan, 5, inks.strong);
  context.strokeStyle = inks.trace;
  context.lineWidth = 1.2;
  for (const { zeroY, heightPx } of steps) {
    const [from, to] = [(LEFT_MM - STEP_MM - 2) * pxPerMm, (LEFT_MM - 2) * pxPerMm];
    const path = [
      [from - 2 * pxPerMm, zeroY],
      [from, zeroY],
      [from, zeroY - heightPx],
      [to, zeroY - heightPx],
      [to, zeroY],
      [to + pxPerMm, zeroY],
    ] as const;
    context.beginPath();
    for (const [x, y] of path) context.lineTo(x, y);
    context.stroke();
  }
  drawMarks(context, strips, marks, height, inks);
  for (const [at, strip] of strips.entries()) {
    drawTrace(context, strip, values[at], inks.trace);
    const isFirst = strip.left <= LEFT_MM * pxPerMm + 1;
    drawName(context, strip, strip.left + (isFirst ? 0 : 3), strip.zeroY - strip.height * 0.34, inks);
    if (!isFirst) drawDivider(context, strip, inks);
  }
}

/** Rows over one time axis. */
export function drawRows(context: CanvasRenderingContext2D, plan: RowsPlan, { values, marks, inks }: Drawing): void {
  const { strips, width, height } = plan;
  drawGround(context, width, height, inks);
  const [first] = strips;
  if (first === undefined) return;
  const bottom = first.height * strips.length;
  const endS = first.startS + first.width / first.pxPerS;
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'center';
  const ticks = listTicks(first.startS, endS, Math.max(2, first.width / 110));
  const stepS = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  for (const tick of ticks) {
    const x = Math.round(xOf(first, tick)) + 0.5;
    drawLine(context, inks.fine, [x, 0], [x, bottom]);
    context.fillStyle = inks.trace;
    context.fillText(formatClock(tick, stepS), x, bottom + 16);
  }
  drawMarks(context, strips, marks, bottom, inks);
  for (const [at, strip] of strips.entries()) {
    drawLine(context, inks.strong, [0, strip.top + 0.5], [width, strip.top + 0.5]);
    drawScale(context, strip, inks);
    drawTrace(context, strip, values[at], inks.trace);
    drawName(context, strip, 6, strip.top + 16, inks);
  }
  drawLine(context, inks.strong, [0, bottom + 0.5], [width, bottom + 0.5]);
}

function drawGround(context: CanvasRenderingContext2D, width: number, height: number, { paper }: Inks): void {
  context.fillStyle = paper;
  context.fillRect(0, 0, width, height);
}

function drawLines(
  context: CanvasRenderingContext2D,
  { width, height, pxPerMm }: PaperPlan,
  everyMm: number,
  ink: string,
): void {
  context.strokeStyle = ink;
  context.lineWidth = everyMm === 5 ? 1 : 0.6;
  context.beginPath();
  const step = everyMm * pxPerMm;
  for (let x = 0; x <= width; x += step) {
    context.moveTo(x, 0);
    context.lineTo(x, height);
  }
  for (let y = 0; y <= height; y += step) {
    context.moveTo(0, y);
    context.lineTo(width, y);
  }
  context.stroke();
}

type Corner = readonly [x: number, y: number];

function drawLine(context: CanvasRenderingContext2D, ink: string, from: Corner, to: Corner): void {
  context.strokeStyle = ink;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

/** A short line where the next lead of a row begins. */
function drawDivider(context: CanvasRenderingContext2D, { left, zeroY, height }: Strip, { trace }: Inks): void {
  drawLine(context, trace, [left, zeroY - height * 0.12], [left, zeroY + height * 0.12]);
}

function drawName(context: CanvasRenderingContext2D, strip: Strip, x: number, y: number, { trace, mark }: Inks): void {
  context.textAlign = 'left';
  context.font = 'bold 12px system-ui, sans-serif';
  context.fillStyle = strip.note === 'derived' ? mark : trace;
  context.fillText(strip.name, x, y, 84);
  if (strip.note === '') return;
  const beside = context.measureText(strip.name).width + 5;
  context.font = 'italic 11px system-ui, sans-serif';
  const isBelow = x < strip.left;
  context.fillText(strip.note, isBelow ? x : x + beside, isBelow ? y + 14 : y, 84);
}

/** Two or three numbers at the left of a row, and its unit. */
function drawScale(context: CanvasRenderingContext2D, strip: Strip, { trace, fine }: Inks): void {
  const low = (strip.zeroY - strip.top - strip.height) / strip.pxPerUnit;
  const high = (strip.zeroY - strip.top) / strip.pxPerUnit;
  context.font = '10px system-ui, sans-serif';
  context.textAlign = 'right';
  for (const tick of listTicks(low, high, 3)) {
    const y = Math.round(yOf(strip, tick)) + 0.5;
    if (y < strip.top + 8 || y > strip.top + strip.height - 4) continue;
    drawLine(context, fine, [strip.left, y], [strip.left + strip.width, y]);
    context.fillStyle = trace;
    context.fillText(String(tick), strip.left - 5, y + 3, 50);
  }
  context.textAlign = 'left';
  context.fillStyle = trace;
  context.fillText(strip.unit, 6, strip.top + strip.height - 8, 50);
}

/** A dashed line for each annotation at a time, on the rows that show that time, with its text if there is room. */
function drawMarks(
  context: CanvasRenderingContext2D,
  strips: readonly Strip[],
  marks: readonly Mark[],
  bottom: number,
  { mark }: Inks,
): void {
  const wholes = strips.filter(({ left }) => left === strips[0]?.left);
  const [widest] = wholes.toSorted((a, b) => b.width - a.width);
  if (widest === undefined) return;
  context.save();
  context.setLineDash([4, 3]);
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'left';
  context.fillStyle = mark;
  // A paper with several columns shows such a time only in its rhythm strip.
  const top = strips.length > wholes.length ? widest.top : 0;
  const shown = marks
    .map(({ timeS, text }) => ({ x: xOf(widest, timeS), text }))
    .filter(({ x }) => x >= widest.left && x <= widest.left + widest.width)
    .toSorted((a, b) => a.x - b.x);
  let free = -Infinity;
  for (const [at, { x, text }] of shown.entries()) {
    drawLine(context, mark, [x, top], [x, bottom]);
    const end = x + 6 + Math.min(LONGEST_MARK_PX, context.measureText(text).width);
    if (x < free || end > (shown[at + 1]?.x ?? widest.left + widest.width)) continue;
    context.fillText(text, x + 3, top + 11, LONGEST_MARK_PX);
    free = end;
  }
  context.restore();
}

const LONGEST_MARK_PX = 160;

/** One line; it is broken where there is no value. */
function drawTrace(context: CanvasRenderingContext2D, strip: Strip, trace: TraceValues | undefined, ink: string): void {
  if (trace === undefined) return;
  const { values, isMinMax, startS, stepS } = trace;
  const perStep = isMinMax ? 2 : 1;
  const steps = values.length / perStep;
  const first = Math.max(0, Math.floor((strip.startS - startS) / stepS) - 1);
  const end = Math.min(steps, Math.ceil((strip.startS + strip.width / strip.pxPerS - startS) / stepS) + 2);
  context.save();
  context.beginPath();
  context.rect(strip.left, 0, strip.width, context.canvas.height);
  context.clip();
  context.strokeStyle = ink;
  context.lineWidth = 1.2;
  context.lineJoin = 'round';
  context.beginPath();
  let isDown = false;
  for (let step = first; step < end; step += 1) {
    const x = xOf(strip, startS + step * stepS);
    for (let part = 0; part < perStep; part += 1) {
      const value = values[step * perStep + part]!;
      const y = yOf(strip, value);
      if (Number.isNaN(value)) isDown = false;
      else if (isDown) context.lineTo(x, y);
      else {
        context.moveTo(x, y);
        // A sample between two gaps is a point.
        context.lineTo(x + 0.5, y);
        isDown = true;
      }
    }
  }
  context.stroke();
  context.restore();
}
