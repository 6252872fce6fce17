import type { WaveformResponse, WireWaveformGroup } from '../../../../shared/contract/waveforms.ts';

/** What the address says: a group, or all of them, and the start of the window. */
export type WaveformPlace = { readonly group: number | 'all'; readonly startS: number };

export function formatPlace({ group, startS }: WaveformPlace): string {
  return `${group === 'all' ? 'all' : group + 1}@${Number(startS.toFixed(3))}`;
}

export function parsePlace(item: string | undefined, answer: WaveformResponse): WaveformPlace {
  const [, name = '', time = ''] = /^(all|\d{1,3})@(-?\d{1,9}(?:\.\d{1,3})?)$/.exec(item ?? '') ?? [];
  const number = Number(name) - 1;
  const group = name === 'all' ? 'all' : answer.groups[number]?.problem === null ? number : chooseGroup(answer);
  const [first, end] = spanOf(answer, group);
  const startS = time === '' ? first : Math.min(Math.max(first, Number(time)), Math.max(first, end));
  return { group, startS };
}

/** The first long one of the original groups: a median beat is derived, and shorter. */
function chooseGroup({ groups }: WaveformResponse): number {
  const lengths = groups.map(
    (group) => durationOf(group) * (group.originality === 'DERIVED' ? 1e-6 : 1) * Number(group.problem === null),
  );
  const longest = Math.max(...lengths);
  return Math.max(
    0,
    lengths.findIndex((length) => length > 0 && length >= longest / 2),
  );
}

export function durationOf({ sample_count, sampling_frequency }: WireWaveformGroup): number {
  return sampling_frequency === null ? 0 : sample_count / sampling_frequency;
}

/** Start and end of a group, or of all, in seconds after the start of the recording. */
export function spanOf({ groups }: WaveformResponse, group: WaveformPlace['group']): readonly [number, number] {
  const shown = groups.filter((one, at) => one.problem === null && (group === 'all' || group === at));
  if (shown.length === 0) return [0, 1];
  return [
    Math.min(...shown.map(({ start_s }) => start_s)),
    Math.max(...shown.map((one) => one.start_s + durationOf(one))),
  ];
}
