import type { Voi } from './grayTable.ts';
import type { LookupTable } from './lookupTable.ts';
import type { ModalityTransform } from './modality.ts';
import { findPercentileRange, findValueRange, type SampledFrame, type ValueRange } from './percentile.ts';
import { isFloatSamples } from './sampleArray.ts';
import { type VoiShape, type VoiWindow, windowBetween } from './voiWindow.ts';

/** The window that the viewer requests. */
export type WindowChoice =
  /** The window or VOI LUT that the file declares, by its index; the percentiles if it declares none. */
  | { readonly kind: 'default'; readonly index?: number }
  | { readonly kind: 'explicit'; readonly center: number; readonly width: number }
  /** From the smallest to the largest value of the frame. */
  | { readonly kind: 'full_dynamic' };

/** The VOI that the file declares for a frame. PS3.3 C.11.2. */
export type DeclaredVoi = {
  readonly windows: readonly { readonly center: number; readonly width: number }[];
  /** VOI LUT Function; undefined if the file does not declare it. */
  readonly shape: VoiShape | undefined;
  readonly tables: readonly LookupTable[];
};

/**
 * Order of precedence: full dynamic range, the explicit window, the file's window, the file's VOI LUT, the 1st to 99th
 * percentile. If those two percentiles are equal, as in a mask with few pixels set, the whole range is shown.
 */
export function chooseVoi(choice: WindowChoice, declared: DeclaredVoi, frame: SampledFrame): Voi {
  const grain = grainOf(frame.modality, isFloatSamples(frame.samples));
  const stated = findStatedVoi(choice, declared, grain);
  if (stated !== undefined) return stated;
  const shape = shapeOf(declared, grain);
  if (choice.kind === 'full_dynamic') return spread(findValueRange(frame), shape, grain);
  const middle = findPercentileRange(frame, 1, 99);
  return spread(middle !== undefined && middle.low === middle.high ? findValueRange(frame) : middle, shape, grain);
}

/** The smallest step between values of an image. */
export type ValueGrain =
  /** Integers. */
  | 'whole'
  /** Stored as integers and rescaled to fractions. */
  | 'rescaled'
  | 'float';

export function grainOf(modality: ModalityTransform, isFloat: boolean): ValueGrain {
  if (isFloat) return 'float';
  return modality.kind === 'rescale' && !Number.isInteger(modality.slope) ? 'rescaled' : 'whole';
}

/** The result of `chooseVoi`, or undefined if it depends on the samples. */
export function findStatedVoi(choice: WindowChoice, declared: DeclaredVoi, grain: ValueGrain): Voi | undefined {
  if (choice.kind === 'full_dynamic') return undefined;
  const shape = shapeOf(declared, grain);
  if (choice.kind === 'explicit') return toVoi(choice, shape, grain);
  const windows = declared.windows.filter(isValidWindow);
  const window = windows[choice.index ?? 0] ?? windows[0];
  if (window !== undefined) return toVoi(window, shape, grain);
  const table = declared.tables[choice.index ?? 0] ?? declared.tables[0];
  return table && { kind: 'lut', table };
}

function shapeOf({ shape }: DeclaredVoi, grain: ValueGrain): VoiShape {
  return shape ?? (grain === 'float' ? 'LINEAR_EXACT' : 'LINEAR');
}

export function isValidWindow({ center, width }: { readonly center: number; readonly width: number }): boolean {
  return Number.isFinite(center) && width > 0 && width < Infinity;
}

/** From this width on, LINEAR and LINEAR_EXACT differ by half a gray level at most. */
const WIDE = 256;

/**
 * LINEAR subtracts 0.5 from the center and 1 from the width, because it counts integers. An image with values from 0 to
 * 1 would become black and white. Values finer than integers therefore use LINEAR_EXACT in a narrow window, even if
 * LINEAR is declared, because toolkits declare LINEAR for every map. A width below 1, which the standard does not allow
 * for LINEAR, can only mean LINEAR_EXACT.
 */
function toVoi({ center, width }: { center: number; width: number }, shape: VoiShape, grain: ValueGrain): Voi {
  const isExact = shape === 'LINEAR' && width < (grain === 'whole' ? 1 : WIDE);
  return { kind: 'window', window: { center, width, shape: isExact ? 'LINEAR_EXACT' : shape } };
}

/**
 * Uses the shape that an explicit window would have, so that requesting the reported center and width gives the same
 * picture. This is not possible for SIGMOID, whose ends never reach black and white.
 */
function spread(range: ValueRange | undefined, shape: VoiShape, grain: ValueGrain): Voi {
  // The frame has only padding, so any window will do.
  const { low, high } = range ?? { low: 0, high: 1 };
  return { kind: 'window', window: windowOver({ low, high }, shape, grain) };
}

/** The window from black at `low` to white at `high`, in the shape that `toVoi` chooses for its center and width. */
export function windowOver({ low, high }: ValueRange, shape: VoiShape, grain: ValueGrain): VoiWindow {
  const isExact = shape !== 'LINEAR' || (grain !== 'whole' && high - low + 1 < WIDE);
  return windowBetween(low, high, isExact ? 'LINEAR_EXACT' : 'LINEAR');
}
