import { isDamagedRow } from '../../../shared/frameDamage.ts';
import { applyModality } from '../../../shared/modality.ts';
import { isPadding } from '../../../shared/padding.ts';
import type { Point } from '../../kit/state/viewState.ts';
import type { GrayFrame, LoadedFrame, SampleOrigin } from './loadedFrame.ts';

/** The sample under the pointer. */
export type ProbedSample = {
  readonly column: number;
  readonly row: number;
  /** As stored; for color, the displayed red, green and blue. */
  readonly stored: number | readonly [number, number, number];
  /** In modality units; undefined for color, and if the transform is not known in the browser. */
  readonly value: number | undefined;
  readonly isPadding: boolean;
  /** The sample lies in a damaged part of the image, so its value may be invented. */
  readonly isDamaged?: boolean;
  /** How the sample was made, if it is not a stored one. */
  readonly origin?: SampleOrigin | undefined;
};

/** The sample at an image point; undefined outside the image. */
export function probeFrame(frame: LoadedFrame, { x, y }: Point): ProbedSample | undefined {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  if (column < 0 || row < 0 || column >= frame.columns || row >= frame.rows) return undefined;
  if (frame.kind === 'gray') return probeGray(frame, column, row);
  if (frame.isPreview) return undefined;
  const stored = readColor(frame.bitmap, column, row);
  const isDamaged = isDamagedRow(frame.damage, row);
  return stored && { column, row, stored, value: undefined, isPadding: false, isDamaged };
}

function probeGray(frame: GrayFrame, column: number, row: number): ProbedSample | undefined {
  // The coarse samples of a moving plane stand for several pixels each, and slices may be missing in a partial one.
  if ((frame.coarseness ?? 1) > 1 || frame.places !== undefined) return undefined;
  const stored = frame.samples[row * frame.columns + column];
  if (stored === undefined) return undefined;
  // `server` can mean a modality lookup table, which the client does not have.
  const value = frame.presentation === 'server' ? undefined : applyModality(frame.modality, stored);
  const isDamaged = isDamagedRow(frame.damage, row);
  const isOutside = Number.isNaN(stored) || isPadding(stored, frame.padding);
  return { column, row, stored, value, isPadding: isOutside, isDamaged, origin: frame.origin };
}

function readColor(bitmap: ImageBitmap, column: number, row: number): [number, number, number] | undefined {
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (context === null) return undefined;
  context.drawImage(bitmap, -column, -row);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return red === undefined || green === undefined || blue === undefined ? undefined : [red, green, blue];
}
