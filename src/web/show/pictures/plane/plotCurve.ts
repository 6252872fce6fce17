/** A value of a curve; undefined while it is not known, null where there is none. */
export type CurveValue = number | null | undefined;

export type CurvePlot = {
  /** A line for each run of values without a gap, in the unit square with y downwards. */
  readonly lines: readonly (readonly PlottedValue[])[];
  /** Undefined without any value. */
  readonly range: { readonly low: number; readonly high: number } | undefined;
  /** The place of each time along the x axis. */
  readonly places: readonly number[];
};

export type PlottedValue = { readonly x: number; readonly y: number; readonly index: number };

/** `times` are in their own unit; if they do not ascend, or are not known, the values stand at equal distances. */
export function plotCurve(values: readonly CurveValue[], times: readonly number[]): CurvePlot {
  const places = placeTimes(values.length, times);
  const known = values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
  if (known.length === 0) return { lines: [], range: undefined, places };
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const lines: PlottedValue[][] = [];
  let line: PlottedValue[] | undefined;
  for (const [index, value] of values.entries()) {
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      line = undefined;
      continue;
    }
    if (line === undefined) lines.push((line = []));
    // A curve that does not change is a line in the middle.
    line.push({ x: places[index]!, y: high === low ? 0.5 : (high - value) / (high - low), index });
  }
  return { lines, range: { low, high }, places };
}

function placeTimes(count: number, times: readonly number[]): number[] {
  const [first = NaN, last = NaN] = [times[0], times[count - 1]];
  const ascends = times.length === count && times.every((time, at) => at === 0 || time > times[at - 1]!);
  if (ascends && count > 1) return times.map((time) => (time - first) / (last - first));
  return Array.from({ length: count }, (_, at) => (count === 1 ? 0.5 : at / (count - 1)));
}
