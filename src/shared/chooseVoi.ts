import type { Voi } from './grayTable.ts';
import type { LookupTable } from './lookupTable.ts';
import type { ModalityTransform } from './modality.ts';
import { findPercentileRange, findValueRange, type FrameValues, type ValueRange } from './percentile.ts';
import { isFloatSamples } from './sampleArray.ts';
import { type VoiShape, type VoiWindow, windowBetween } from './voiWindow.ts';

/** What the viewer asks for. */
export type WindowChoice =
  /** The file's own window, by its position among the declared ones; else the percentiles. */
  | { readonly kind: 'default'; readonly index?: number }
  | { readonly kind: 'explicit'; readonly center: number; readonly width: number }
  /** From the frame's smallest to its largest value. */
  | { readonly kind: 'full_dynamic' };

/** What the file declares for a frame. PS3.3 C.11.2. */
export type DeclaredVoi = {
  readonly windows: readonly { readonly center: number; readonly width: number }[];
  /** VOI LUT Function; undefined where the file does not say. */
  readonly shape: VoiShape | undefined;
  readonly tables: readonly LookupTable[];
};

/**
 * Full dynamic, the explicit window, the file's window, the file's VOI LUT, and last the 1st to 99th percentile. Where
 * those two percentiles are equal, as in a mask with few pixels set, the whole range is shown.
 */
export function chooseVoi(choice: WindowChoice, declared: DeclaredVoi, frame: FrameValues): Voi {
  const grain = grainOf(frame.modality, isFloatSamples(frame.samples));
  const stated = findStatedVoi(choice, declared, grain);
  if (stated !== undefined) return stated;
  const shape = shapeOf(declared, grain);
  if (choice.kind === 'full_dynamic') return spread(findValueRange(frame), shape, grain);
  const middle = findPercentileRange(frame, 1, 99);
  return spread(middle !== undefined && middle.low === middle.high ? findValueRange(frame) : middle, shape, grain);
}

/** How close the values of an image can lie to each other. */
export type ValueGrain =
  /** Whole numbers apart. */
  | 'whole'
  /** Stored as whole numbers, and rescaled to fractions. */
  | 'rescaled'
  | 'float';

export function grainOf(modality: ModalityTransform, isFloat: boolean): ValueGrain {
  if (isFloat) return 'float';
  return modality.kind === 'rescale' && !Number.isInteger(modality.slope) ? 'rescaled' : 'whole';
}

/** What `chooseVoi` answers; undefined where the samples decide it. */
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

/** From here on LINEAR and LINEAR_EXACT differ by half a gray level at most. */
const WIDE = 256;

/**
 * LINEAR takes half a value off the center and a whole one off the width, because it counts whole values. Of an image
 * with values from 0 to 1 that leaves black and white: what is finer than whole numbers goes through a narrow window by
 * LINEAR_EXACT, also where LINEAR is declared, as toolkits declare it for every map. A width below 1, which the standard
 * does not allow LINEAR, can mean nothing else.
 */
function toVoi({ center, width }: { center: number; width: number }, shape: VoiShape, grain: ValueGrain): Voi {
  const isExact = shape === 'LINEAR' && width < (grain === 'whole' ? 1 : WIDE);
  return { kind: 'window', window: { center, width, shape: isExact ? 'LINEAR_EXACT' : shape } };
}

/**
 * In the shape that an explicit window would have, so that asking for the reported center and width gives the same
 * picture. SIGMOID cannot: its ends never reach black and white.
 */
function spread(range: ValueRange | undefined, shape: VoiShape, grain: ValueGrain): Voi {
  // Nothing but padding: any window is as good.
  const { low, high } = range ?? { low: 0, high: 1 };
  return { kind: 'window', window: windowOver({ low, high }, shape, grain) };
}

/** The window from black at `low` to white at `high`, as `toVoi` would take its numbers. */
export function windowOver({ low, high }: ValueRange, shape: VoiShape, grain: ValueGrain): VoiWindow {
  const isExact = shape !== 'LINEAR' || (grain !== 'whole' && high - low + 1 < WIDE);
  return windowBetween(low, high, isExact ? 'LINEAR_EXACT' : 'LINEAR');
}
