import { chooseVoi, type DeclaredVoi, isValidWindow, type WindowChoice } from './chooseVoi.ts';
import type { Rgb } from './cielab.ts';
import type { GrayTables, Voi } from './grayTable.ts';
import { type LookupTable, lookUp } from './lookupTable.ts';
import { applyModality, type ModalityTransform } from './modality.ts';
import { drawOverlayPlane, type ImageBytes, type OverlayPlane } from './overlayPlane.ts';
import { isPadding } from './padding.ts';
import type { Palette } from './palette.ts';
import { findValueRange, type SampledFrame } from './percentile.ts';
import { describeVoi, type FrameToPresent, isGrayFrame, presentFrame, type PresentedFrame } from './presentation.ts';
import { isSignedSamples, isSmallSamples, type NumberSamples, toNumberSamples } from './sampleArray.ts';
import { applyShutters, type DisplayShutters } from './shutter.ts';
import { applyVoiWindow, toGrayLevel, windowBetween } from './voiWindow.ts';

/** How a presentation state shows the pixels of a frame, in place of what the image declares. PS3.4 N.2. */
export type StateLook = {
  /** Undefined if the state says nothing about gray levels, as one of color images. */
  readonly gray: StateGray | undefined;
  /** Those of the image are ignored. */
  readonly shutters: DisplayShutters | undefined;
  /** Overlays that are drawn, from the lowest layer to the highest. Others of the image are not. */
  readonly overlays: readonly ActivatedOverlay[];
  /** Of the colors of the picture; undefined: that of the image. */
  readonly iccProfile: Uint8Array | undefined;
};

export type StateGray = {
  /** The identity if the state declares none: that of the image is not used. PS3.4 N.2.1.1. */
  readonly modality: ModalityTransform;
  /** Undefined for the identity: that of the image is not used. PS3.4 N.2.1.3. */
  readonly voi: DeclaredVoi | undefined;
  /** Undefined if it is missing, though it is required: then the image decides what is white. */
  readonly presentation: PresentationLut | undefined;
  /** Of a pseudo-color state. */
  readonly palette: Palette | undefined;
};

/** PS3.3 C.11.6. */
export type PresentationLut =
  | { readonly kind: 'identity' }
  | { readonly kind: 'inverse' }
  | { readonly kind: 'table'; readonly table: LookupTable };

export type ActivatedOverlay = {
  /** 0x6000 to 0x601E. */
  readonly group: number;
  /** Undefined if it is in the image. */
  readonly plane: OverlayPlane | undefined;
  readonly color: Rgb;
};

/** Converts a decoded frame to the picture that a presentation state describes. Only the server calls this. */
export function presentState(
  frame: FrameToPresent,
  look: StateLook,
  choice: WindowChoice,
  tables: GrayTables,
): PresentedFrame {
  const { window, ...plain } =
    look.gray === undefined || !isGrayFrame(frame)
      ? presentFrame({ ...frame, shutters: undefined, overlays: [] }, choice, tables)
      : presentGray(frame, look.gray, choice);
  const overlays = look.overlays.flatMap(({ group, plane, color }) => {
    const found = plane ?? frame.overlays?.find((one) => one.group === group);
    return found === undefined ? [] : [{ plane: found, color }];
  });
  const colors = [look.shutters?.color, ...overlays.map(({ color }) => color)];
  const image = colors.every(isNeutral) ? plain : toColor(plain);
  if (look.shutters !== undefined) applyShutters(image, look.shutters);
  for (const { plane, color } of overlays) drawOverlayPlane(image, plane, color);
  return { ...image, window };
}

function isNeutral(color: Rgb | undefined): boolean {
  return color === undefined || (color[0] === color[1] && color[1] === color[2]);
}

function toColor(image: ImageBytes): ImageBytes {
  if (image.channels === 3) return image;
  const pixels = new Uint8Array(image.pixels.length * 3);
  for (let i = 0; i < image.pixels.length; i++) pixels.fill(image.pixels[i]!, i * 3, i * 3 + 3);
  return { ...image, channels: 3, pixels };
}

/**
 * Modality, VOI, then Presentation LUT or palette. The photometric interpretation of the image is ignored, so that
 * MONOCHROME1 with INVERSE is inverted once. PS3.4 N.2.1.4.
 */
