import { createCloudTile, createGrainTile, type NoiseTile } from '../noise.ts';
import { smooth } from '../smooth.ts';
import { echoAt, heartAt, type HeartMoment, velocityAt, voltageAt } from './beatingHeart.ts';

export const CINE_ROWS = 420;
export const CINE_COLUMNS = 560;
export const CINE_FRAMES = 25;
export const MM_PER_PIXEL = 0.4;

/** Where the beams meet, in pixels. */
export const APEX = { column: 280, row: 18 };
const NEAR_MM = 4;
const FAR_MM = 152;
const HALF_ANGLE = 0.66;
/** The part of the fan in which flow is shown in color. */
const COLOR_BOX = { nearMm: 52, farMm: 134, left: -0.12, right: 0.36 };

/** One heartbeat as RGB frames: a gray fan with speckle, flow in color, and an electrocardiogram below. */
export function createCine(): Uint8Array[] {
  const fan = buildFan();
  return Array.from({ length: CINE_FRAMES }, (_, frame) => {
    const phase = frame / CINE_FRAMES;
    const pixels = new Uint8Array(CINE_ROWS * CINE_COLUMNS * 3);
    paintFan(pixels, fan, heartAt(phase));
    paintScale(pixels);
    paintElectrocardiogram(pixels, phase);
    return pixels;
  });
}

/** The static properties of the pixels in the fan. */
type Fan = {
  readonly pixel: Int32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Gray levels added by speckle and by the gain of beam and depth. */
  readonly texture: Float32Array;
  /** 2 on the border of the color box, 1 inside, 0 outside. */
  readonly colored: Uint8Array;
};

function buildFan(): Fan {
  const speckle = createSpeckle();
  const streaks = createCloudTile(512, { seed: 33, cells: 64, octaves: 2 });
  const size = CINE_ROWS * CINE_COLUMNS;
  const [pixel, x, y, texture, colored] = [
    new Int32Array(size),
    new Float32Array(size),
    new Float32Array(size),
    new Float32Array(size),
    new Uint8Array(size),
  ];
  let count = 0;
  for (let row = 0; row < CINE_ROWS; row++) {
    for (let column = 0; column < CINE_COLUMNS; column++) {
      const across = (column - APEX.column) * MM_PER_PIXEL;
      const away = (row - APEX.row) * MM_PER_PIXEL;
      const depth = Math.hypot(across, away);
      const angle = Math.atan2(across, away);
      if (depth < NEAR_MM || depth > FAR_MM || Math.abs(angle) > HALF_ANGLE) continue;
      pixel[count] = row * CINE_COLUMNS + column;
      x[count] = across;
      y[count] = away;
      // Read in polar coordinates, so that the grain widens with depth as the beams do.
      const grain = speckle.values[((depth * 3.4) & 511) * 512 + ((angle * 250 + 512) & 511)]!;
      const streak = streaks.values[5 * 512 + ((angle * 380 + 512) & 511)]!;
      const gain = 18 - 0.26 * Math.abs(depth - 62) + 26 * Math.exp(-depth / 7);
      texture[count] = grain + 14 * streak + gain;
      colored[count] = colorBox(depth, angle);
      count += 1;
    }
  }
  return { pixel: pixel.subarray(0, count), x, y, texture, colored };
}

function colorBox(depth: number, angle: number): 0 | 1 | 2 {
  const { nearMm, farMm, left, right } = COLOR_BOX;
  const inside = (margin: number) =>
    depth > nearMm + margin &&
    depth < farMm - margin &&
    angle > left + margin / depth &&
    angle < right - margin / depth;
  if (!inside(0)) return 0;
  return inside(0.5) ? 1 : 2;
}

/** Speckle is interference: the logarithm of a magnitude whose real and imaginary parts are normally distributed. */
function createSpeckle(): NoiseTile {
  const real = createGrainTile(512, 31).values;
  const imaginary = createGrainTile(512, 32).values;
  smooth(real, 512);
  smooth(imaginary, 512);
  return {
    side: 512,
    values: real.map((value, i) => 21 * Math.log(0.06 + (value * value + imaginary[i]! * imaginary[i]!) / 0.7)),
  };
}

function paintFan(pixels: Uint8Array, { pixel, x, y, texture, colored }: Fan, moment: HeartMoment): void {
  for (let i = 0; i < pixel.length; i++) {
    const echo = echoAt(x[i]!, y[i]!, moment);
    const level = echo + texture[i]!;
    const gray = level < 0 ? 0 : level > 255 ? 255 : level;
    const at = 3 * pixel[i]!;
    if (colored[i] === 2) {
      pixels.fill(190, at, at + 3);
      continue;
    }
    const velocity = colored[i] === 1 && echo < 0 ? velocityAt(x[i]!, y[i]!, moment) + texture[i]! * 0.0009 : 0;
    if (velocity > 0.14) setColor(pixels, at, velocityColor(velocity));
    else if (velocity < -0.14) setColor(pixels, at, velocityColor(velocity));
    else pixels[at] = pixels[at + 1] = pixels[at + 2] = gray;
  }
}

/** Red to yellow toward the probe, blue to cyan away from it. */
function velocityColor(velocity: number): readonly [number, number, number] {
  const speed = Math.min(1, Math.abs(velocity));
  const main = 90 + 165 * Math.min(1, speed * 1.5);
  const bright = 235 * Math.max(0, speed - 0.35) * 1.5;
  return velocity > 0 ? [main, Math.min(235, bright), 10] : [10, Math.min(235, bright), main];
}

function setColor(pixels: Uint8Array, at: number, [red, green, blue]: readonly [number, number, number]): void {
  pixels[at] = red;
  pixels[at + 1] = green;
  pixels[at + 2] = blue;
}

/** Ticks every 10 mm of depth on the right, and the color bar of the velocities on the left. */
function paintScale(pixels: Uint8Array): void {
  for (let depth = 0; depth <= 150; depth += 10) {
    const row = Math.round(APEX.row + depth / MM_PER_PIXEL);
    const length = depth % 50 === 0 ? 12 : 6;
    for (let column = CINE_COLUMNS - 10 - length; column < CINE_COLUMNS - 10; column++)
      setColor(pixels, 3 * (row * CINE_COLUMNS + column), [200, 200, 200]);
  }
  for (let row = 30; row < 170; row++) {
    const velocity = (100 - row) / 70;
    const color = Math.abs(velocity) < 0.1 ? ([0, 0, 0] as const) : velocityColor(velocity);
    for (let column = 14; column < 28; column++) setColor(pixels, 3 * (row * CINE_COLUMNS + column), color);
  }
}

/** Two beats of the electrocardiogram; a marker moves along the first. */
function paintElectrocardiogram(pixels: Uint8Array, phase: number): void {
  const left = 24;
  const width = 200;
  const rowOf = (column: number) => Math.round(392 - 46 * voltageAt(((column - left) / width) * 2));
  for (let column = left; column < left + width; column++) {
    const [a, b] = [rowOf(column), rowOf(column + 1)];
    for (let row = Math.min(a, b); row <= Math.max(a, b); row++)
      setColor(pixels, 3 * (row * CINE_COLUMNS + column), [80, 220, 110]);
  }
  const marker = left + Math.round((phase * width) / 2);
  for (let row = 340; row < 406; row += 2) setColor(pixels, 3 * (row * CINE_COLUMNS + marker), [240, 240, 120]);
}
