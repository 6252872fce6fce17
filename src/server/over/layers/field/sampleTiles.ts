import { ViewerError } from '../../../../shared/contract/errors.ts';
import { combineFrameDamage, type FrameDamage } from '../../../../shared/frameDamage.ts';
import { type ImagePlane, planeToPlane } from '../../../../shared/geometry.ts';
import { applyModality } from '../../../../shared/modality.ts';
import { isPadding } from '../../../../shared/padding.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import { toNumberSamples } from '../../../../shared/sampleArray.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import { decodeFrame } from '../../../images/pixels/decodeFrame.ts';
import type { ImageFiles } from '../../../images/pixels/imageFiles.ts';
import { readPresentation } from '../../../images/pixels/presentation/readPresentation.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { SampledTiles, SampleTilesInput, TileRangeInput } from './fieldTasks.ts';

/** Implements `sampleTilesTask`: the nearest sample of the tiles at each place of a grid. */
export async function sampleTiles(
  images: ImageFiles,
  { source, tiles, grid }: SampleTilesInput,
  { throwIfCancelled, transfer }: Pick<TaskContext, 'throwIfCancelled' | 'transfer'>,
): Promise<SampledTiles> {
  const samples = new Float32Array(grid.rows * grid.columns).fill(NaN);
  const damaged: FrameDamage[] = [];
  for (const { frame, plane } of tiles) {
    throwIfCancelled();
    const { rows, columns, valueAt, damage } = await readValues(images, source, frame);
    if (damage !== undefined) damaged.push(damage);
    putTile({ samples, grid }, { plane, rows, columns }, valueAt);
  }
  return { samples: transfer(samples), damage: combineFrameDamage(damaged) };
}

/** Implements `tileRangeTask`. */
export async function findTileRange(
  images: ImageFiles,
  { source, frameCount }: TileRangeInput,
  { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>,
): Promise<readonly [number, number] | undefined> {
  let [low, high] = [Infinity, -Infinity];
  for (let frame = 0; frame < frameCount; frame += 1) {
    throwIfCancelled();
    const { rows, columns, valueAt } = await readValues(images, source, frame);
    for (let at = 0; at < rows * columns; at += 1) {
      const value = valueAt(at);
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : undefined;
}

/** The modality values of a frame; NaN for padding. */
async function readValues(images: ImageFiles, source: KnownSource, frame: number) {
  const { encoded, presentation, ...image } = images.use(source, (open) => ({
    encoded: open.readEncoded(frame),
    pixel: open.pixel,
    codec: open.codec,
    presentation: readPresentation(open.object.dataSet, open.pixel, frame),
  }));
  const { samples, rows, columns, samplesPerPixel, damage } = await decodeFrame(encoded, { ...image, frame });
  if (samplesPerPixel !== 1) throw new ViewerError('unsupported_pixel_layout', 'a map in color has no values');
  const { modality, padding } = presentation;
  const numbers = toNumberSamples(samples);
  const valueAt = (at: number) => (isPadding(numbers[at]!, padding) ? NaN : applyModality(modality, numbers[at]!));
  return { rows, columns, valueAt, damage };
}

type Tile = { readonly plane: ImagePlane; readonly rows: number; readonly columns: number };

function putTile(
  { samples, grid }: { readonly samples: Float32Array; readonly grid: PlaneGrid },
  { plane, rows, columns }: Tile,
  valueAt: (sample: number) => number,
): void {
  const toGrid = planeToPlane(plane, grid);
  const corners = [-0.5, rows - 0.5].flatMap((row) =>
    [-0.5, columns - 0.5].map((column) => mapPixel(toGrid, row, column)),
  );
  const [top, bottom] = rangeOf(
    corners.map(([row]) => row),
    grid.rows,
  );
  const [left, right] = rangeOf(
    corners.map(([, column]) => column),
    grid.columns,
  );
  const toTile = planeToPlane(grid, plane);
  for (let y = top; y <= bottom; y += 1) {
    for (let x = left; x <= right; x += 1) {
      const [row, column] = mapPixel(toTile, y, x).map((place) => Math.floor(place + 0.5 + TINY));
      if (row! < 0 || column! < 0 || row! >= rows || column! >= columns) continue;
      samples[y * grid.columns + x] = valueAt(row! * columns + column!);
    }
  }
}

/** A place half way between two samples belongs to the second one, whatever was lost in computing it. */
const TINY = 1e-6;

function mapPixel(matrix: ReturnType<typeof planeToPlane>, row: number, column: number): readonly [number, number] {
  const [rowPerRow, rowPerColumn, rowStart, columnPerRow, columnPerColumn, columnStart] = matrix;
  return [
    rowPerRow * row + rowPerColumn * column + rowStart,
    columnPerRow * row + columnPerColumn * column + columnStart,
  ];
}

function rangeOf(places: readonly number[], count: number): readonly [number, number] {
  return [Math.max(0, Math.floor(Math.min(...places))), Math.min(count - 1, Math.ceil(Math.max(...places)))];
}
