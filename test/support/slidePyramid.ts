import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { slideElements } from './slideElements.ts';

export type Rgb = readonly [number, number, number];

/** One level. Each of its square tiles has a single color that encodes level, column and row. */
export type LevelShape = {
  readonly width: number;
  readonly height: number;
  readonly tile: number;
  readonly elements?: DataSetInput;
};

export type PyramidOptions = {
  readonly levels: readonly LevelShape[];
  readonly mmPerPixel?: number;
  /** Additional elements for all levels. */
  readonly elements?: DataSetInput;
};

/** The content of frames beyond the edge of the slide. It must never be visible. */
const FILLING: Rgb = [255, 0, 255];
const DEFLATED_IMAGE_FRAME = '1.2.840.10008.1.2.8.1';

/** The color of a tile. It differs from its neighbors, from the same place on other levels, and from the filling. */
export function colorOfTile(level: number, column: number, row: number): Rgb {
  return [20 + (column % 4) * 60, 20 + (row % 4) * 60, 20 + (level % 8) * 30];
}

/** Levels that halve in size, down to at most two tiles per edge. */
export function halvings(width: number, height: number, tile: number): LevelShape[] {
  const levels: LevelShape[] = [];
  for (let [w, h] = [width, height]; ; [w, h] = [Math.ceil(w / 2), Math.ceil(h / 2)]) {
    levels.push({ width: w, height: h, tile });
    if (Math.max(w, h) <= 2 * tile) return levels;
  }
}

/**
 * Writes the levels of a slide as TILED_FULL, one file per level. The files are small for any size of slide, because
 * there are few different tiles and a tile of a single color deflates to almost nothing.
 */
export function writePyramid(folder: string, options: PyramidOptions): string {
  mkdirSync(folder, { recursive: true });
  for (const [level, shape] of options.levels.entries()) {
    writeFileSync(join(folder, `level-${level}.dcm`), writeLevel(level, shape, options));
  }
  return folder;
}

function writeLevel(level: number, shape: LevelShape, options: PyramidOptions): Uint8Array {
  const { width, height, tile } = shape;
  const [across, down] = [Math.ceil(width / tile), Math.ceil(height / tile)];
  const drawn = new Map<string, Uint8Array>();
  const fragments: Uint8Array[] = [];
  for (let row = 0; row < down; row += 1) {
    for (let column = 0; column < across; column += 1) {
      const [inside, below] = [Math.min(tile, width - column * tile), Math.min(tile, height - row * tile)];
      const key = `${column % 4} ${row % 4} ${inside} ${below}`;
      const known = drawn.get(key) ?? deflateTile(colorOfTile(level, column, row), tile, [inside, below]);
      drawn.set(key, known);
      fragments.push(known);
    }
  }
  const largest = options.levels[0]?.width ?? width;
  const spacing = String(((options.mmPerPixel ?? 0.00025) * largest) / width).slice(0, 16);
  return writeSlideLevel(level, {
    TotalPixelMatrixColumns: width,
    TotalPixelMatrixRows: height,
    NumberOfFrames: fragments.length,
    Rows: tile,
    Columns: tile,
    SharedFunctionalGroupsSequence: [{ PixelMeasuresSequence: [{ PixelSpacing: [spacing, spacing] }] }],
    PixelData: { fragments, offsetTable: 'extended' },
    ...options.elements,
    ...shape.elements,
  });
}

/** A level of color tiles that are already deflated. */
export function writeSlideLevel(level: number, elements: DataSetInput): Uint8Array {
  return writeDicom(
    slideElements({
      SOPInstanceUID: `1.2.826.0.1.3680043.8.498.80.${level + 1}`,
      ImageType:
        level === 0 ? ['ORIGINAL', 'PRIMARY', 'VOLUME', 'NONE'] : ['DERIVED', 'PRIMARY', 'VOLUME', 'RESAMPLED'],
      SeriesDescription: 'Slide',
      InstanceNumber: level + 1,
      SamplesPerPixel: 3,
      PhotometricInterpretation: 'RGB',
      PlanarConfiguration: 0,
      ...elements,
    }),
    { transferSyntaxUid: DEFLATED_IMAGE_FRAME },
  );
}

/** A tile with a single color inside the slide and the filling beyond its edge. */
export function deflateTile(color: Rgb, side: number, [inside, below]: readonly [number, number] = [side, side]) {
  const repeat = (rgb: Rgb, count: number) => Buffer.alloc(count * 3, Buffer.from(rgb));
  const row = Buffer.concat([repeat(color, inside), repeat(FILLING, side - inside)]);
  const pixels = Buffer.concat([Buffer.alloc(below * side * 3, row), repeat(FILLING, (side - below) * side)]);
  const deflated = deflateRawSync(pixels);
  // A fragment has an even number of bytes.
  return new Uint8Array(Buffer.concat([deflated, Buffer.alloc(deflated.length % 2)]));
}
