import { unreadable } from '../../../images/attachments/arrayHeader.ts';
import { readArray } from '../../../images/attachments/readArray.ts';
import { openSame, requireUnchanged } from '../../../bytes/origins/origins.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { MOST_LABEL_PARTS } from '../../../../shared/contract/labels.ts';
import type { LabelOfArray, LabelsOfArray, ReadLabelArrayInput, ResampleLabelsInput } from './labelArrayTasks.ts';

/** Implements `readLabelArrayTask`. Throws `attachment_unreadable` if values are no labels. */
export async function readLabelArray(
  { data, header, axes, volumes }: ReadLabelArrayInput,
  { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>,
): Promise<LabelsOfArray> {
  const { sizes } = header;
  const { steps, channelAxis } = axes;
  const codes = new LabelCodeTable(volumes[0]!.BYTES_PER_ELEMENT === 1 ? 255 : MOST_LABEL_PARTS);
  const indices = sizes.map(() => 0);
  const [length = 1] = sizes;
  const along = channelAxis === 0 ? 0 : steps[0]!;
  const opened = openSame(data);
  try {
    let at = 0;
    let channel = 0;
    let sample = 0;
    for await (const block of readArray(opened, header)) {
      throwIfCancelled();
      for (let n = 0; n < block.length; n += 1) {
        const value = block[n]!;
        if (value !== 0) {
          const code = codes.find(channelAxis === 0 ? at : channel, value);
          if (code === 0) return { labels: [], isFull: true };
          volumes[channelAxis === 0 ? at : channel]![sample] = code;
        }
        at += 1;
        sample += along;
        if (at < length) continue;
        at = 0;
        for (let axis = 1; axis < sizes.length; axis += 1) {
          indices[axis]! += 1;
          if (indices[axis]! < sizes[axis]!) break;
          indices[axis] = 0;
        }
        sample = 0;
        for (let axis = 1; axis < sizes.length; axis += 1) {
          if (axis !== channelAxis) sample += indices[axis]! * steps[axis]!;
        }
        if (channelAxis > 0) channel = indices[channelAxis]!;
      }
    }
    requireUnchanged(opened);
    return { labels: codes.labels, isFull: false };
  } finally {
    opened.close();
  }
}

/** The labels in the order in which they are found. */
class LabelCodeTable {
  readonly labels: LabelOfArray[] = [];
  readonly #most: number;
  readonly #codes: Map<number, number>[] = [];
  #lastChannel = -1;
  #lastValue = 0;
  #lastCode = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The place of a label, from 1 on; 0 if there are too many for a byte. */
  find(channel: number, value: number): number {
    if (value === this.#lastValue && channel === this.#lastChannel) return this.#lastCode;
    const ofChannel = (this.#codes[channel] ??= new Map<number, number>());
    const code = ofChannel.get(value) ?? this.#add(ofChannel, channel, value);
    [this.#lastChannel, this.#lastValue, this.#lastCode] = [channel, value, code];
    return code;
  }

  #add(ofChannel: Map<number, number>, channel: number, value: number): number {
    if (!Number.isInteger(value) || value < 0) {
      throw unreadable(`the value ${value} is no label: labels are whole numbers from 0 on`);
    }
    if (this.labels.length === this.#most) {
      if (this.#most < MOST_LABEL_PARTS) return 0;
      throw unreadable(`the file has more than ${MOST_LABEL_PARTS} labels`);
    }
    this.labels.push({ channel, value });
    ofChannel.set(value, this.labels.length);
    return this.labels.length;
  }
}

/** Of indices: the error of arithmetic must not select another sample. */
const NEARLY = 1e-6;

/** Implements `resampleLabelsTask`: each sample of the grid gets the label of the nearest sample of the array. */
export function resampleLabels(
  { from, fromSize, into, size, matrix }: ResampleLabelsInput,
  { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>,
): void {
  const [columns, rows, slices] = size;
  const [width, height, depth] = fromSize;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0, k = 0, l = 0] = matrix;
  let at = 0;
  for (let z = 0; z < slices; z += 1) {
    throwIfCancelled();
    for (let y = 0; y < rows; y += 1) {
      const [x0, y0, z0] = [b * y + c * z + d, f * y + g * z + h, j * y + k * z + l];
      for (let x = 0; x < columns; x += 1, at += 1) {
        const column = Math.floor(a * x + x0 + 0.5 + NEARLY);
        const row = Math.floor(e * x + y0 + 0.5 + NEARLY);
        const slice = Math.floor(i * x + z0 + 0.5 + NEARLY);
        if (column < 0 || column >= width || row < 0 || row >= height || slice < 0 || slice >= depth) continue;
        into[at] = from[(slice * height + row) * width + column]!;
      }
    }
  }
}
