/** A round length that a scale bar can show. */
export type ScaleLength = { readonly millimetres: number; readonly pixels: number; readonly label: string };

const ROUND = [1, 2, 5];

/** The longest round length that takes at most `mostPixels`. */
export function chooseBarLength(pixelsPerMm: number, mostPixels: number): ScaleLength | undefined {
  const mostMm = mostPixels / pixelsPerMm;
  if (!(mostMm > 0) || !Number.isFinite(mostMm)) return undefined;
  const power = 10 ** Math.floor(Math.log10(mostMm));
  const factor = ROUND.findLast((each) => each * power <= mostMm * (1 + 1e-9)) ?? 1;
  const millimetres = factor * power;
  return { millimetres, pixels: millimetres * pixelsPerMm, label: labelOf(millimetres) };
}

function labelOf(millimetres: number): string {
  if (millimetres >= 10) return `${Math.round(millimetres / 10)} cm`;
  if (millimetres >= 1) return `${Math.round(millimetres)} mm`;
  const micrometres = millimetres * 1000;
  return `${Number(micrometres.toPrecision(1))} µm`;
}