function presentGray(frame: FrameToPresent, gray: StateGray, choice: WindowChoice): PresentedFrame {
  const { rows, columns, padding } = frame;
  const samples = toNumberSamples(frame.samples);
  const voi = chooseStateVoi(frame, samples, gray, choice);
  const { palette, modality } = gray;
  const lut: PresentationLut = gray.presentation ?? {
    kind: frame.photometricInterpretation === 'MONOCHROME1' ? 'inverse' : 'identity',
  };
  const last = palette === undefined ? 255 : palette.colors.length / 3 - 1;
  const codeOf = (stored: number): number => {
    if (Number.isNaN(stored) || isPadding(stored, padding)) return 0;
    const part = applyVoi(voi, applyModality(modality, stored));
    // A palette takes the place of the Presentation LUT.
    return toGrayLevel((palette === undefined ? applyPresentationLut(lut, part) : part) * last);
  };
  const codes = mapSamples(samples, codeOf);
  if (palette === undefined) {
    return { rows, columns, channels: 1, pixels: Uint8Array.from(codes), window: describeVoi(voi) };
  }
  const pixels = new Uint8Array(codes.length * 3);
  for (let i = 0; i < codes.length; i++) pixels.set(palette.colors.subarray(codes[i]! * 3, codes[i]! * 3 + 3), i * 3);
  return { rows, columns, channels: 3, pixels, window: undefined };
}

function chooseStateVoi(frame: FrameToPresent, samples: NumberSamples, gray: StateGray, choice: WindowChoice): Voi {
  const { modality, voi } = gray;
  const values: SampledFrame = { modality, padding: frame.padding, samples };
  const declared = voi ?? { windows: [], shape: undefined, tables: [] };
  const isIdentity = declared.tables.length === 0 && !declared.windows.some(isValidWindow);
  if (choice.kind !== 'default' || !isIdentity) return chooseVoi(choice, declared, values);
  const { low, high } = findModalityRange(frame, values);
  return { kind: 'window', window: windowBetween(low, high, 'LINEAR_EXACT') };
}

/** All values that the modality transformation can give: what an identity passes on to the Presentation LUT. */
function findModalityRange({ bitsStored }: FrameToPresent, values: SampledFrame): { low: number; high: number } {
  const { modality, samples } = values;
  if (modality.kind === 'lut') return { low: 0, high: 2 ** modality.table.bits - 1 };
  if (!isSmallSamples(samples)) return findValueRange(values) ?? { low: 0, high: 1 };
  const lowest = isSignedSamples(samples) ? -(2 ** (bitsStored - 1)) : 0;
  const ends = [lowest, lowest + 2 ** bitsStored - 1].map((stored) => applyModality(modality, stored));
  return { low: Math.min(...ends), high: Math.max(...ends) };
}

/** From 0 to 1. */
function applyVoi(voi: Voi, value: number): number {
  if (voi.kind === 'window') return applyVoiWindow(value, voi.window) / 255;
  return Math.min(1, lookUp(voi.table, value) / (2 ** voi.table.bits - 1));
}

/** From 0 to 1: the number of entries of the table is the number of possible inputs. PS3.3 C.11.6.1. */
function applyPresentationLut(lut: PresentationLut, part: number): number {
  if (lut.kind === 'identity') return part;
  if (lut.kind === 'inverse') return 1 - part;
  const { entries, bits } = lut.table;
  return Math.min(1, (entries[Math.round(part * (entries.length - 1))] ?? 0) / (2 ** bits - 1));
}

/** The result for each sample. Each different sample is computed once if there are at most 65,536 of them. */
function mapSamples(samples: NumberSamples, codeOf: (stored: number) => number): Uint16Array {
  const codes = new Uint16Array(samples.length);
  if (!isSmallSamples(samples)) {
    for (let i = 0; i < samples.length; i++) codes[i] = codeOf(samples[i]!);
    return codes;
  }
  const lowest = isSignedSamples(samples) ? -(2 ** (samples.BYTES_PER_ELEMENT * 8 - 1)) : 0;
  const table = new Uint16Array(2 ** (samples.BYTES_PER_ELEMENT * 8));
  for (let i = 0; i < table.length; i++) table[i] = codeOf(lowest + i);
  for (let i = 0; i < samples.length; i++) codes[i] = table[samples[i]! - lowest]!;
  return codes;
}
