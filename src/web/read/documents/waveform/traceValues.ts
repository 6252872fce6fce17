import type { WireWaveformGroup } from '../../../../shared/contract/waveforms.ts';
import type { GroupSamples } from '../../../kit/api/waveforms.ts';
import type { TraceTerm } from './strips.ts';

/** Values of one trace in the order of time. */
export type TraceValues = {
  readonly values: Float32Array;
  /** Whether values are pairs of the lowest and the highest of a part. */
  readonly isMinMax: boolean;
  /** Time of the first value, or of the middle of the first part, after the start of the recording. */
  readonly startS: number;
  /** Between two values, or two parts. */
  readonly stepS: number;
};

/** The values of a trace; undefined if they are not loaded. */
export function findTraceValues(
  groups: readonly WireWaveformGroup[],
  loaded: readonly GroupSamples[],
  terms: readonly TraceTerm[],
): TraceValues | undefined {
  const [first] = terms;
  const group = first && groups[first.group];
  const samples = first && loaded.find((one) => one.group === first.group);
  const rate = group?.sampling_frequency ?? 0;
  if (first === undefined || group === undefined || samples === undefined || rate <= 0) return undefined;
  const parts = terms.map(({ channel }) => samples.values[samples.channels.indexOf(channel)]);
  const length = parts[0]?.length ?? 0;
  const values = new Float32Array(length);
  for (const [place, part] of parts.entries()) {
    if (part === undefined) return undefined;
    const factor = terms[place]!.factor;
    // Upside down, the highest is the lowest. Of a sum of two channels, these are bounds.
    const turn = samples.isMinMax && factor < 0 ? 1 : 0;
    for (let at = 0; at < length; at += 1) values[at]! += factor * part[at ^ turn]!;
  }
  const skew = group.channels[first.channel]?.skew_s ?? 0;
  const count = samples.to - samples.from;
  const perStep = samples.isMinMax ? count / (length / 2) : 1;
  return {
    values,
    isMinMax: samples.isMinMax,
    startS: group.start_s + skew + (samples.from + (samples.isMinMax ? (perStep - 1) / 2 : 0)) / rate,
    stepS: perStep / rate,
  };
}

/** The value at a time: that of the nearest sample; undefined where there is none. */
export function valueAt({ values, isMinMax, startS, stepS }: TraceValues, timeS: number): number | undefined {
  const at = Math.round((timeS - startS) / stepS);
  const value = isMinMax ? (values[2 * at]! + values[2 * at + 1]!) / 2 : values[at];
  return value === undefined || Number.isNaN(value) ? undefined : value;
}
