import { LESIONS } from './anatomy/organs.ts';
import { CT_RESCALE_INTERCEPT, CT_SLICE_MM, CT_SPACING_MM, type CtSlice } from './ct.ts';
import { bitOf, boxOf, LIVER_LESIONS } from './structures.ts';

const LESION = bitOf(LIVER_LESIONS);

/** The measurements of the lesions in the report, taken from the images and not from the model. */
export type LesionMeasurements = {
  readonly volumeMl: number;
  readonly meanHounsfield: number;
  readonly longAxis: LongAxis;
};

/** Largest diameter of the largest lesion, on the slice where it is longest. */
export type LongAxis = {
  readonly lengthMm: number;
  readonly slice: CtSlice;
  /**
   * Column and row of both ends, in pixels. The corner of the first pixel is (0, 0), as in spatial coordinates of a
   * report.
   */
  readonly ends: readonly [number, number, number, number];
};

export function measureLesions(slices: readonly CtSlice[]): LesionMeasurements {
  let pixels = 0;
  let sum = 0;
  let longAxis: LongAxis | undefined;
  for (const slice of slices) {
    const box = boxOf(LESION, slice.membership);
    if (box === undefined) continue;
    const { columns } = slice.plane;
    for (let i = box.top * columns; i < (box.bottom + 1) * columns; i++) {
      if ((slice.membership.bits[i]! & LESION) === 0) continue;
      pixels += 1;
      sum += slice.stored[i]! + CT_RESCALE_INTERCEPT;
    }
    const across = longestAcross(slice);
    if (across !== undefined && across.lengthMm > (longAxis?.lengthMm ?? 0)) longAxis = across;
  }
  if (longAxis === undefined) throw new Error('no slice shows the largest lesion');
  const volumeMl = (pixels * CT_SPACING_MM * CT_SPACING_MM * CT_SLICE_MM) / 1000;
  return { volumeMl, meanHounsfield: sum / pixels, longAxis };
}

function longestAcross(slice: CtSlice): LongAxis | undefined {
  const { columns } = slice.plane;
  const edge = edgePixels(slice);
  let best: LongAxis | undefined;
  let longest = 0;
  for (const a of edge) {
    for (const b of edge) {
      const x = (a % columns) - (b % columns);
      const y = Math.floor(a / columns) - Math.floor(b / columns);
      const squared = x * x + y * y;
      if (squared <= longest) continue;
      longest = squared;
      best = {
        lengthMm: Math.sqrt(squared) * CT_SPACING_MM,
        slice,
        ends: [(a % columns) + 0.5, Math.floor(a / columns) + 0.5, (b % columns) + 0.5, Math.floor(b / columns) + 0.5],
      };
    }
  }
  return best;
}

/** The edge pixels of each row of the largest lesion. */
function edgePixels({ plane, membership }: CtSlice): number[] {
  const [centerX, centerY] = LESIONS[0].center;
  const reach = LESIONS[0].radiusMm + 8;
  const column = (x: number) => Math.round((x - plane.origin[0]) / CT_SPACING_MM);
  const row = (y: number) => Math.round((y - plane.origin[1]) / CT_SPACING_MM);
  const isLesion = (i: number) => (membership.bits[i]! & LESION) !== 0;
  const edge: number[] = [];
  for (let r = row(centerY - reach); r <= row(centerY + reach); r++) {
    for (let c = column(centerX - reach); c <= column(centerX + reach); c++) {
      const i = r * plane.columns + c;
      if (isLesion(i) && !(isLesion(i - 1) && isLesion(i + 1))) edge.push(i);
    }
  }
  return edge;
}
