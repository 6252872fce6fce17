import { ViewerError } from '../../../shared/contract/errors.ts';
import { MOST_WAVEFORM_VALUES } from '../../../shared/contract/waveforms.ts';
import type { ByteSource } from '../../origins/byteSource.ts';
import type { TaskContext } from '../../workers/serveTasks.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withDocument } from '../readDocument.ts';
import { checkIsWaveform } from './readWaveform.ts';
import { buildWaveformGroups, type StoredSamples, type WaveformChannel } from './waveformGroups.ts';
import type { SamplesQuery, WaveformSamples } from './waveformTasks.ts';

/** Bytes that are read at once, so that a recording of a day is never in memory. */
const READ_BYTES = 2 ** 20;
/** Bytes that one request may read. */
const MOST_READ_BYTES = 2 ** 29;

/** Implements `readSamplesTask`. */
export function readSamples(input: SamplesQuery & DocumentFile, task: TaskContext): WaveformSamples {
  return withDocument(input, (source) => {
    checkIsWaveform(source);
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
    readParts(reader, { from, to, plan, wanted, values }, task);
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
  readonly stored: StoredSamples;
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
};

function readParts(reader: Reader, { from, to, plan, wanted, values }: Window, task: TaskContext): void {
  const { frameBytes } = reader;
  const step = Math.max(1, Math.floor(READ_BYTES / frameBytes));
  const count = to - from;
  for (let first = from; first < to; first += step) {
    task.throwIfCancelled();
    const end = Math.min(to, first + step);
    const { view, start } = readFrames(reader, first, end);
    const readable = Math.min(end - first, Math.floor((view.byteLength - start) / frameBytes));
    for (const [place, one] of wanted.entries()) {
      const into = values.subarray(place * plan.count, (place + 1) * plan.count);
      for (let at = 0; at < readable; at += 1) {
        const value = valueAt(reader, view, start + at * frameBytes, one);
        if (Number.isNaN(value)) continue;
        const sample = first - from + at;
        if (plan.parts === undefined) into[sample] = value;
        else widen(into, Math.floor((sample * plan.parts) / count), value);
      }
    }
  }
}

/** The bytes of the frames from `first` to `end`; they begin at `start`. */
function readFrames({ bytes, stored, frameBytes }: Reader, first: number, end: number) {
  const { offset, length } = stored.element;
  // Pairs of swapped bytes are read whole.
  const start = stored.isSwapped ? (first * frameBytes) % 2 : 0;
  const begin = first * frameBytes - start;
  const wanted = end * frameBytes - begin;
  const read = bytes.read(offset + begin, Math.min(length - begin, stored.isSwapped ? wanted + (wanted % 2) : wanted));
  const own = stored.isSwapped ? swapPairs(read) : read;
  return { view: new DataView(own.buffer, own.byteOffset, own.length), start };
}

function swapPairs(bytes: Uint8Array): Uint8Array {
  const swapped = bytes.slice();
  for (let at = 0; at + 1 < swapped.length; at += 2) [swapped[at], swapped[at + 1]] = [swapped[at + 1]!, swapped[at]!];
  return swapped;
}

function valueAt({ stored, littleEndian }: Reader, view: DataView, frame: number, { at, channel }: Wanted): number {
  const sample = stored.type.read(view, frame + at * stored.type.width, littleEndian);
  return sample === stored.padding ? Number.NaN : sample * channel.factor + channel.offset;
}

function widen(into: Float32Array, part: number, value: number): void {
  const low = 2 * part;
  // A comparison with NaN is false, so the first value is taken.
  if (!(into[low]! <= value)) into[low] = value;
  if (!(into[low + 1]! >= value)) into[low + 1] = value;
}
