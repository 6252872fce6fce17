import { createCloudTile, createRandom, hash, type NoiseTile, smoothstep } from '../noise.ts';

export const BREAST_ROWS = 4096;
export const BREAST_COLUMNS = 3328;
/** Smooth parts are computed only for every COARSE-th pixel in each direction. */
export const COARSE = 8;
const MIDDLE_ROW = 2150;

/**
 * Column where the breast ends in a row, 0 if the row is outside the breast. The chest wall is the left edge of the
 * image.
 */
export function breastEdge(row: number): number {
  const t = (row - MIDDLE_ROW) / (row < MIDDLE_ROW ? 2500 : 1560);
  if (t <= -1 || t >= 1) return 0;
  const profile = 2160 * Math.sqrt(1 - t * t) + 180 * Math.sin(Math.PI * (t + 0.25)) * (1 - t * t);
  const nipple = 95 * Math.exp(-(((row - MIDDLE_ROW - 90) / 62) ** 4));
  return Math.max(0, profile + nipple);
}

/** Brightness without grain, 0 to 4095, of every COARSE-th pixel in each direction. */
export function createCoarseBreast(): { values: Float32Array; columns: number } {
  const columns = BREAST_COLUMNS / COARSE + 2;
  const rows = BREAST_ROWS / COARSE + 2;
  const clouds = createCloudTile(512, { seed: 41, cells: 8, octaves: 5 });
  const fine = createCloudTile(512, { seed: 47, cells: 16, octaves: 4 });
  const values = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const edge = breastEdge(row * COARSE);
    for (let column = 0; column < columns; column++) {
      values[row * columns + column] = brightness({ x: column * COARSE, y: row * COARSE, edge, clouds, fine });
    }
  }
  return { values, columns };
}

type Place = {
  readonly x: number;
  readonly y: number;
  readonly edge: number;
  readonly clouds: NoiseTile;
  readonly fine: NoiseTile;
};

function brightness({ x, y, edge, clouds, fine }: Place): number {
  const inward = edge - x;
  const thickness = smoothstep((inward + 50) / 330);
  const skin = 300 * smoothstep(1 - Math.abs(inward - 18) / 30);
  const disc = glandularity(x, y, clouds, fine);
  const muscle = pectoral(x, y, clouds);
  return thickness * (880 + 1750 * disc * (1 - 0.8 * muscle) + 1350 * muscle + massAt(x, y)) + skin;
}

/** Amount of gland and strands, 0 to 1: highest behind the nipple, stretched along lines towards it. */
function glandularity(x: number, y: number, clouds: NoiseTile, fine: NoiseTile): number {
  const toNippleX = 2250 - x;
  const toNippleY = MIDDLE_ROW + 90 - y;
  const distance = Math.hypot(toNippleX, toNippleY);
  const angle = Math.atan2(toNippleY, toNippleX);
  const spread = Math.exp(-(((x - 1280) / 780) ** 2) - ((y - MIDDLE_ROW + 130) / 880) ** 2);
  const cloud = sample(clouds, x / 9, y / 9);
  const radial = sample(fine, distance / 30, angle * 118 + 200);
  const strand = (1 - Math.abs(sample(fine, x / 7, y / 7 + 99))) ** 3;
  const ducts = (1 - Math.abs(radial)) ** 4;
  return Math.max(
    0,
    Math.min(1.25, spread * (0.5 + 0.75 * cloud + 0.34 * ducts + 0.2 * strand) + 0.1 * strand + 0.05 * cloud),
  );
}

/** The pectoral muscle, a bright wedge in the upper corner. */
function pectoral(x: number, y: number, clouds: NoiseTile): number {
  const border = 1180 - 0.56 * y - 1.2e-4 * y * y + 26 * sample(clouds, y / 16, 7);
  return smoothstep((border - x) / 110) * (0.86 + 0.12 * sample(clouds, x / 20, y / 5));
}

const MASS = { x: 1330, y: 1560, radius: 105 };

/** A dense mass with spicules. */
function massAt(x: number, y: number): number {
  const dx = x - MASS.x;
  const dy = y - MASS.y;
  const distance = Math.hypot(dx, dy);
  if (distance > 4 * MASS.radius) return 0;
  const angle = Math.atan2(dy, dx);
  const spike = (0.5 + 0.5 * Math.sin(angle * 13 + 3 * Math.sin(angle * 4))) ** 3;
  const body = 1 - smoothstep((distance - MASS.radius * (0.75 + 0.2 * Math.sin(3 * angle))) / 60);
  return 950 * body + 360 * spike * Math.exp(-((distance / (1.7 * MASS.radius)) ** 2));
}

/** Interpolated value of a tile at any position. */
function sample({ side, values }: NoiseTile, x: number, y: number): number {
  const left = Math.floor(x);
  const top = Math.floor(y);
  const mask = side - 1;
  const at = (column: number, row: number) => values[(row & mask) * side + (column & mask)]!;
  const upper = at(left, top) + (x - left) * (at(left + 1, top) - at(left, top));
  const lower = at(left, top + 1) + (x - left) * (at(left + 1, top + 1) - at(left, top + 1));
  return upper + (y - top) * (lower - upper);
}

type Calcification = {
  readonly column: number;
  readonly row: number;
  readonly radius: number;
  readonly brightness: number;
};

/** A cluster of tiny bright specks, a finding that is visible only at full resolution. */
export function createCalcifications(): Calcification[] {
  const random = createRandom(43);
  return Array.from({ length: 26 }, (_, index) => {
    const angle = 2 * Math.PI * random();
    const distance = 150 * Math.sqrt(random());
    return {
      column: Math.round(1640 + distance * Math.cos(angle)),
      row: Math.round(2480 + 0.7 * distance * Math.sin(angle)),
      radius: 1.5 + 2.2 * hash(index, 1, 44),
      brightness: 700 + 700 * random(),
    };
  });
}
