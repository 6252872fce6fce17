import { ViewerError } from '../../../../shared/contract/errors.ts';
import { MOST_WAVEFORM_VALUES } from '../../../../shared/contract/waveforms.ts';
import type { ByteSource } from '../../../bytes/origins/byteSource.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withWaveform } from './readWaveform.ts';
import { decodeSamples, type WaveformArray } from './sampleTypes.ts';
import { buildWaveformGroups, type StoredWaveform, type WaveformChannel } from './waveformGroups.ts';
import type { SamplesQuery, WaveformSamples } from './waveformTasks.ts';

/** Bytes that are read at once, so that a recording of a day is never in memory. */
const READ_BYTES = 2 ** 20;
/** Bytes that one request may read. */
const MOST_READ_BYTES = 2 ** 29;

/** Implements `readSamplesTask`. */
export function readSamples(input: SamplesQuery & DocumentFile, task: TaskContext): WaveformSamples {
  return withWaveform(input, (source) => {
    const group = buildWaveformGroups(source.dataSet)[input.group];
    if (group === undefined) throw new ViewerError('item_not_found', `there is no multiplex group ${input.group}`);
    const { stored, sampleCount, channelCount, channels } = group;
    const wanted = (input.channels ?? channels.map((_, at) => at)).map((at) => {
      const channel = channels[at];
      if (channel === undefined) throw new ViewerError('item_not_found', `there is no channel ${at}`);
      return { at, channel };
    });
    if (!('type' in stored)) throw new ViewerError(stored.code, stored.problem);
    const from = Math.min(input.from ?? 0, sampleCount);
    const to = Math.min(input.to ?? sampleCount, sampleCount);
    if (from > to) throw new ViewerError('invalid_query', 'to must not be less than from');
    const plan = planValues(to - from, input.most);
    if (plan.count * wanted.length > MOST_WAVEFORM_VALUES) {
      throw new ViewerError(
        'invalid_query',
        `most is too high: all channels together may have ${MOST_WAVEFORM_VALUES} values`,
      );
    }
    const frameBytes = stored.type.width * channelCount;
    if ((to - from) * frameBytes > MOST_READ_BYTES) {
      throw new ViewerError(
        'document_too_large',
        `the part has more than ${MOST_READ_BYTES} bytes of Waveform Data; request a shorter one`,
      );
    }
    const values = new Float32Array(plan.count * wanted.length).fill(Number.NaN);
    const { source: bytes, littleEndian } = source.dataSet.context;
    const reader = { bytes, littleEndian, stored, frameBytes };
    readParts(reader, { from, to, plan, wanted, values, channelCount }, task);
    return {
      from,
      to,
      count: plan.count,
      form: plan.parts === undefined ? 'samples' : 'min_max',
      bytes: task.transfer(new Uint8Array(values.buffer)),
    };
  });
}

/** `parts` pairs of lowest and highest value, or every sample. */
type Plan = { readonly count: number; readonly parts: number | undefined };

export function planValues(samples: number, most: number): Plan {
  if (samples <= most) return { count: samples, parts: undefined };
  const parts = Math.floor(most / 2);
  return { count: parts * 2, parts };
}

type Reader = {
  readonly bytes: ByteSource;
  readonly littleEndian: boolean;
  readonly stored: StoredWaveform;
  /** Bytes of the samples of all channels at one time. */
  readonly frameBytes: number;
};

type Wanted = { readonly at: number; readonly channel: WaveformChannel };

type Window = {
  readonly from: number;
  readonly to: number;
  readonly plan: Plan;
  readonly wanted: readonly Wanted[];
  readonly values: Float32Array;
  readonly channelCount: number;
};

function readParts(reader: Reader, window: Window, task: TaskContext): void {
  const { from, to, plan, wanted, values, channelCount } = window;
  const step = Math.max(1, Math.floor(READ_BYTES / reader.frameBytes));
  for (let first = from; first < to; first += step) {
    task.throwIfCancelled();
    const samples = readFrames(reader, first, Math.min(to, first + step));
    const end = Math.min(to, first + step, first + Math.floor(samples.length / channelCount));
    for (const [place, { at, channel }] of wanted.entries()) {
      const into = values.subarray(place * plan.count, (place + 1) * plan.count);
      const chunk = { samples, at, channelCount, padding: reader.stored.padding };
      if (plan.parts === undefined) {
        for (let sample = first; sample < end; sample += 1) {
          const value = samples[(sample - first) * channelCount + at]!;
          if (value !== chunk.padding) into[sample - from] = value * channel.factor + channel.offset;
        }
        continue;
      }
      const length = to - from;
      for (let sample = first; sample < end;) {
        const part = Math.floor(((sample - from) * plan.parts) / length);
        // The first sample of the next part.
        const next = Math.min(end, Math.max(sample + 1, from + Math.ceil(((part + 1) * length) / plan.parts)));
        widen(into, part, findRange(chunk, sample - first, next - first), channel);
        sample = next;
      }
    }
  }
}

/** The samples of all channels from `first` to `end`; fewer if the file is shorter. */
function readFrames({ bytes, stored, frameBytes, littleEndian }: Reader, first: number, end: number): WaveformArray {
  const { offset, length } = stored.element;
  // Pairs of swapped bytes are read whole.
  const early = stored.isSwapped ? (first * frameBytes) % 2 : 0;
  const begin = first * frameBytes - early;
  const wanted = end * frameBytes - begin;
  const read = bytes.read(offset + begin, Math.min(length - begin, stored.isSwapped ? wanted + (wanted % 2) : wanted));
  const own = stored.isSwapped ? swapPairs(read).subarray(early) : read;
  return decodeSamples(own, stored.type, littleEndian);
}

function swapPairs(bytes: Uint8Array): Uint8Array {
  const swapped = bytes.slice();
  for (let at = 0; at + 1 < swapped.length; at += 2) [swapped[at], swapped[at + 1]] = [swapped[at + 1]!, swapped[at]!];
  return swapped;
}

type Chunk = {
  readonly samples: WaveformArray;
  /** Of the channel. */
  readonly at: number;
  readonly channelCount: number;
  readonly padding: number | undefined;
};

/** Lowest and highest sample; the first is higher than the second if none has a value. */
function findRange({ samples, at, channelCount, padding }: Chunk, from: number, to: number): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  const end = to * channelCount + at;
  for (let place = from * channelCount + at; place < end; place += channelCount) {
    const value = samples[place]!;
    if (value === padding) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function widen(
  into: Float32Array,
  part: number,
  [low, high]: readonly [number, number],
  { factor, offset }: WaveformChannel,
): void {
  if (low > high) return;
  const [one, other] = [low * factor + offset, high * factor + offset];
  const [lowest, highest] = one < other ? [one, other] : [other, one];
  // A comparison with NaN is false, so the first value is taken.
  if (!(into[2 * part]! <= lowest)) into[2 * part] = lowest;
  if (!(into[2 * part + 1]! >= highest)) into[2 * part + 1] = highest;
}
