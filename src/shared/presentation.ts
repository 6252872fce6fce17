import { chooseVoi, type DeclaredVoi, findStatedVoi, grainOf, type WindowChoice } from './chooseVoi.ts';
import { ViewerError } from './contract/errors.ts';
import { applyTable, type GrayPipeline, type GrayTables, type SampleWidth, toGray, type Voi } from './grayTable.ts';
import type { ModalityTransform } from './modality.ts';
import { drawOverlayPlane, type OverlayPlane } from './overlayPlane.ts';
import type { PixelPadding } from './padding.ts';
import type { SampledFrame } from './percentile.ts';
import { applyPalette, applySupplementalPalette, type Palette } from './palette.ts';
import { findColorModel, toRgb } from './photometric.ts';
import {
  isSignedSamples,
  isSmallSamples,
  type NumberSamples,
  type SampleArray,
  type SmallSamples,
  toNumberSamples,
  toTableIndices,
} from './sampleArray.ts';
import { applyShutters, type DisplayShutters } from './shutter.ts';
import type { VoiShape } from './voiWindow.ts';

/** A decoded frame and all attributes that determine its appearance. */
export type FrameToPresent = {
  readonly rows: number;
  readonly columns: number;
  /** Stored values, color-by-pixel, with chroma at full resolution. */
  readonly samples: SampleArray;
  /** The photometric interpretation after decoding. */
  readonly photometricInterpretation: string;
  readonly bitsStored: number;
  readonly modality: ModalityTransform;
  readonly voi: DeclaredVoi;
  readonly padding?: PixelPadding | undefined;
  /** For PALETTE COLOR images. */
  readonly palette?: Palette | undefined;
  /** For gray images whose higher samples are colors. */
  readonly supplementalPalette?: Palette | undefined;
  readonly shutters?: DisplayShutters | undefined;
  readonly overlays?: readonly OverlayPlane[];
};

export type PresentedFrame = {
  readonly rows: number;
  readonly columns: number;
  readonly channels: 1 | 3;
  readonly pixels: Uint8Array;
  /** Undefined for color, which has no window. */
  readonly window: AppliedWindow | undefined;
};

export type AppliedWindow = {
  /** In modality units. For a VOI LUT, the middle and the length of the range that it maps. */
  readonly center: number;
  readonly width: number;
  readonly applied: 'linear' | 'linear_exact' | 'sigmoid' | 'voi_lut';
};

/** A gray picture to which its table has not been applied yet, so that the result need not be in memory as a whole. */
export type TablePicture = Pick<PresentedFrame, 'rows' | 'columns' | 'window'> & {
  readonly channels: 1;
  readonly pixels: Uint8Array | Uint16Array;
  readonly table: Uint8Array;
};

/** A frame whose samples are not known yet. */
export type FrameLook = Omit<FrameToPresent, 'samples'>;

/** The result of `presentFrame` before the table is applied; undefined if the picture needs more than a table. */
export function findTablePicture(
  frame: FrameToPresent,
  choice: WindowChoice,
  tables: GrayTables,
): TablePicture | undefined {
  const { rows, columns, samples } = frame;
  if (!isPlainGray(frame) || !isSmallSamples(samples)) return undefined;
  const pipeline = chooseGrayPipeline(frame, samples, choice);
  const table = findTable(samples, pipeline, tables);
  return { rows, columns, channels: 1, pixels: toTableIndices(samples), table, window: describeVoi(pipeline.voi) };
}

/** The table of `findTablePicture`; also undefined if it depends on the samples. */
export function findStatedTable(
  frame: FrameLook,
  width: SampleWidth,
  choice: WindowChoice,
  tables: GrayTables,
): Pick<TablePicture, 'table' | 'window'> | undefined {
  const voi = isPlainGray(frame) ? findStatedVoi(choice, frame.voi, grainOf(frame.modality, false)) : undefined;
  return voi && { table: tables.get(toGrayPipeline(frame, voi), width), window: describeVoi(voi) };
}

/** A picture in color whose rows are converted when they are needed, so that it is never in memory as a whole. */
export type ColorRows = Pick<PresentedFrame, 'rows' | 'columns' | 'window'> & {
  readonly channels: 3;
  /** Rows from `from` up to but not including `to`. */
  readonly readRows: (from: number, to: number) => Uint8Array;
};

/** The result of `presentFrame` for a color frame without a palette and graphics; undefined for all others. */
export function findColorRows(frame: FrameToPresent): ColorRows | undefined {
  const { rows, columns, samples, shutters, overlays = [], bitsStored } = frame;
  const model = findColorModel(frame.photometricInterpretation);
  if (model === undefined || shutters !== undefined || overlays.length > 0) return undefined;
  const perRow = columns * 3;
  // These samples are the picture.
  const isRgb = model === 'rgb' && bitsStored === 8 && samples instanceof Uint8Array;
  const readRows = (from: number, to: number) => {
    const stored = samples.subarray(from * perRow, to * perRow);
    return isRgb && stored instanceof Uint8Array ? stored : toRgb(toNumberSamples(stored), model, bitsStored);
  };
  return { rows, columns, channels: 3, readRows, window: undefined };
}

