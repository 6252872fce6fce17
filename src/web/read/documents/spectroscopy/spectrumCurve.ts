import type { SpectraResponse } from '../../../../shared/contract/spectra.ts';
import type { ComplexValues } from './transformSpectrum.ts';

export const SPECTRUM_PARTS = ['real', 'imaginary', 'magnitude'] as const;
export type SpectrumPart = (typeof SPECTRUM_PARTS)[number];

/** The axis below a spectrum: chemical shift if the file says how, else frequency. */
export type SpectrumAxis = {
  readonly unit: 'ppm' | 'Hz' | 'point';
  /** At the first point, and at the end without it. */
  readonly low: number;
  readonly high: number;
};

export function buildAxis({
  spectral_width_hz,
  transmitter_mhz,
  reference_ppm,
  points,
}: SpectraResponse): SpectrumAxis {
  if (spectral_width_hz === null) return { unit: 'point', low: 0, high: points };
  const half = spectral_width_hz / 2;
  if (transmitter_mhz === null || reference_ppm === null) return { unit: 'Hz', low: -half, high: half };
  return { unit: 'ppm', low: reference_ppm - half / transmitter_mhz, high: reference_ppm + half / transmitter_mhz };
}

/** What a user wants to see at first: of protons, 0 to 5.5 ppm; else all. */
export function chooseRange(axis: SpectrumAxis, nucleus: string | null): readonly [number, number] {
  const { unit, low, high } = axis;
  const isProton = unit === 'ppm' && (nucleus === '1H' || nucleus === null);
  return isProton && low < 4 && high > 5 ? [Math.max(low, 0), Math.min(high, 5.5)] : [low, high];
}

export function selectPart({ real, imaginary }: ComplexValues, part: SpectrumPart): Float64Array {
  if (part === 'real') return real;
  if (part === 'imaginary') return imaginary;
  return real.map((value, at) => Math.hypot(value, imaginary[at]!));
}

/** The values of a range, with the position of each on the axis. */
export function cutCurve(
  values: Float64Array,
  { low, high }: SpectrumAxis,
  [from, to]: readonly [number, number],
): { readonly positions: Float64Array; readonly values: Float64Array } {
  const step = (high - low) / values.length;
  const first = Math.max(0, Math.ceil((from - low) / step - 1e-9));
  const end = Math.max(first, Math.min(values.length, Math.floor((to - low) / step + 1e-9) + 1));
  return {
    positions: Float64Array.from({ length: end - first }, (_, at) => low + (first + at) * step),
    values: values.slice(first, end),
  };
}

/** The points of a line. Where there are more than two for a pixel, the lowest and highest of each pixel. */
export function toLine(
  { positions, values }: { readonly positions: Float64Array; readonly values: Float64Array },
  xOf: (position: number) => number,
  yOf: (value: number) => number,
): string {
  const points: string[] = [];
  let [pixel, low, high] = [Number.NaN, 0, 0];
  const flush = () => {
    if (Number.isNaN(pixel)) return;
    points.push(`${pixel / 2},${yOf(low).toFixed(1)}`);
    if (high !== low) points.push(`${pixel / 2},${yOf(high).toFixed(1)}`);
  };
  for (const [at, position] of positions.entries()) {
    const value = values[at]!;
    if (!Number.isFinite(value)) continue;
    const here = Math.round(2 * xOf(position));
    if (here === pixel) [low, high] = [Math.min(low, value), Math.max(high, value)];
    else {
      flush();
      [pixel, low, high] = [here, value, value];
    }
  }
  flush();
  return points.join(' ');
}
