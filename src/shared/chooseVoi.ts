import type { Voi } from './grayTable.ts';
import type { LookupTable } from './lookupTable.ts';
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
  const isFloat = isFloatSamples(frame.samples);
  const stated = findStatedVoi(choice, declared, isFloat);
  if (stated !== undefined) return stated;
  const shape = shapeOf(declared, isFloat);
  if (choice.kind === 'full_dynamic') return spread(findValueRange(frame), shape);
  const middle = findPercentileRange(frame, 1, 99);
  return spread(middle !== undefined && middle.low === middle.high ? findValueRange(frame) : middle, shape);
}

/** What `chooseVoi` answers; undefined where the samples decide it. */
export function findStatedVoi(choice: WindowChoice, declared: DeclaredVoi, isFloat = false): Voi | undefined {
  if (choice.kind === 'full_dynamic') return undefined;
  const shape = shapeOf(declared, isFloat);
  if (choice.kind === 'explicit') return toVoi(choice, shape);
  const windows = declared.windows.filter(isValidWindow);
  const window = windows[choice.index ?? 0] ?? windows[0];
  if (window !== undefined) return toVoi(window, shape);
  const table = declared.tables[choice.index ?? 0] ?? declared.tables[0];
  return table && { kind: 'lut', table };
}

function shapeOf({ shape }: DeclaredVoi, isFloat: boolean): VoiShape {
  return shape ?? (isFloat ? 'LINEAR_EXACT' : 'LINEAR');
}

export function isValidWindow({ center, width }: { readonly center: number; readonly width: number }): boolean {
  return Number.isFinite(center) && width > 0 && width < Infinity;
}

/** The standard asks LINEAR windows for a width of at least 1; a smaller one can only mean LINEAR_EXACT. */
function toVoi({ center, width }: { center: number; width: number }, shape: VoiShape): Voi {
  const window: VoiWindow = { center, width, shape: shape === 'LINEAR' && width < 1 ? 'LINEAR_EXACT' : shape };
  return { kind: 'window', window };
}

/**
 * In the shape that an explicit window would have, so that asking for the reported center and width gives the same
 * picture. SIGMOID cannot: its ends never reach black and white.
 */
function spread(range: ValueRange | undefined, shape: VoiShape): Voi {
  // Nothing but padding: any window is as good.
  const { low, high } = range ?? { low: 0, high: 1 };
  return { kind: 'window', window: windowBetween(low, high, shape === 'LINEAR' ? 'LINEAR' : 'LINEAR_EXACT') };
}
