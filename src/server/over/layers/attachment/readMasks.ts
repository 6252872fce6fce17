import { ViewerError } from '../../../../shared/contract/errors.ts';
import { encodeMasks, type MaskLayer } from '../../../../shared/maskLayers.ts';
import type { Rgb } from '../../../../shared/cielab.ts';
import { countElements, type NamedLabel, unreadable } from '../../../images/attachments/arrayHeader.ts';
import { readPngLabels } from '../../../images/attachments/png.ts';
import { readArray } from '../../../images/attachments/readArray.ts';
import { openSame, requireUnchanged, withSame } from '../../../bytes/origins/origins.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { createMaskReader, type CroppedMasks } from '../segmentation/croppedMasks.ts';
import type { PackedMaskLayers } from '../segmentation/segmentationTasks.ts';
import { createRuns, findStrides, type Strides } from './arrayOrder.ts';
import { createZeroSkipper } from './skipZeros.ts';
import type { AttachmentMasks, AttachmentPart, PackSlicesInput, ReadMasksInput } from './attachmentTasks.ts';

type Volume = {
  readonly codes: Uint8Array | Uint16Array;
  readonly rows: number;
  readonly columns: number;
  readonly slices: number;
  readonly channels: number;
};

/** Implements `readMasksTask`. */
export async function readMasks(
  { content, mostBytes }: ReadMasksInput,
  context: TaskContext,
): Promise<AttachmentMasks> {
  if (content.kind === 'pictures') return readPictures(content, mostBytes, context);
  const { header, order, data } = content;
  const { sizes } = header;
  const shape = {
    columns: sizes[order.columns.axis]!,
    rows: sizes[order.rows.axis]!,
    slices: sizes[order.slices.axis]!,
    channels: order.channels === undefined ? 1 : sizes[order.channels]!,
  };
  const opened = openSame(data);
  try {
    const labels = new LabelCodes();
    const filler = createFiller(sizes, findStrides(sizes, order));
    let codes: Uint8Array | Uint16Array | undefined = new Uint8Array(countElements(sizes));
    for await (const block of readArray(opened, header)) {
      context.throwIfCancelled();
      if (codes !== undefined) codes = filler.fill(block, codes, labels);
      else labels.measure(block);
    }
    requireUnchanged(opened);
    if (codes !== undefined && filler.looksLikeImage(labels)) return withoutMasks(labels.range);
    if (codes !== undefined) {
      const volume = { ...shape, codes };
      const parts = nameLabels(countInChannels(volume, labels), header.labels);
      return {
        content: 'labels',
        valueRange: labels.range,
        parts: parts.map(({ number, name, color, voxels }) => ({ number, name, color, voxels })),
        ...cropLabels(volume, parts, mostBytes),
        warnings: [],
      };
    }
    return withoutMasks(labels.range);
  } finally {
    opened.close();
  }
}

/** One, and what a slope in 32 bits may add to it. */
const MOST_PROBABILITY = 1 + 1e-6;

/** Values and probabilities are no masks: they are read when they are drawn. */
function withoutMasks(valueRange: readonly [number, number]): AttachmentMasks {
  const cropped = new Cropper(0).build();
  const [low, high] = valueRange;
  const content = low >= 0 && high <= MOST_PROBABILITY ? 'probabilities' : 'values';
  return { content, valueRange, parts: [], ...cropped, warnings: [] };
}

