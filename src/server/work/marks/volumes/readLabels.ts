import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { LabelClass, MarkSlice } from '../../../../shared/contract/marks.ts';
import { createMaskBits, encodeMask } from '../../../../shared/maskRuns.ts';
import { paletteColor } from '../../../../shared/segmentColor.ts';
import { type ArrayHeader, unreadable } from '../../../images/attachments/arrayHeader.ts';
import { readNifti } from '../../../images/attachments/nifti.ts';
import { readNrrd } from '../../../images/attachments/nrrd.ts';
import { readArray } from '../../../images/attachments/readArray.ts';
import { bufferSource, type ByteSource } from '../../../bytes/origins/byteSource.ts';
import { parseJson } from '../../../machine/workers/parseJson.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { FormatReading, transferReading } from '../formats/formatReading.ts';
import type { ReadFormatOutput } from '../formats/formatTasks.ts';
import { hexOfRgb } from '../labels.ts';
import { findClassTag, type SegmentCodes } from './segmentTags.ts';
import { type GridWay, findGridWay } from './gridWay.ts';
import type { ReadLabelsInput } from './markVolumeTasks.ts';

/** More are no labels that somebody has drawn. */
const MOST_LABELS = 1_000;
/** Runs of all masks, which are held several times while they are read. */
const MOST_RUNS = 4_000_000;

/** What a file says of a label. */
type LabelName = {
  readonly channel: number;
  readonly value: number;
  readonly title: string | undefined;
  readonly color: readonly number[] | undefined;
  /** The class that it was when this program wrote it, null for none; undefined if another program did. */
  readonly key: string | null | undefined;
  readonly codes?: SegmentCodes;
};

/**
 * Implements `readLabelsTask`: a mask for each label of a volume. Throws `attachment_unreadable` if the file is none of
 * labels, or does not lie on the grid of the images.
 */
export async function readLabels(input: ReadLabelsInput, context: TaskContext): Promise<ReadFormatOutput> {
  const { format, body, grid } = input;
  const source = bufferSource(body);
  const header = format === 'nifti' ? readNifti({ source, name: 'labels.nii' }) : readNrrd(source);
  if (header.data.besideName !== undefined) throw unreadable('the labels are in another file than the header');
  const way = findGridWay(header, grid);
  const names = format === 'nifti' ? await readComment(source, header) : listSegmentNames(header);
  const { Check, Errors } = await import('typebox/value');
  const reading = new FormatReading({ Check, Errors }, context);
  const samples = new Uint16Array(grid.size[0] * grid.size[1] * grid.size[2]);
  let [labels, outside] = [0, 0];
  const countRuns = createRunLimit(context);
  // One after another, so that one volume is in memory, however many a file has.
  for (let channel = 0; channel < way.channels; channel += 1) {
    samples.fill(0);
    const found = await readChannel(source, { header, way, channel, samples }, context);
    outside += found.outside;
    labels += found.values.length;
    if (labels > MOST_LABELS) throw tooManyLabels();
    const [columns, rows] = grid.size;
    const slices = cutLabelMasks(samples, found.values.length, { rows, columns, frames: input.frames }, countRuns);
    const ascending = [...found.values.entries()].toSorted(([, a], [, b]) => a - b);
    for (const [n, value] of ascending) {
      const name = names.find((one) => one.channel === channel && one.value === value);
      const title = name?.title ?? (way.channels === 1 ? `Label ${value}` : `Label ${value} of volume ${channel + 1}`);
      reading.attempt(title, () => addLabelMark(reading, { title, value, name, slices: slices[n]! }, input));
    }
  }
  const packed = transferReading(reading, context);
  return outside === 0
    ? packed
    : { ...packed, leftOut: [...packed.leftOut, `voxels outside of the images: ${outside}`] };
}

