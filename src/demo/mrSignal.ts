import { lookUpLabels } from './lookUpLabels.ts';
import type { Plane } from './anatomy/plane.ts';
import type { NoiseTile } from './noise.ts';
import { smooth } from './smooth.ts';

type MrSignalInput = {
  readonly plane: Plane;
  readonly labels: Uint8Array;
  /** By label. */
  readonly signalOfLabel: Float32Array;
  readonly grain: NoiseTile;
  readonly clouds: NoiseTile;
  readonly noiseDeviation: number;
  /** Number of the frame, so that no two frames have the same grain. */
  readonly seed: number;
};

/** Magnitude of an MR frame: tissue signal, shaded by the coils, with the noise of a magnitude image. */
export function mrSignal(input: MrSignalInput): Float32Array {
  const { plane, labels, signalOfLabel } = input;
  const { rows, columns } = plane;
  const values = new Float32Array(labels.length);
  lookUpLabels(values, { labels, valueOfLabel: signalOfLabel, columns });
  smooth(values, columns);
  for (let row = 0; row < rows; row++) receiveRow(values.subarray(row * columns, (row + 1) * columns), row, input);
  return values;
}

/** Converts the signal of a row to the magnitude that the coils receive. */
function receiveRow(
  values: Float32Array,
  row: number,
  { plane, grain, clouds, noiseDeviation, seed }: MrSignalInput,
): void {
  const mask = grain.side - 1;
  const realRow = ((row + 211 * seed) & mask) * grain.side;
  const imaginaryRow = ((row + 89 * seed + 37) & mask) * grain.side;
  const cloudRow = ((row + 5 * seed) & mask) * clouds.side;
  for (let column = 0; column < values.length; column++) {
    const at = (column + 131 * seed) & mask;
    const mottle = 1 + 0.09 * clouds.values[cloudRow + ((column + 3 * seed) & mask)]!;
    const signal = values[column]! * mottle * coilSensitivity(plane, row, column);
    const real = signal + noiseDeviation * grain.values[realRow + at]!;
    const imaginary = noiseDeviation * grain.values[imaginaryRow + at]!;
    values[column] = Math.sqrt(real * real + imaginary * imaginary);
  }
}

/** Coils in front and behind are most sensitive to what is near them, and receive nothing from far above or below. */
function coilSensitivity({ origin, along, down, spacingMm }: Plane, row: number, column: number): number {
  const right = column * spacingMm;
  const below = row * spacingMm;
  const x = origin[0] + right * along[0] + below * down[0];
  const y = origin[1] + right * along[1] + below * down[1];
  const z = origin[2] + right * along[2] + below * down[2];
  const height = (z * z) / 26_000;
  const front = 0.55 / (1 + ((y + 120) * (y + 120)) / 9000);
  const back = 0.5 / (1 + ((y - 120) * (y - 120)) / 9000);
  const sides = 0.1 * ((x - 30) / 170);
  return (0.62 + front + back + sides) / (1 + height * height);
}
