import type { NumberSamples, SampleArray } from '../../../shared/sampleArray.ts';
import type { Redaction } from '../../bytes/origins/origins.ts';
import type { DecodedFrame } from './codecs/codec.ts';
import type { ImagePixel } from './imagePixel.ts';

/** The redactions of one frame, counted from 0. */
export function redactionsOfFrame({ redactions = [] }: ImagePixel, frame: number): readonly Redaction[] {
  return redactions.filter(({ frames }) => frames.length === 0 || frames.includes(frame));
}

/**
 * Fills the redacted boxes of a decoded frame in place, before anything is made of it: gray frames with the darkest
 * sample of the rest, so that windows computed from the samples stay as they are, and color frames with black.
 */
export function redactFrame(decoded: DecodedFrame, pixel: ImagePixel, frame: number): void {
  const redactions = redactionsOfFrame(pixel, frame);
  if (redactions.length === 0) return;
  const { rows, columns, samples, samplesPerPixel, planes } = decoded;
  const covered = cover(redactions, pixel, { rows, columns });
  if (samplesPerPixel === 1) fillGray(samples, covered, decoded.photometricInterpretation === 'MONOCHROME1');
  else fillColor(samples, covered, decoded);
  for (const plane of planes) for (let at = 0; at < covered.length; at += 1) if (covered[at] === 1) plane[at] = 0;
}

/**
 * One byte for each pixel of the decoded frame. It may be smaller than the stored one; then each of its pixels is made
 * of several, and those at the edge of a box, and beside it, have some of the box.
 */
function cover(
  redactions: readonly Redaction[],
  stored: ImagePixel,
  { rows, columns }: Pick<DecodedFrame, 'rows' | 'columns'>,
): Uint8Array {
  const covered = new Uint8Array(rows * columns);
  const isWhole = rows === stored.rows && columns === stored.columns;
  const margin = isWhole ? 0 : 2;
  for (const { box } of redactions) {
    const [top, left, bottom, right] = box;
    const from = Math.max(0, Math.floor((top * rows) / stored.rows) - margin);
    const to = Math.min(rows, Math.ceil((bottom * rows) / stored.rows) + margin);
    const first = Math.max(0, Math.floor((left * columns) / stored.columns) - margin);
    const end = Math.min(columns, Math.ceil((right * columns) / stored.columns) + margin);
    for (let row = from; row < to; row += 1) covered.fill(1, row * columns + first, row * columns + end);
  }
  return covered;
}

function fillGray(samples: SampleArray, covered: Uint8Array, isInverted: boolean): void {
  if (samples instanceof BigInt64Array || samples instanceof BigUint64Array) {
    let fill: bigint | undefined;
    for (let at = 0; at < covered.length; at += 1) {
      const sample = samples[at]!;
      if (covered[at] === 0 && (fill === undefined || sample > fill === isInverted)) fill = sample;
    }
    for (let at = 0; at < covered.length; at += 1) if (covered[at] === 1) samples[at] = fill ?? 0n;
    return;
  }
  const fill = darkestOf(samples, covered, isInverted);
  for (let at = 0; at < covered.length; at += 1) if (covered[at] === 1) samples[at] = fill;
}

/** Of the pixels that are not covered: the smallest sample, or the largest one if large samples are dark. */
function darkestOf(samples: NumberSamples, covered: Uint8Array, isInverted: boolean): number {
  let darkest: number | undefined;
  for (let at = 0; at < covered.length; at += 1) {
    const sample = samples[at]!;
    if (covered[at] === 1 || !Number.isFinite(sample)) continue;
    if (darkest === undefined || (isInverted ? sample > darkest : sample < darkest)) darkest = sample;
  }
  return darkest ?? 0;
}

/** Luminance comes first in YBR, whose other samples are in the middle for gray. */
function fillColor(
  samples: SampleArray,
  covered: Uint8Array,
  { samplesPerPixel, bitsAllocated, photometricInterpretation }: DecodedFrame,
): void {
  const isYbr = photometricInterpretation.startsWith('YBR');
  for (let at = 0; at < covered.length; at += 1) {
    if (covered[at] === 0) continue;
    for (let sample = 0; sample < samplesPerPixel; sample += 1) {
      const value = isYbr && sample > 0 ? 2 ** (bitsAllocated - 1) : 0;
      if (samples instanceof BigInt64Array || samples instanceof BigUint64Array) {
        samples[at * samplesPerPixel + sample] = BigInt(value);
      } else samples[at * samplesPerPixel + sample] = value;
    }
  }
}
