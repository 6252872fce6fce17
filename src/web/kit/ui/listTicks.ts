/** Round numbers from `lowest` to `highest`, about `count` of them. */
export function listTicks(lowest: number, highest: number, count: number): number[] {
  const rough = (highest - lowest) / count;
  if (!(rough > 0) || !Number.isFinite(rough)) return [lowest];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(lowest / step - 1e-9);
  const length = Math.max(0, Math.floor(highest / step + 1e-9) - first + 1);
  return Array.from({ length }, (_, at) => Number(((first + at) * step).toPrecision(12)) + 0);
}