function readPictures(
  { rows, columns, pictures }: Extract<ReadMasksInput['content'], { kind: 'pictures' }>,
  mostBytes: number,
  context: TaskContext,
): AttachmentMasks {
  const labels = new LabelCodes();
  const found: { readonly place: number; readonly codes: Uint8Array | Uint16Array }[] = [];
  let palette: readonly Rgb[] | undefined;
  let isColor = false;
  let mostLevels = 0;
  for (const { source, place } of pictures) {
    context.throwIfCancelled();
    const picture = withSame(source, readPngLabels);
    if (picture.rows !== rows || picture.columns !== columns) throw unreadable('the pictures have different sizes');
    palette ??= picture.palette;
    isColor ||= picture.colors === 'rgb' || picture.colors === 'rgb_alpha';
    const filler = createFiller([columns, rows], { start: 0, steps: [1, columns] });
    const codes = filler.fill(picture.labels, new Uint8Array(rows * columns), labels);
    if (codes === undefined) throw unreadable('the pictures have too many levels for masks');
    mostLevels = Math.max(mostLevels, labels.count);
    found.push({ place, codes });
  }
  const inOrder = found.toSorted((a, b) => a.place - b.place);
  const counts = new Map<number, number>();
  for (const { codes } of inOrder) for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  const parts = nameLabels(
    [...counts].flatMap(([code, voxels]) =>
      code === 0 ? [] : [{ channel: 0, code, value: labels.valueOf(code), voxels }],
    ),
    [],
  ).map((part) => ({ ...part, color: isColor ? toColor(part.value) : palette?.[part.value] }));
  const cropper = new Cropper(mostBytes);
  for (const { place, codes } of inOrder) {
    cropper.addSlice({ codes, rows, columns, place, parts: parts.map(({ code, number }) => ({ code, number })) });
  }
  return {
    content: 'labels',
    valueRange: labels.range,
    parts: parts.map(({ number, name, color, voxels }) => ({ number, name, color, voxels })),
    ...cropper.build(),
    warnings:
      mostLevels > MANY_LEVELS
        ? [{ code: 'many_levels', message: `the pictures have ${mostLevels} levels, as if they were not masks` }]
        : [],
  };
}

const MANY_LEVELS = 256;

