import { applyModality } from '../../../../shared/modality.ts';
import type { JobSamples } from './maskJob.ts';

/** Of a large picture, so many samples are looked at, evenly. */
const MOST_SEEN = 65_536;

/** The values between which a range can be chosen; of `within`, where that is 1. */
export function findValueLimits(
  { samples, modality }: JobSamples,
  within?: Uint8Array,
): {
  readonly least: number;
  readonly most: number;
  readonly middle: number;
  readonly step: number;
  readonly unit: string;
} {
  const stride = Math.max(1, Math.floor(samples.length / MOST_SEEN));
  const isWhole = modality.kind === 'rescale' && Number.isInteger(modality.slope) && !(samples instanceof Float32Array);
  let [least, most] = [Infinity, -Infinity];
  for (let at = 0; at < samples.length; at += within === undefined ? stride : 1) {
    if (within !== undefined && within[at] === 0) continue;
    const value = applyModality(modality, samples[at]!);
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (!(least <= most)) [least, most] = [0, 0];
  const step = isWhole && most - least >= 1 ? 1 : Math.max((most - least) / 1_000, Number.MIN_VALUE);
  const middle = isWhole ? Math.round((least + most) / 2) : (least + most) / 2;
  return { least, most, middle, step, unit: '' };
}
