import { chooseVoi, type WindowChoice } from '../../../shared/chooseVoi.ts';
import { createGrayTables, type GrayPipeline, type GrayTables, type Voi } from '../../../shared/grayTable.ts';
import { renderGray } from '../../../shared/presentation.ts';
import { isSignedSamples, isSmallSamples, toTableIndices } from '../../../shared/sampleArray.ts';
import { type ColorMapName, colorTableOf } from '../../kit/state/colorMaps.ts';
import type { GrayFrame } from './loadedFrame.ts';
import type { SampleGrid } from './sampleGrid.ts';

/** What the user applies to gray levels after the window. */
export type GrayLook = { readonly invert: boolean; readonly colorMap: ColorMapName };

/** Everything that decides the color of one stored sample. */
export type PaintPipeline = GrayPipeline & Pick<GrayLook, 'colorMap'>;

/**
 * Applies windows to gray frames with the server's own arithmetic. Pixels are opaque RGBA, one number each, written
 * into memory of the caller, because at 60 pictures a second new memory would mean a megabyte of garbage for each.
 */
export interface GrayPainter {
  pipelineOf(frame: GrayFrame, choice: WindowChoice, look?: Partial<GrayLook>): PaintPipeline;
  /**
   * The gray level of every possible sample, indexed by its bits read as an unsigned number; undefined above 16 bits.
   */
  tableOf(frame: GrayFrame, pipeline: GrayPipeline): Uint8Array | undefined;
  /** One pixel for each sample. */
  paintWhole(frame: GrayFrame, pipeline: PaintPipeline, pixels: Uint32Array): void;
  /** One pixel for each cell of a grid over the frame; black outside the frame. */
  paintSampled(frame: GrayFrame, pipeline: PaintPipeline, grid: SampleGrid, pixels: Uint32Array): void;
}

export function createGrayPainter(tables: GrayTables = createGrayTables(16)): GrayPainter {
  const chosen = new WeakMap<GrayFrame, Map<string, Voi>>();
  const colorTables = new WeakMap<Uint8Array, Map<ColorMapName, Uint32Array>>();

  /** Percentiles and extremes are computed once. */
  const voiOf = (frame: GrayFrame, choice: WindowChoice): Voi => {
    if (choice.kind === 'explicit') return chooseVoi(choice, frame.voi, frame);
    const known = chosen.get(frame) ?? new Map<string, Voi>();
    chosen.set(frame, known);
    const voi = known.get(choice.kind) ?? chooseVoi(choice, frame.voi, frame);
    known.set(choice.kind, voi);
    return voi;
  };

  const tableOf = ({ samples }: GrayFrame, pipeline: GrayPipeline) => {
    if (!isSmallSamples(samples)) return undefined;
    const bytes = samples.BYTES_PER_ELEMENT === 1 ? 1 : 2;
    return tables.get(pipeline, { bytes, signed: isSignedSamples(samples) });
  };

  const sampleColorsOf = (frame: GrayFrame, pipeline: PaintPipeline) => {
    const { samples } = frame;
    const table = tableOf(frame, pipeline);
    if (table === undefined || !isSmallSamples(samples)) return undefined;
    const known = colorTables.get(table) ?? new Map<ColorMapName, Uint32Array>();
    colorTables.set(table, known);
    const colors = known.get(pipeline.colorMap) ?? toColors(table, colorTableOf(pipeline.colorMap));
    known.set(pipeline.colorMap, colors);
    return { indices: toTableIndices(samples), colors };
  };

  return {
    pipelineOf(frame, choice, { invert = false, colorMap = 'gray' } = {}) {
      const { modality, padding, isMonochrome1 } = frame;
      return { modality, padding, voi: voiOf(frame, choice), inverted: isMonochrome1 !== invert, colorMap };
    },
    tableOf,
    paintWhole(frame, pipeline, pixels) {
      const byTable = sampleColorsOf(frame, pipeline);
      if (byTable === undefined) {
        const levels = renderGray(frame.samples, pipeline, tables);
        const byLevel = colorTableOf(pipeline.colorMap);
        for (let i = 0; i < levels.length; i++) pixels[i] = byLevel[levels[i]!]!;
        return;
      }
      const { indices, colors } = byTable;
      for (let i = 0; i < indices.length; i++) pixels[i] = colors[indices[i]!]!;
    },
    paintSampled(frame, pipeline, { offsetsAcross, offsetsDown }, pixels) {
      const [width, height] = [offsetsAcross.length, offsetsDown.length];
      pixels.fill(BLACK);
      const byTable = sampleColorsOf(frame, pipeline);
      const byLevel = colorTableOf(pipeline.colorMap);
      const row = new Float64Array(byTable === undefined ? width : 0);
      for (let y = 0, at = 0; y < height; y++, at += width) {
        const down = offsetsDown[y]!;
        if (down < 0) continue;
        if (byTable === undefined) {
          for (let x = 0; x < width; x++) row[x] = frame.samples[Math.max(0, offsetsAcross[x]!) + down]!;
          const levels = renderGray(row, pipeline, tables);
          for (let x = 0; x < width; x++) if (offsetsAcross[x]! >= 0) pixels[at + x] = byLevel[levels[x]!]!;
          continue;
        }
        const { indices, colors } = byTable;
        for (let x = 0; x < width; x++) {
          const across = offsetsAcross[x]!;
          if (across >= 0) pixels[at + x] = colors[indices[across + down]!]!;
        }
      }
    },
  };
}

/** The bytes R, G, B and A of a pixel, as a little-endian number. */
const BLACK = 0xff000000;

function toColors(levels: Uint8Array, byLevel: Uint32Array): Uint32Array {
  const colors = new Uint32Array(levels.length);
  for (let i = 0; i < levels.length; i++) colors[i] = byLevel[levels[i]!]!;
  return colors;
}