/** Counts runs of masks. Throws `document_too_large`. */
export function createRunLimit({ throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>): (count: number) => void {
  let runs = 0;
  return (count) => {
    throwIfCancelled();
    runs += count;
    if (runs > MOST_RUNS) throw new ViewerError('document_too_large', `the labels have more than ${MOST_RUNS} runs`);
  };
}

type Channel = {
  readonly header: ArrayHeader;
  readonly way: GridWay;
  readonly channel: number;
  /** Gets the place of each value in the list of values, from 1. */
  readonly samples: Uint16Array;
};

/** Puts one volume of the array onto the grid. */
async function readChannel(
  source: ByteSource,
  { header, way, channel, samples }: Channel,
  { throwIfCancelled }: TaskContext,
): Promise<{ readonly values: readonly number[]; readonly outside: number }> {
  const values: number[] = [];
  const places = new Map<number, number>();
  const placeOf = (value: number): number => {
    const known = places.get(value);
    if (known !== undefined) return known;
    if (!Number.isInteger(value) || value < 0) {
      throw unreadable(`the value ${value} is no label: labels are whole numbers from 0 on`);
    }
    if (values.length === MOST_LABELS) throw tooManyLabels();
    values.push(value);
    places.set(value, values.length);
    return values.length;
  };
  const { sizes } = header;
  const indices = sizes.map(() => 0);
  let outside = 0;
  let [isOfChannel, start] = way.locate(indices, channel);
  const [first = 1] = sizes;
  let at = 0;
  for await (const block of readArray(source, header)) {
    throwIfCancelled();
    for (let n = 0; n < block.length; n += 1) {
      const value = block[n]!;
      if (value !== 0 && (way.firstIsChannel ? at === channel : isOfChannel)) {
        const place = placeOf(value);
        const sample = way.firstIsChannel ? start : way.along(start, at);
        if (sample < 0) outside += 1;
        else samples[sample] = place;
      }
      at += 1;
      if (at < first) continue;
      at = 0;
      step(indices, sizes);
      [isOfChannel, start] = way.locate(indices, channel);
    }
  }
  return { values, outside };
}

/** To the next row of the array: the first axis is not counted. */
function step(indices: number[], sizes: readonly number[]): void {
  for (let axis = 1; axis < sizes.length; axis += 1) {
    indices[axis]! += 1;
    if (indices[axis]! < sizes[axis]!) return;
    indices[axis] = 0;
  }
}

/** The masks of each label, in the order of the grid. Rows of the grid run up. */
export function cutLabelMasks(
  samples: Uint8Array | Uint16Array,
  labels: number,
  { rows, columns, frames }: Pick<ReadLabelsInput, 'frames'> & { readonly rows: number; readonly columns: number },
  onMask: (runs: number) => void,
): readonly (readonly PlacedSlice[])[] {
  const places = frames.length / 2;
  const cut = Array.from({ length: labels }, (): PlacedSlice[] => []);
  const isThere = new Uint8Array(labels + 1);
  const mask = createMaskBits(columns, rows);
  for (let place = 0; place < places; place += 1) {
    const slice = samples.subarray(place * rows * columns, (place + 1) * rows * columns);
    isThere.fill(0);
    for (let n = 0; n < slice.length; n += 1) isThere[slice[n]!] = 1;
    for (let label = 1; label <= labels; label += 1) {
      if (isThere[label] === 0) continue;
      mask.bits.fill(0);
      for (let row = 0; row < rows; row += 1) {
        const [from, to] = [row * columns, (rows - 1 - row) * columns];
        for (let column = 0; column < columns; column += 1) {
          if (slice[from + column] === label) mask.bits[to + column] = 1;
        }
      }
      const encoded = encodeMask(mask);
      if (encoded === undefined) continue;
      onMask(encoded.runs.length);
      const [file_index = 0, frame_index = 0] = frames.subarray(2 * place, 2 * place + 2);
      cut[label - 1]!.push({ place, slice: { file_index, frame_index, points: [], mask: encoded } });
    }
  }
  return cut;
}

type PlacedSlice = { readonly place: number; readonly slice: MarkSlice };

type FoundLabel = {
  readonly title: string;
  readonly value: number;
  readonly name: LabelName | undefined;
  readonly slices: readonly PlacedSlice[];
  /** Whether the mark has the name as well, and not only its class. */
  readonly isNamed?: boolean;
};

export function addLabelMark(
  reading: FormatReading,
  found: FoundLabel,
  { ranks }: Pick<ReadLabelsInput, 'ranks' | 'frames'>,
): void {
  const { title, slices } = found;
  const shown = slices.toSorted((a, b) => ranks[a.place]! - ranks[b.place]!);
  const [from, to] = [shown[0], shown.at(-1)];
  // All of its voxels are outside of the images.
  if (from === undefined || to === undefined) return;
  const labelClass = findClass(found);
  reading.add({
    name: title,
    labelClass: labelClass ?? undefined,
    body: {
      kind: 'brush',
      place: { type: 'stack', from: addressOf(from.slice), to: addressOf(to.slice) },
      points: [],
      slices: slices.map(({ slice }) => slice),
      label: labelClass === undefined || found.isNamed === true ? title.slice(0, 256) : '',
      class: labelClass?.key ?? null,
    },
  });
}

function addressOf({ file_index, frame_index }: MarkSlice) {
  return { file_index, frame_index };
}

const MOST_KEY = 64;
const MOST_TITLE = 128;

/** Null: it had none. Undefined: the file does not say what the label is. */
function findClass({ value, name }: FoundLabel): LabelClass | null | undefined {
  if (name?.key === null) return null;
  if (name?.title === undefined || name.title === '') return undefined;
  const color = hexOfRgb(name.color ?? paletteColor(value));
  // Classes of other programs have a title and no key.
  const key = (name.key ?? name.title).slice(0, MOST_KEY);
  return { key, title: name.key === undefined ? key : name.title.slice(0, MOST_TITLE), color, ...cutCodes(name.codes) };
}

/** Codes that a class can have. */
function cutCodes(codes: SegmentCodes | undefined): Pick<LabelClass, 'category' | 'type'> {
  if (codes === undefined || !fitsInClass(codes.category) || !fitsInClass(codes.type)) return {};
  return { category: codes.category, type: codes.type };
}

function fitsInClass({ value, scheme, meaning }: SegmentCodes['type']): boolean {
  return [value, scheme, meaning].every((text) => text !== '') && Math.max(value.length, meaning.length) <= 64;
}

function listSegmentNames({ labels }: ArrayHeader): readonly LabelName[] {
  return labels.map(({ channel, value, name, color, tags }) => ({
    channel,
    value,
    title: name,
    color,
    key: findClassTag(tags),
  }));
}

const COMMENT = 6;
const MOST_COMMENT_BYTES = 2 ** 20;

/** The names that this program writes into the comment of a NIfTI file, which has no place for them. */
async function readComment(source: ByteSource, header: ArrayHeader): Promise<readonly LabelName[]> {
  const { start, skip, packing } = header.data;
  const end = packing === 'raw' ? start : Number(skip);
  if (!(end > 352 && end <= MOST_COMMENT_BYTES)) return [];
  const bytes = new Uint8Array(end);
  let filled = 0;
  const data = { ...header.data, start: 0, skip: 0 };
  for await (const block of readArray(source, {
    ...header,
    element: 'uint8',
    sizes: [end, 1, 1],
    scale: undefined,
    data,
  })) {
    bytes.set(Uint8Array.from(block), filled);
    filled += block.length;
  }
  const view = new DataView(bytes.buffer);
  let at = view.getInt32(0, header.isLittleEndian);
  if (bytes[at] !== 1) return [];
  for (at += 4; at + 8 <= end;) {
    const size = view.getInt32(at, header.isLittleEndian);
    if (size < 8 || at + size > end) return [];
    if (view.getInt32(at + 4, header.isLittleEndian) === COMMENT) {
      const names = parseComment(new TextDecoder().decode(bytes.subarray(at + 8, at + size)).replaceAll('\0', ''));
      if (names.length > 0) return names;
    }
    at += size;
  }
  return [];
}

function parseComment(text: string): readonly LabelName[] {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return [];
  }
  const { labels }: Record<string, unknown> = Object(value);
  if (!Array.isArray(labels)) return [];
  return labels.flatMap((one: unknown) => {
    const { value: number, key, title }: Record<string, unknown> = Object(one);
    const isName = typeof number === 'number' && typeof title === 'string' && (typeof key === 'string' || key === null);
    return isName ? [{ channel: 0, value: number, title, key: key === '' ? null : key, color: undefined }] : [];
  });
}

function tooManyLabels(): ViewerError {
  return unreadable(`the file has more than ${MOST_LABELS} labels, or it is no label volume`);
}
