import { LESIONS } from './anatomy/organs.ts';
import { type Contour, traceContours } from './contour.ts';
import { CT_RESCALE_INTERCEPT, CT_SLICE_MM, CT_SPACING_MM, type CtSlice } from './ct.ts';
import { bitOf, type Box, boxOf, LEFT_LUNG, LIVER, LIVER_LESIONS, RIGHT_LUNG, type Structure } from './structures.ts';

const LESION = bitOf(LIVER_LESIONS);

/** The measurements of the lesions in the report, taken from the images and not from the model. */
export type LesionMeasurements = {
  readonly volumeMl: number;
  readonly meanHounsfield: number;
  /** Of the largest lesion. */
  readonly longAxis: LongAxis;
  /** Each by itself, the largest first. */
  readonly lesions: readonly MeasuredLesion[];
  readonly organs: readonly MeasuredOrgan[];
};

/** Largest diameter of a lesion, on the slice where it is longest. */
export type LongAxis = {
  readonly lengthMm: number;
  readonly slice: CtSlice;
  /**
   * Column and row of both ends, in pixels. The corner of the first pixel is (0, 0), as in spatial coordinates of a
   * report.
   */
  readonly ends: readonly [number, number, number, number];
};

/** A lesion on the slice of its long axis. */
export type MeasuredLesion = {
  readonly longAxis: LongAxis;
  readonly areaMm2: number;
  readonly meanHounsfield: number;
  /** Column and row of each corner, as for `ends`; the last is the first. */
  readonly outline: readonly number[];
};

export type MeasuredOrgan = {
  readonly structure: Structure;
  readonly volumeMl: number;
  /** The one with the most of it. */
  readonly slice: CtSlice;
};

const ORGANS = [LIVER, RIGHT_LUNG, LEFT_LUNG];

export function measureLesions(slices: readonly CtSlice[]): LesionMeasurements {
  const all = slices.map((slice) => measureRegion(slice, LESION, boxOf(LESION, slice.membership)));
  const pixels = all.reduce((sum, one) => sum + one.pixels, 0);
  const sum = all.reduce((total, one) => total + one.sum, 0);
  const lesions = LESIONS.map((lesion) => measureLesion(slices, lesion));
  return {
    volumeMl: toMl(pixels),
    meanHounsfield: sum / pixels,
    longAxis: lesions[0]!.longAxis,
    lesions: lesions.toSorted((a, b) => b.longAxis.lengthMm - a.longAxis.lengthMm),
    organs: ORGANS.map((structure) => measureOrgan(slices, structure)),
  };
}

type Lesion = (typeof LESIONS)[number];

function measureLesion(slices: readonly CtSlice[], lesion: Lesion): MeasuredLesion {
  let longAxis: LongAxis | undefined;
  for (const slice of slices) {
    if (boxOf(LESION, slice.membership) === undefined) continue;
    const across = longestAcross(slice, lesion);
    if (across !== undefined && across.lengthMm > (longAxis?.lengthMm ?? 0)) longAxis = across;
  }
  if (longAxis === undefined) throw new Error('no slice shows the lesion');
  const { slice } = longAxis;
  const box = boxAround(slice, lesion);
  const { pixels, sum } = measureRegion(slice, LESION, box);
  const { plane, membership } = slice;
  const [contour = []] = traceContours({ bits: membership.bits, bit: LESION, columns: plane.columns, box });
  return {
    longAxis,
    areaMm2: pixels * CT_SPACING_MM * CT_SPACING_MM,
    meanHounsfield: sum / pixels,
    outline: toOutline(contour),
  };
}

/** From centers of pixels to their corners, and closed. */
function toOutline(contour: Contour): number[] {
  const corners = contour.map((at) => Math.round((at + 0.5) * 100) / 100);
  return [...corners, ...corners.slice(0, 2)];
}

function measureOrgan(slices: readonly CtSlice[], structure: Structure): MeasuredOrgan {
  const bit = bitOf(structure);
  let [pixels, most] = [0, 0];
  let [slice] = slices;
  for (const one of slices) {
    const found = measureRegion(one, bit, boxOf(bit, one.membership)).pixels;
    pixels += found;
    if (found > most) [most, slice] = [found, one];
  }
  if (slice === undefined) throw new Error(`no slice shows the ${structure.name}`);
  return { structure, volumeMl: toMl(pixels), slice };
}

function toMl(pixels: number): number {
  return (pixels * CT_SPACING_MM * CT_SPACING_MM * CT_SLICE_MM) / 1000;
}

/** The pixels of a structure in a box, and the sum of their Hounsfield units. */
function measureRegion(
  { plane, membership, stored }: CtSlice,
  bit: number,
  box: Box | undefined,
): { readonly pixels: number; readonly sum: number } {
  let [pixels, sum] = [0, 0];
  if (box === undefined) return { pixels, sum };
  for (let row = box.top; row <= box.bottom; row++) {
    for (let i = row * plane.columns + box.left; i <= row * plane.columns + box.right; i++) {
      if ((membership.bits[i]! & bit) === 0) continue;
      pixels += 1;
      sum += stored[i]! + CT_RESCALE_INTERCEPT;
    }
  }
  return { pixels, sum };
}

function longestAcross(slice: CtSlice, lesion: Lesion): LongAxis | undefined {
  const { columns } = slice.plane;
  const edge = edgePixels(slice, lesion);
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

/** Holds one lesion and no part of another: they are far enough from each other. */
function boxAround({ plane }: CtSlice, { center, radiusMm }: Lesion): Box {
  const reach = radiusMm + 8;
  const column = (x: number) => Math.round((x - plane.origin[0]) / CT_SPACING_MM);
  const row = (y: number) => Math.round((y - plane.origin[1]) / CT_SPACING_MM);
  return {
    left: column(center[0] - reach),
    right: column(center[0] + reach),
    top: row(center[1] - reach),
    bottom: row(center[1] + reach),
  };
}

function edgePixels(slice: CtSlice, lesion: Lesion): number[] {
  const { plane, membership } = slice;
  const { left, right, top, bottom } = boxAround(slice, lesion);
  const isLesion = (i: number) => (membership.bits[i]! & LESION) !== 0;
  const edge: number[] = [];
  for (let r = top; r <= bottom; r++) {
    for (let c = left; c <= right; c++) {
      const i = r * plane.columns + c;
      if (isLesion(i) && !(isLesion(i - 1) && isLesion(i + 1))) edge.push(i);
    }
  }
  return edge;
}
