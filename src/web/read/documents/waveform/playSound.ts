import type { WaveformResponse } from '../../../../shared/contract/waveforms.ts';
import { fetchSamples, type GroupSamples } from '../../../kit/api/waveforms.ts';

type Options = { readonly group: number; readonly startS: number; readonly signal: AbortSignal };

/** Seconds that are loaded at a time. */
const PART_S = 4;
const MOST_CHANNELS = 2;
const MOST_PART_SAMPLES = 262_144;

/** Plays the samples of a group to their end, part after part, so that a long recording is never in memory. */
export async function playSound(answer: WaveformResponse, { group: at, startS, signal }: Options): Promise<void> {
  const group = answer.groups[at];
  const rate = group?.sampling_frequency ?? 0;
  if (group === undefined || rate <= 0) return;
  const channels = group.channels.map((_, channel) => channel).slice(0, MOST_CHANNELS);
  const step = Math.min(MOST_PART_SAMPLES, Math.ceil(PART_S * rate));
  const context = new AudioContext();
  signal.addEventListener('abort', () => void context.close(), { once: true });
  try {
    let next = context.currentTime + 0.1;
    let scale: number | undefined;
    let ended = Promise.resolve();
    for (let from = Math.max(0, Math.floor((startS - group.start_s) * rate)); from < group.sample_count; from += step) {
      const to = Math.min(group.sample_count, from + step);
      const part = await fetchSamples(answer.file_index, { group: at, from, to, channels, most: step }, signal);
      scale ??= scaleOf(part);
      const source = context.createBufferSource();
      source.buffer = fillBuffer(context, part, { rate, scale });
      source.connect(context.destination);
      next = Math.max(next, context.currentTime);
      source.start(next);
      next += (to - from) / rate;
      ended = new Promise((end) => source.addEventListener('ended', () => end(), { once: true }));
      // The next part is loaded while this one plays.
      while (!signal.aborted && next - context.currentTime > PART_S) await new Promise((end) => setTimeout(end, 100));
      if (signal.aborted) return;
    }
    await ended;
  } finally {
    if (context.state !== 'closed') await context.close();
  }
}

/** As loud as the first part allows. */
function scaleOf({ values }: GroupSamples): number {
  let highest = 0;
  for (const channel of values) for (const value of channel) highest = Math.max(highest, Math.abs(value) || 0);
  return highest > 0 ? 0.9 / highest : 1;
}

function fillBuffer(
  context: AudioContext,
  { values }: GroupSamples,
  { rate, scale }: { readonly rate: number; readonly scale: number },
): AudioBuffer {
  const length = Math.max(1, values[0]?.length ?? 0);
  const buffer = context.createBuffer(Math.max(1, values.length), length, rate);
  for (const [channel, own] of values.entries()) {
    buffer.copyToChannel(
      own.map((value) => Math.max(-1, Math.min(1, (value || 0) * scale))),
      channel,
    );
  }
  return buffer;
}
