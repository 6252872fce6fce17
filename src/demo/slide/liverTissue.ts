import { createCloudTile, smoothstep } from '../noise.ts';
import { createLattice, findNearestCell, type Nearest } from './lattice.ts';
import { type Color, createRaster, type Raster } from './raster.ts';

const SLIDE_ROWS = 2304;
const SLIDE_COLUMNS = 3072;
export const GLASS: Color = [243, 241, 244];

/** A strip of tissue taken by a needle. Everything right of `tumorFrom` is tumor. In pixels. */
type Core = {
  readonly left: number;
  readonly right: number;
  readonly middle: number;
  readonly halfWidth: number;
  readonly tumorFrom: number;
  readonly seed: number;
};

const CORES: readonly Core[] = [
  { left: 190, right: 2860, middle: 640, halfWidth: 190, tumorFrom: Infinity, seed: 1 },
  { left: 300, right: 2700, middle: 1580, halfWidth: 178, tumorFrom: 1500, seed: 2 },
];

/** Stained liver: two cores from a needle biopsy, the second of which extends into a tumor. About 1 um per pixel. */
export function createLiverTissue(): Raster {
  const raster = createRaster(SLIDE_ROWS, SLIDE_COLUMNS, GLASS);
  const painter = createPainter(raster);
  for (const core of CORES) {
    const reach = core.halfWidth + 140;
    const outline = outlineOf(core);
    for (let row = core.middle - reach; row < core.middle + reach; row++) painter.paintRow(core, { row, outline });
  }
  return raster;
}

/** Row of the middle of a core, and half its width, for each column from its left end. */
type Outline = { readonly middle: Float32Array; readonly halfWidth: Float32Array };

function outlineOf({ left, right, middle, halfWidth, seed }: Core): Outline {
  const columns = Array.from({ length: right - left }, (_, i) => left + i);
  return {
    middle: Float32Array.from(columns, (x) => middle + 54 * Math.sin(x / 520 + seed) + 18 * Math.sin(x / 170)),
    halfWidth: Float32Array.from(
      columns,
      (x) => halfWidth * Math.sqrt(Math.min(1, Math.min(x - left, right - x) / 110)),
    ),
  };
}

const CELL = 25;
const TUMOR_CELL = 16;
const LOBULE = 440;
/** The position within a lobule is computed only for every STRIDE-th pixel of a row. */
const STRIDE = 8;