function toColor(value: number): Rgb {
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

const MOST_LABELS = 4096;
const TABLE = 65_536;
const NO_CODE = -1;

/** Gives every label a small number, in the order in which labels appear; 0 is outside of all of them. */
class LabelCodes {
  readonly #table = new Int32Array(TABLE).fill(NO_CODE);
  readonly #others = new Map<number, number>();
  readonly #values: number[] = [0];
  #low = Infinity;
  #high = -Infinity;

  constructor() {
    this.#table[0] = 0;
  }

  get table(): Int32Array {
    return this.#table;
  }

  get count(): number {
    return this.#values.length;
  }

  get range(): readonly [number, number] {
    const values = this.#values;
    const low = values.reduce((least, value) => Math.min(least, value), this.#low);
    return [low, values.reduce((most, value) => Math.max(most, value), this.#high)];
  }

  valueOf(code: number): number {
    return this.#values[code]!;
  }

  /** Undefined if this is no label, or one too many. */
  learn(value: number): number | undefined {
    if (Number.isNaN(value)) return 0;
    const known = this.#others.get(value);
    if (known !== undefined) return known;
    this.measure([value]);
    // Images have negative values; in labels, -1 may stand for voxels that do not count.
    if (!Number.isInteger(value) || value < -1 || this.#values.length > MOST_LABELS) return undefined;
    const code = this.#values.length;
    this.#values.push(value);
    if (value >= 0 && value < TABLE) this.#table[value] = code;
    else this.#others.set(value, code);
    return code;
  }

  measure(values: ArrayLike<number>): void {
    let [low, high] = [this.#low, this.#high];
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at]!;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    [this.#low, this.#high] = [low, high];
  }
}

/** So few are labels, whatever they look like. */
const FEW_LABELS = 64;
const MOST_CHANGES = 0.5;

/** Writes elements to their places, wherever a block of them begins. */
function createFiller(sizes: readonly number[], strides: Strides) {
  const eachRun = createRuns(sizes, strides);
  const [step = 1] = strides.steps;
  /** Elements beside an element of another label in the same row. */
  let [changes, written] = [0, 0];

  return {
    /** Returns the codes, in another array if they have outgrown bytes; undefined if these are no labels. */
    fill(
      block: ArrayLike<number>,
      codes: Uint8Array | Uint16Array,
      labels: LabelCodes,
    ): Uint8Array | Uint16Array | undefined {
      let filled = codes;
      const { table } = labels;
      const skipZeros = createZeroSkipper(block);
      const areLabels = eachRun(block.length, (from, count, first) => {
        // Locals, because this loop runs for every voxel. What is written to is empty, so 0 need not be written.
        let [last, changed, present] = [0, 0, 0];
        let target = filled;
        for (let i = from; i < from + count; i += 1) {
          const value = block[i]!;
          if (value === 0) {
            last = 0;
            i = skipZeros(i + 1, from + count) - 1;
            continue;
          }
          let code: number | undefined = table[value];
          if (code === undefined || code < 0) {
            code = labels.learn(value);
            if (code === undefined) return false;
            if (code > 255 && target instanceof Uint8Array) target = filled = Uint16Array.from(target);
          }
          target[first + (i - from) * step] = code;
          present += 1;
          if (code !== last) changed += 1;
          last = code;
        }
        changes += changed;
        written += present;
        return true;
      });
      if (areLabels) return filled;
      labels.measure(block);
      return undefined;
    },
    /** Neighbours in an image differ nearly everywhere, those in labels only at borders. */
    looksLikeImage: ({ count }: LabelCodes) => count > FEW_LABELS && changes > MOST_CHANGES * written,
  };
}

type CountedLabel = {
  readonly channel: number;
  readonly code: number;
  readonly value: number;
  readonly voxels: number;
};
type LabelPart = CountedLabel & AttachmentPart;

function countInChannels({ codes, channels }: Volume, labels: LabelCodes): readonly CountedLabel[] {
  const size = codes.length / channels;
  const skipZeros = createZeroSkipper(codes);
  return Array.from({ length: channels }, (_, channel) => {
    const counts = new Float64Array(labels.count);
    const end = (channel + 1) * size;
    for (let at = skipZeros(channel * size, end); at < end; at = skipZeros(at + 1, end)) counts[codes[at]!]! += 1;
    return Array.from(counts, (voxels, code) => ({ channel, code, value: labels.valueOf(code), voxels })).filter(
      ({ code, voxels }) => code !== 0 && voxels > 0,
    );
  }).flat();
}

/**
 * The number of a part is its label where that tells the parts apart, otherwise its place in the list. Named labels that
 * do not occur stay in the list.
 */
function nameLabels(counted: readonly CountedLabel[], named: readonly NamedLabel[]): readonly LabelPart[] {
  const names = new Map(named.map((label) => [keyOf(label), label] as const));
  const present = new Set(counted.map(keyOf));
  const empty = named
    .filter((label) => !present.has(keyOf(label)))
    .map(({ channel, value }) => ({ channel, value, code: NO_CODE, voxels: 0 }));
  const all = [...counted, ...empty].toSorted((a, b) => a.channel - b.channel || a.value - b.value);
  if (all.length > MOST_LABELS) throw unreadable(`the file has more than ${MOST_LABELS} labels`);
  const areNumbers =
    new Set(all.map(({ value }) => value)).size === all.length && all.every(({ value }) => isNumber(value));
  const severalChannels = all.some(({ channel }) => channel > 0);
  return all.map((label, at) => {
    const { name, color } = names.get(keyOf(label)) ?? {};
    const place = severalChannels ? `Channel ${label.channel}` : undefined;
    return { ...label, number: areNumbers ? label.value : at + 1, name: name ?? place, color };
  });
}

function keyOf({ channel, value }: { readonly channel: number; readonly value: number }): string {
  return `${channel} ${value}`;
}

function isNumber(value: number): boolean {
  return value > 0 && value < 2 ** 31;
}

function cropLabels(volume: Volume, parts: readonly LabelPart[], mostBytes: number) {
  const { codes, rows, columns, slices, channels } = volume;
  const cropper = new Cropper(mostBytes);
  const ofChannels = Array.from({ length: channels }, (_, channel) =>
    parts.filter((part) => part.channel === channel && part.code > 0),
  );
  for (let place = 0; place < slices; place += 1) {
    for (const [channel, ofChannel] of ofChannels.entries()) {
      const from = (channel * slices + place) * rows * columns;
      cropper.addSlice({ codes: codes.subarray(from, from + rows * columns), rows, columns, place, parts: ofChannel });
    }
  }
  return cropper.build();
}

type Slice = {
  readonly codes: Uint8Array | Uint16Array;
  readonly rows: number;
  readonly columns: number;
  readonly place: number;
};

/** What a frame takes besides its samples. */
const FRAME_BYTES = 64;

/** Collects one frame for each part in each slice. */
class Cropper {
  readonly #mostBytes: number;
  readonly #boxes: number[] = [];
  readonly #starts: number[] = [];
  readonly #places: number[] = [];
  readonly #segments: number[] = [];
  readonly #amounts: number[] = [];
  readonly #samples: Uint8Array[] = [];
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Looks at each sample once, whatever the number of parts. */
  addSlice({
    codes,
    rows,
    columns,
    place,
    parts,
  }: Slice & { readonly parts: readonly { readonly code: number; readonly number: number }[] }): void {
    if (parts.length === 0) return;
    const most = parts.reduce((highest, { code }) => Math.max(highest, code), 0);
    const tops = new Int32Array(most + 1).fill(-1);
    const bottoms = new Int32Array(most + 1);
    const lefts = new Int32Array(most + 1).fill(columns);
    const rights = new Int32Array(most + 1).fill(-1);
    const skipZeros = createZeroSkipper(codes);
    for (let row = 0; row < rows; row += 1) {
      const [start, end] = [row * columns, (row + 1) * columns];
      for (let at = skipZeros(start, end); at < end; at = skipZeros(at + 1, end)) {
        const code = codes[at]!;
        if (code > most) continue;
        const column = at - start;
        if (tops[code]! < 0) tops[code] = row;
        bottoms[code] = row;
        if (column < lefts[code]!) lefts[code] = column;
        if (column > rights[code]!) rights[code] = column;
      }
    }
    for (const { code, number } of parts) {
      if (tops[code]! < 0) continue;
      const [top, left] = [tops[code]!, lefts[code]!];
      const [height, width] = [bottoms[code]! - top + 1, rights[code]! - left + 1];
      const bits = new Uint8Array(Math.ceil((height * width) / 8));
      let amount = 0;
      for (let row = 0, bit = 0; row < height; row += 1) {
        const from = (top + row) * columns + left;
        for (let column = 0; column < width; column += 1, bit += 1) {
          if (codes[from + column] !== code) continue;
          bits[bit >>> 3]! |= 1 << (bit & 7);
          amount += 1;
        }
      }
      this.#amounts.push(amount);
      this.#add({ place, number, box: [top, left, height, width], samples: bits });
    }
  }

  #add({
    place,
    number,
    box,
    samples,
  }: {
    readonly place: number;
    readonly number: number;
    readonly box: readonly [number, number, number, number];
    readonly samples: Uint8Array;
  }): void {
    this.#boxes.push(...box);
    this.#starts.push(this.#bytes);
    this.#places.push(place);
    this.#segments.push(number);
    this.#samples.push(samples);
    this.#bytes += samples.length;
    if (this.#bytes + this.#places.length * FRAME_BYTES > this.#mostBytes) {
      throw new ViewerError(
        'layer_too_large',
        `the masks of the file take more than ${this.#mostBytes} bytes, which is the part of --memory for them`,
      );
    }
  }

  /** In shared memory, so that threads read the samples without a copy. */
  build(): Pick<AttachmentMasks, 'cropped' | 'places' | 'segments' | 'amounts'> {
    const samples = new Uint8Array(new SharedArrayBuffer(this.#bytes));
    for (const [at, part] of this.#samples.entries()) samples.set(part, this.#starts[at]);
    return {
      cropped: {
        frames: Uint32Array.from(this.#places, (_, frame) => frame),
        boxes: Int32Array.from(this.#boxes),
        starts: Uint32Array.from(this.#starts),
        encoding: 'bits',
        samples,
        damaged: [],
      },
      places: Uint32Array.from(this.#places),
      segments: Int32Array.from(this.#segments),
      amounts: Uint32Array.from(this.#amounts),
    };
  }
}

/** Implements `packSliceTask`: the masks over a frame whose pixels are those of the array. */
export function packSlice(
  { rows, columns, cropped, segments }: PackSlicesInput,
  context: TaskContext,
): PackedMaskLayers {
  const layers = Array.from(cropped.frames, (frame, index): MaskLayer => {
    const [top, left, height, width] = boxAt(cropped, index);
    const samples = unpackSamples(cropped, index);
    return {
      frame,
      segment: segments[index],
      kind: 'mask',
      maximum: undefined,
      top,
      left,
      rows: height,
      columns: width,
      samples,
    };
  });
  const inOrder = layers.toSorted((a, b) => (a.segment ?? 0) - (b.segment ?? 0));
  return { bytes: context.transfer(encodeMasks({ rows, columns, layers: inOrder, damaged: [] })), damage: undefined };
}

function boxAt({ boxes }: CroppedMasks, index: number): readonly [number, number, number, number] {
  return [boxes[4 * index]!, boxes[4 * index + 1]!, boxes[4 * index + 2]!, boxes[4 * index + 3]!];
}

function unpackSamples(cropped: CroppedMasks, index: number): Uint8Array {
  const [top, left, height, width] = boxAt(cropped, index);
  const read = createMaskReader(cropped);
  const samples = new Uint8Array(height * width);
  for (let row = 0, at = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1, at += 1) samples[at] = read(index, top + row, left + column);
  }
  return samples;
}