/**
 * Converts a decoded frame to the displayed picture, in the order of the standard: modality, VOI, polarity, palette,
 * then shutters and overlays. Only the server calls this. The page draws gray frames with `renderGray`, which is also
 * used here, so both pictures are identical sample by sample. Pictures in color, or with shutters or overlays, come
 * from the server.
 */
export function presentFrame(frame: FrameToPresent, choice: WindowChoice, tables: GrayTables): PresentedFrame {
  const samples = toNumberSamples(frame.samples);
  const { picture, window } = isGrayFrame(frame)
    ? presentGray(frame, samples, choice, tables)
    : presentColor(frame, samples);
  const { rows, columns } = frame;
  const image = { rows, columns, ...picture };
  if (frame.shutters !== undefined) applyShutters(image, frame.shutters);
  for (const overlay of frame.overlays ?? []) drawOverlayPlane(image, overlay);
  return { ...image, window };
}

type Picture = { readonly channels: 1 | 3; readonly pixels: Uint8Array };
type Presented = { readonly picture: Picture; readonly window: AppliedWindow | undefined };

export function isGrayFrame({ photometricInterpretation }: FrameLook): boolean {
  return photometricInterpretation === 'MONOCHROME1' || photometricInterpretation === 'MONOCHROME2';
}

/** Whether each pixel depends only on its own sample. */
function isPlainGray(frame: FrameLook): boolean {
  const { shutters, overlays = [], supplementalPalette } = frame;
  return isGrayFrame(frame) && shutters === undefined && overlays.length === 0 && supplementalPalette === undefined;
}

function presentGray(
  frame: FrameToPresent,
  samples: NumberSamples,
  choice: WindowChoice,
  tables: GrayTables,
): Presented {
  const { supplementalPalette } = frame;
  const pipeline = chooseGrayPipeline(frame, samples, choice);
  const gray = renderGray(samples, pipeline, tables);
  const picture: Picture =
    supplementalPalette === undefined
      ? { channels: 1, pixels: gray }
      : { channels: 3, pixels: applySupplementalPalette(samples, gray, supplementalPalette) };
  return { picture, window: describeVoi(pipeline.voi) };
}

function chooseGrayPipeline(frame: FrameToPresent, samples: NumberSamples, choice: WindowChoice): GrayPipeline {
  return toGrayPipeline(frame, chooseVoi(choice, frame.voi, toFrameValues(frame, samples)));
}

/** The values of a frame from which a window can be chosen; empty for a color frame. */
export function grayValuesOf(frame: FrameToPresent): SampledFrame {
  return toFrameValues(frame, isGrayFrame(frame) ? toNumberSamples(frame.samples) : new Uint8Array());
}

function toFrameValues({ modality, padding, supplementalPalette }: FrameLook, samples: NumberSamples): SampledFrame {
  // Samples that are colors have no gray value and would widen the window.
  const isGraySample = (sample: number) => sample < (supplementalPalette?.firstValue ?? Infinity);
  return { modality, padding, samples: supplementalPalette === undefined ? samples : samples.filter(isGraySample) };
}

function toGrayPipeline({ modality, padding, photometricInterpretation }: FrameLook, voi: Voi): GrayPipeline {
  return { modality, voi, padding, inverted: photometricInterpretation === 'MONOCHROME1' };
}

/** Gray levels of all samples: by table if possible, else one by one, with the same arithmetic. */
export function renderGray(samples: NumberSamples, pipeline: GrayPipeline, tables: GrayTables): Uint8Array {
  if (isSmallSamples(samples)) return applyTable(toTableIndices(samples), findTable(samples, pipeline, tables));
  const gray = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i++) gray[i] = toGray(samples[i]!, pipeline);
  return gray;
}

function findTable(samples: SmallSamples, pipeline: GrayPipeline, tables: GrayTables): Uint8Array {
  const bytes = samples.BYTES_PER_ELEMENT === 1 ? 1 : 2;
  return tables.get(pipeline, { bytes, signed: isSignedSamples(samples) });
}

function presentColor(frame: FrameToPresent, samples: NumberSamples): Presented {
  const { photometricInterpretation, palette, bitsStored } = frame;
  if (photometricInterpretation === 'PALETTE COLOR') {
    if (palette === undefined)
      throw new ViewerError('unsupported_pixel_layout', 'the palette of a PALETTE COLOR image is missing');
    return { picture: { channels: 3, pixels: applyPalette(samples, palette) }, window: undefined };
  }
  const model = findColorModel(photometricInterpretation);
  if (model === undefined) {
    throw new ViewerError(
      'unsupported_pixel_layout',
      `photometric interpretation ${photometricInterpretation} is not supported`,
    );
  }
  return { picture: { channels: 3, pixels: toRgb(samples, model, bitsStored) }, window: undefined };
}

const APPLIED: Record<VoiShape, AppliedWindow['applied']> = {
  LINEAR: 'linear',
  LINEAR_EXACT: 'linear_exact',
  SIGMOID: 'sigmoid',
};

export function describeVoi(voi: Voi): AppliedWindow {
  if (voi.kind === 'window') {
    const { center, width, shape } = voi.window;
    return { center, width, applied: APPLIED[shape] };
  }
  const { firstValue, entries } = voi.table;
  return { center: firstValue + entries.length / 2, width: entries.length, applied: 'voi_lut' };
}