function createPainter({ pixels, columns }: Raster) {
  const clouds = createCloudTile(512, { seed: 51, cells: 8, octaves: 5 }).values;
  const fibres = createCloudTile(512, { seed: 52, cells: 32, octaves: 3 }).values;
  const extent = { width: SLIDE_COLUMNS, height: SLIDE_ROWS };
  const cells = createLattice(CELL, { ...extent, seed: 53 });
  const tumorCells = createLattice(TUMOR_CELL, { ...extent, seed: 54 });
  const lobules = createLattice(LOBULE, { ...extent, seed: 55 });
  const toVeins = new Float32Array(columns / STRIDE + 1);
  const toTracts = new Float32Array(columns / STRIDE + 1);
  const near: Nearest = { cell: 0, distance: 0, border: 0 };
  const color = new Float32Array(3);

  const cloud = (x: number, y: number) => clouds[(y & 511) * 512 + (x & 511)]!;
  const fibre = (x: number, y: number) => fibres[(y & 511) * 512 + (x & 511)]!;
  // By index, because destructuring would create an iterator in each of many million calls.
  const mix = (other: Color, part: number) => {
    color[0]! += part * (other[0] - color[0]!);
    color[1]! += part * (other[1] - color[1]!);
    color[2]! += part * (other[2] - color[2]!);
  };
  const begin = (first: Color) => {
    color[0] = first[0];
    color[1] = first[1];
    color[2] = first[2];
  };

  const paintHepatocyte = (x: number, y: number) => {
    findNearestCell(cells, x, y, near);
    const tint = cells.tint[near.cell]!;
    begin(CYTOPLASM);
    mix(PALE_CYTOPLASM, 0.6 * tint + 0.25 * fibre(x, y));
    // The sinusoids, pale and narrow, run between the plates of cells.
    const slit = near.border - 1.1 - 1.6 * cloud(x * 2, y * 2);
    if (slit < 2.4) mix(SINUSOID, 0.85 * (1 - smoothstep(slit / 2.4)));
    const kind = cells.kind[near.cell]!;
    const fat = cloud(x >> 1, (y >> 1) + 400) > 0.1 && kind > 0.8;
    if (fat && near.distance < 5 + 5 * tint) mix(GLASS, 0.95);
    else if (kind < 0.93) paintNucleus(4.1 + 1.2 * tint, NUCLEUS);
  };

  const paintTumor = (x: number, y: number) => {
    findNearestCell(tumorCells, x, y, near);
    const tint = tumorCells.tint[near.cell]!;
    begin(TUMOR_CYTOPLASM);
    mix(PALE_CYTOPLASM, 0.3 * tint + 0.2 * fibre(x, y));
    if (near.border < 1.3) mix(SINUSOID, 0.5);
    if (cloud(x, y + 700) > 0.62) mix(NECROSIS, 0.9);
    else paintNucleus(4.2 + 3 * tint * tint, DARK_NUCLEUS);
  };

  const paintNucleus = (radius: number, nucleus: Color) => {
    const inside = radius - near.distance;
    if (inside > 0) mix(nucleus, smoothstep(inside / 1.4) * (near.distance < radius * 0.7 ? 0.82 : 0.95));
  };

  /** A portal tract: loose fibres with an artery, a vein, a duct and scattered small round cells. */
  const paintTract = (x: number, y: number, edge: number) => {
    begin(STROMA);
    mix(FIBRE, 0.5 + 0.5 * Math.sin(0.34 * (x + y) + 5 * fibre(x, y)));
    mix(SINUSOID, 0.18 + 0.2 * cloud(x, y));
    findNearestCell(tumorCells, x + 7, y + 3, near);
    if (tumorCells.kind[near.cell]! < 0.62 - 0.4 * edge) paintNucleus(3.1, DARK_NUCLEUS);
  };

  const paintLumen = (distance: number, radius: number) => {
    const wall = Math.abs(distance - radius);
    if (distance < radius) {
      begin(GLASS);
      if (distance < radius * 0.55) mix(BLOOD, 0.55);
    }
    if (wall < 5) mix(FIBRE, 1 - wall / 6);
  };

  const findLobules = (row: number) => {
    for (let i = 0; i < toVeins.length; i++) {
      findNearestCell(lobules, i * STRIDE, row, near);
      toVeins[i] = near.distance;
      toTracts[i] = near.border;
    }
  };

  return {
    paintRow(core: Core, { row, outline }: { row: number; outline: Outline }) {
      findLobules(row);
      for (let x = core.left; x < core.right; x++) {
        const inward = outline.halfWidth[x - core.left]! - Math.abs(row - outline.middle[x - core.left]!);
        if (inward < -60) continue;
        const depth = inward + 32 * cloud(x, 77 * core.seed) + 4 * fibre(x, row) + 8 * cloud(x * 2, row);
        if (depth < 0 || cloud(x + 300 * core.seed, row) > 0.86) continue;
        const node = x >> 3;
        const t = (x & (STRIDE - 1)) / STRIDE;
        const toVein = toVeins[node]! + t * (toVeins[node + 1]! - toVeins[node]!);
        const tract = 11 + 22 * cloud(x + 500, row) - toTracts[node]! - t * (toTracts[node + 1]! - toTracts[node]!);
        const isTumor = x + 1.2 * (row - core.middle) + 110 * cloud(x, row) > core.tumorFrom;
        if (isTumor) paintTumor(x, row);
        else if (tract > 0 && toVein > 46) paintTract(x, row, Math.min(1, tract / 24));
        else paintHepatocyte(x, row);
        if (!isTumor && toVein < 40) paintLumen(toVein, 29);
        if (depth < 7) mix(FIBRE, 0.7 * (1 - depth / 7));
        const at = 3 * (row * columns + x);
        const light = 5 * cloud(x >> 2, row >> 2) + 4 * fibre(x + 9, row);
        pixels[at] = clamp(color[0]! + light);
        pixels[at + 1] = clamp(color[1]! + light);
        pixels[at + 2] = clamp(color[2]! + light);
      }
    },
  };
}

const CYTOPLASM: Color = [222, 140, 176];
const PALE_CYTOPLASM: Color = [236, 176, 202];
const SINUSOID: Color = [244, 226, 236];
const NUCLEUS: Color = [98, 66, 150];
const DARK_NUCLEUS: Color = [72, 44, 122];
const TUMOR_CYTOPLASM: Color = [196, 132, 184];
const NECROSIS: Color = [240, 190, 200];
const STROMA: Color = [240, 200, 216];
const FIBRE: Color = [228, 150, 186];
const BLOOD: Color = [206, 84, 98];

function clamp(value: number): number {
  return value < 0 ? 0 : value > 255 ? 255 : value;
}
