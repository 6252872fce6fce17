import { formatOf, type MarkVolumeFormat, type MarkVolumeImport } from '../../../../shared/markFormats.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { LabelClass, LabelScheme, MarkVolumeQuery } from '../../../../shared/contract/marks.ts';
import { paletteColor } from '../../../../shared/segmentColor.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { Exports } from '../../../images/exports/exports.ts';
import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import { readBytesOf } from '../../../standard/dicom/readCost.ts';
import type { FrameOptions } from '../../../images/pixels/frames.ts';
import { askWhileBusy, VOLUME_WAIT_MS } from '../../../machine/workers/askWhileBusy.ts';
import { copyInTurns } from '../../../machine/workers/copyInTurns.ts';
import { STRIP_BYTES } from '../../../machine/workers/gzipParts.ts';
import type { Task } from '../../../machine/workers/task.ts';
import { type LackingPlace, nameLacking } from '../../../standard/geometry/nameLacking.ts';
import { isMosaicType } from '../../../standard/geometry/mosaicType.ts';
import { MARK_PLANE_NUMBERS, type ReadFormatOutput } from '../formats/formatTasks.ts';
import { adoptFoundMarks, type ImportedMarks } from '../formats/foundMarks.ts';
import { lossOf } from '../formats/lossOf.ts';
import { type MarkFormatsContext, nameMark } from '../formats/markFormats.ts';
import { createMarkPlaces, type MarkFrames } from '../formats/markPlaces.ts';
import { rgbOfHex } from '../labels.ts';
import { filesOfMark, sizeOfMark } from '../markContent.ts';
import type { StoredMark } from '../writeMarks.ts';
import {
  type CutSegments,
  cutSegmentsTask,
  type DrawnFrames,
  type MarkToDraw,
  paintLabelsTask,
  type ReadLabelsInput,
  readLabelsTask,
  type SegmentedFrame,
  type SegmentToWrite,
  type VolumeLabel,
  writeLabelsTask,
  writeSegmentationTask,
} from './markVolumeTasks.ts';
import { codesOfClass } from './segmentTags.ts';

export type MarkVolumeAddress = { readonly fileIndex: number; readonly frame?: number | undefined };

export type WrittenMarkVolume = {
  /** An image of the volume, which the file is named after. */
  readonly of: DicomFile;
  /** The file, one piece after the other. */
  readonly pieces: readonly Uint8Array[];
  /** What the format cannot hold. */
  readonly leftOut: readonly string[];
  /** The marks that it holds whole. */
  readonly whole: readonly StoredMark[];
};

/** The marks on some frames that are areas, one label for each class. */
export type SelectedAreas = {
  readonly chosen: readonly StoredMark[];
  readonly found: readonly MarkFrames[];
  readonly names: readonly VolumeLabel[];
  /** Marks that are no areas, by what they are. */
  readonly counts: ReadonlyMap<string, number>;
};

export type PaintedAreas = {
  /** Samples in more than one class, which have the class of the later mark. */
  readonly overlaps: number;
  /** What is left out, in words, with these samples. */
  readonly leftOut: readonly string[];
};

/** The marks of a stack as pixels: segmentations and label volumes. */
export interface MarkVolumes {
  select(frames: Uint32Array, query: MarkVolumeQuery): Promise<SelectedAreas>;
  /** Paints them into labels in the order of a NIfTI file, a later mark over an earlier one. The caller holds the memory. */
  paint(areas: SelectedAreas, target: PaintedFrames, options: FrameOptions): Promise<PaintedAreas>;
  /** Makes marks of what a task has found on these frames. */
  adopt(frames: Uint32Array<ArrayBuffer>, find: FindMarks): Promise<ImportedMarks>;
  write(address: MarkVolumeAddress, query: MarkVolumeQuery, options: FrameOptions): Promise<WrittenMarkVolume>;
  /**
   * Makes a mask of each label of a volume, which lies on the grid of the stack of a file. Throws
   * `attachment_unreadable` if it does not, or is no label volume.
   */
  read(fileIndex: number, format: MarkVolumeImport, body: Uint8Array, options: FrameOptions): Promise<ImportedMarks>;
}

export type PaintedFrames = DrawnFrames & { readonly labels: Uint8Array | Uint16Array };

/** Finds marks on frames, whose files are numbered by their places in a list, and whose order in the stack is known. */
type FindMarks = (frames: Pick<ReadLabelsInput, 'frames' | 'ranks'>) => Promise<ReadFormatOutput>;

export type MarkVolumesContext = MarkFormatsContext & {
  readonly exports: Pick<Exports, 'nifti'>;
  readonly memory: Pick<MemoryAccount, 'tasks'>;
};

const MARKS_ON_MOSAICS =
  'the images are mosaics of slices: marks are on the whole images, and the volume is made of their slices';

/** What one task draws. It is copied to the thread, so that more would block the event loop. */
const BATCH = { marks: 100, bytes: 2 ** 20, frames: 10_000 };

export function createMarkVolumes(context: MarkVolumesContext): MarkVolumes {
  const { catalog, series, exports, tasks, memory, marks: store, software } = context;

  /** The marks on these frames that are areas, and how many are not. */
  async function choose(frames: Uint32Array, query: MarkVolumeQuery) {
    const { holds } = formatOf(query.format ?? 'nii.gz');
    const { marks, scheme } = await store.select(query);
    const files = new Set<number>();
    for (let n = 0; n < frames.length; n += 2) files.add(frames[n]!);
    const counts = new Map<string, number>();
    const chosen: StoredMark[] = [];
    for (const mark of marks) {
      const { kind, place } = mark.content;
      if (!filesOfMark(mark.content).some((file) => files.has(file))) continue;
      const name = nameMark(mark.content);
      if (holds(kind, place.type)) chosen.push(mark);
      else counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return { chosen, scheme, counts };
  }

  async function locate(chosen: readonly StoredMark[]): Promise<readonly MarkFrames[]> {
    const places = createMarkPlaces({ catalog, series, tasks });
    const found: MarkFrames[] = [];
    for (const { content } of chosen) found.push(await places.find(content, { inVolume: true }));
    return found;
  }

  /** The caller holds the memory. */
  const run = <Input, Output>(task: Task<Input, Output>, input: Input, { signal }: FrameOptions) =>
    tasks.run(task, input, { signal });

  async function select(frames: Uint32Array, query: MarkVolumeQuery): Promise<SelectedAreas> {
    const { chosen, scheme, counts } = await choose(frames, query);
    return { chosen, found: await locate(chosen), names: nameLabels(scheme, chosen), counts };
  }

  async function paint(
    { chosen, found, names, counts }: SelectedAreas,
    { frames, rows, columns, labels }: PaintedFrames,
    options: FrameOptions,
  ): Promise<PaintedAreas> {
    const valueOf = new Map(names.map(({ key, value }) => [key, value]));
    const painted = await inBatches(chosen, found, (batch) =>
      run(
        paintLabelsTask,
        {
          frames,
          rows,
          columns,
          labels,
          marks: batch.map(({ mark, drawn }) => ({ ...drawn, label: valueOf.get(mark.content.class) ?? 0 })),
        },
        options,
      ),
    );
    const unreached = found.filter((one) => one.frames.length === 0).length;
    const overlaps = painted.reduce((sum, one) => sum + one.overlaps, 0);
    const leftOut = [
      ...describeCounts(counts, onFrames(chosen, found), frames),
      ...(overlaps > 0 ? [`voxels in more than one class: ${overlaps}`] : []),
      ...(unreached > 0 ? [`boxes that reach no image: ${unreached}`] : []),
    ];
    return { overlaps, leftOut };
  }

  async function adopt(frames: Uint32Array<ArrayBuffer>, find: FindMarks): Promise<ImportedMarks> {
    const stack = await series.findStack(frames[0] ?? 0, frames[1] ?? 0);
    const shown = new Map<string, number>();
    if (stack !== undefined && stack.kind !== 'too_many_frames') {
      for (let n = 0; n < stack.length; n += 1) shown.set(`${stack.fileIndices[n]} ${stack.frameIndices[n]}`, n);
    }
    const indices: number[] = [];
    const places = new Map<number, number>();
    const numbered = frames.map((value, n) => {
      if (n % 2 === 1) return value;
      const place = places.get(value) ?? indices.push(value) - 1;
      places.set(value, place);
      return place;
    });
    const ranks = Uint32Array.from({ length: frames.length / 2 }, (_, n) => {
      return shown.get(`${frames[2 * n]} ${frames[2 * n + 1]}`) ?? n;
    });
    const found = await find({ frames: numbered, ranks });
    return adoptFoundMarks(found, { marks: store, files: catalog.files, indices });
  }

  async function writeLabels(
    address: MarkVolumeAddress,
    query: MarkVolumeQuery & { readonly format: Exclude<MarkVolumeFormat, 'seg'> },
    options: FrameOptions,
  ): Promise<WrittenMarkVolume> {
    const { format, time } = query;
    const { of, grid, frames, isCut } = await exports.nifti.place(address, { time }, options);
    if (isCut) throw new ViewerError('volume_unavailable', MARKS_ON_MOSAICS);
    const areas = await select(frames, query);
    const { names } = areas;
    const [columns, rows, places] = grid.size;
    const isSmall = names.length <= 255;
    const samples = columns * rows * places;
    const bytes = samples * (isSmall ? 1 : 2);
    const { signal } = options;
    return memory.tasks.reserve({ bytes: 2 * bytes + 4 * STRIP_BYTES, signal }, async () => {
      const buffer = new SharedArrayBuffer(bytes);
      const labels = isSmall ? new Uint8Array(buffer) : new Uint16Array(buffer);
      const { leftOut } = await paint(areas, { frames, rows, columns, labels }, options);
      const input = { format, grid, volumes: [labels], names, software: `${software.name} ${software.version}` };
      // A label does not tell which mark it was.
      const { file, isWithLabels } = await run(writeLabelsTask, input, options);
      return { of, pieces: isWithLabels ? [file] : [file, new Uint8Array(buffer)], leftOut, whole: [] };
    });
  }

  async function writeSegmentation(
    { fileIndex, frame }: MarkVolumeAddress,
    query: MarkVolumeQuery,
    options: FrameOptions,
  ): Promise<WrittenMarkVolume> {
    const of = catalog.get(fileIndex);
    const stack = await series.findStack(fileIndex, frame);
    if (stack === undefined || stack.kind === 'too_many_frames') {
      throw new ViewerError('volume_unavailable', 'the file is in no stack of images, or in one of too many frames');
    }
    const frames = new Uint32Array(2 * stack.length);
    for (let n = 0; n < stack.length; n += 1) frames.set([stack.fileIndices[n]!, stack.frameIndices[n]!], 2 * n);
    const { chosen, scheme, counts } = await choose(frames, query);
    if (chosen.length === 0) throw new ViewerError('mark_not_found', 'no mark on these images is an area');
    const found = await locate(chosen);
    const described = describeFrames(found, frames, catalog.files);
    const { frameOfReferenceUid } = stack;
    if (frameOfReferenceUid === undefined) {
      const message = 'the images have no Frame of Reference UID (0020,0052), which a segmentation of them repeats';
      throw new ViewerError('volume_unavailable', message);
    }
    if ('lacking' in described) {
      throw new ViewerError('volume_unavailable', `an image with marks has ${nameLacking(described.lacking)}`);
    }
    const drawn: DrawnFrames = { frames, rows: of.rows, columns: of.columns };
    refuseOtherSizes(found, catalog.files, drawn);
    const cutFrames = found.reduce((sum, one) => sum + one.frames.length / 2, 0);
    const bytes = cutFrames * Math.ceil((of.rows * of.columns) / 8);
    const { signal } = options;
    const reservation = {
      bytes: 5 * bytes + readBytesOf(of) + 2 ** 20,
      signal,
    };
    return memory.tasks.reserve(reservation, async () => {
      const parts: readonly CutSegments[] = await inBatches(chosen, found, (batch) =>
        run(
          cutSegmentsTask,
          { ...drawn, marks: batch.map(({ drawn: one, at }) => ({ ...one, segment: at + 1 })) },
          options,
        ),
      );
      const segments = chosen.map((mark, n) => toSegment(mark, n + 1, scheme));
      const empty = countEmpty(segments, parts);
      if (empty === segments.length)
        throw new ViewerError('mark_not_found', 'no mark has the center of a pixel inside');
      const file = await run(
        writeSegmentationTask,
        {
          source: of.source,
          rows: of.rows,
          columns: of.columns,
          frameOfReferenceUid,
          segments,
          frames: described,
          parts,
          software,
        },
        options,
      );
      const outside = findOutside(onFrames(chosen, found), frames);
      const whole = chosen.filter((mark, n) => {
        const { content } = mark;
        const loss = lossOf(
          'seg',
          content,
          scheme.classes.find(({ key }) => key === content.class),
        );
        const name = `${loss} of ${nameMark(content)}`;
        if (loss !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
        return loss === undefined && !outside.includes(found[n]!);
      });
      const leftOut = describeCounts(counts, onFrames(chosen, found), frames);
      if (empty > 0) leftOut.push(`segments without a pixel: ${empty}`);
      return { of, pieces: [file], leftOut, whole };
    });
  }

  return {
    select,
    paint,
    adopt,
    write(address, query, options) {
      const { format = 'nii.gz' } = query;
      return format === 'seg'
        ? writeSegmentation(address, query, options)
        : writeLabels(address, { ...query, format }, options);
    },
    async read(fileIndex, format, body, options) {
      const { signal } = options;
      // The body has been read, so the request cannot be handled again as a whole.
      const readPlaces = () => exports.nifti.place({ fileIndex }, {}, options);
      const { grid, frames, isCut } = await askWhileBusy(readPlaces, () => ({ waitMs: VOLUME_WAIT_MS, signal }));
      if (isCut) throw new ViewerError('volume_unavailable', MARKS_ON_MOSAICS);
      const { copy, buffer } = await copyInTurns(body);
      return adopt(frames, (ordered) =>
        tasks.run(readLabelsTask, { format, body: copy, grid, ...ordered }, { transfer: [buffer], signal }),
      );
    },
  };
}

/** Of marks that name their frames. A box in a volume is on every frame that it reaches, at every time. */
function onFrames(chosen: readonly StoredMark[], found: readonly MarkFrames[]): readonly MarkFrames[] {
  return found.filter((_, n) => chosen[n]?.content.place.type !== 'volume');
}

function describeCounts(
  counts: ReadonlyMap<string, number>,
  found: readonly MarkFrames[],
  target: Uint32Array,
): string[] {
  const outside = findOutside(found, target).length;
  const unordered = found.filter(({ isOrdered, frames }) => !isOrdered && frames.length > 2).length;
  return [
    ...Array.from(counts, ([what, count]) => `${what}: ${count}`),
    ...(outside > 0 ? [`frames of other images of marks: ${outside}`] : []),
    ...(unordered > 0 ? [`frames between drawn ones of marks: ${unordered}`] : []),
  ];
}

/** Marks of which some frames are none of these. */
function findOutside(found: readonly MarkFrames[], target: Uint32Array): readonly MarkFrames[] {
  const known = new Set<number>();
  for (let n = 0; n < target.length; n += 2) known.add(keyOfFrame(target, n));
  const isOutside = ({ frames }: MarkFrames) => {
    for (let n = 0; n < frames.length; n += 2) if (!known.has(keyOfFrame(frames, n))) return true;
    return false;
  };
  return found.filter(isOutside);
}

/** The classes of the scheme from 1 on, then other classes in the order of their marks, and marks without one at the end. */
function nameLabels({ classes }: LabelScheme, chosen: readonly StoredMark[]): readonly VolumeLabel[] {
  const keys = new Set<string>(classes.map(({ key }) => key));
  for (const { content } of chosen) if (content.class !== null) keys.add(content.class);
  const names: VolumeLabel[] = [];
  const add = (key: string | null, title: string, known?: LabelClass) => {
    const value = names.length + 1;
    const color = known === undefined ? paletteColor(value) : rgbOfHex(known.color);
    names.push({ value, key, title, color, codes: codesOfClass(known) });
  };
  for (const key of keys) {
    const known = classes.find((one) => one.key === key);
    add(key, known?.title ?? key, known);
  }
  if (chosen.some(({ content }) => content.class === null)) add(null, 'unlabelled');
  return names;
}

function toSegment({ uid, content }: StoredMark, number: number, { classes }: LabelScheme): SegmentToWrite {
  const labelClass = classes.find(({ key }) => key === content.class) ?? null;
  const color = labelClass === null ? paletteColor(number) : rgbOfHex(labelClass.color);
  return { number, uid, label: content.label, labelClass, color };
}

function countEmpty(segments: readonly SegmentToWrite[], parts: readonly CutSegments[]): number {
  const drawn = new Set<number>();
  for (const { cut } of parts) for (let n = 0; n < cut.length; n += 2) drawn.add(cut[n]!);
  return segments.filter(({ number }) => !drawn.has(number)).length;
}

/** The frames that marks are on, by their place in the stack. Undefined if one of them has no plane in the patient. */
function describeFrames(
  found: readonly MarkFrames[],
  stack: Uint32Array,
  files: readonly DicomFile[],
): readonly (SegmentedFrame | undefined)[] | { readonly lacking: LackingPlace } {
  const places = new Map<string, number>();
  for (let n = 0; n < stack.length; n += 2) places.set(`${stack[n]} ${stack[n + 1]}`, n / 2);
  const described: (SegmentedFrame | undefined)[] = [];
  for (const { frames, planes } of found) {
    for (let n = 0; n < frames.length / 2; n += 1) {
      const [index = 0, frame = 0] = frames.subarray(2 * n, 2 * n + 2);
      const place = places.get(`${index} ${frame}`);
      const file = files[index];
      if (place === undefined || file === undefined || described[place] !== undefined) continue;
      const numbers = planes.subarray(n * MARK_PLANE_NUMBERS, (n + 1) * MARK_PLANE_NUMBERS);
      const plane = [...numbers.subarray(0, 11)];
      if (plane.some(Number.isNaN)) {
        const { placement, pixelSpacingSource } = file;
        const lacks = (from: number, to: number) => plane.slice(from, to).some(Number.isNaN);
        return {
          lacking: {
            position: placement?.position === undefined && lacks(0, 3),
            orientation: placement?.orientation === undefined && lacks(3, 9),
            spacing: pixelSpacingSource !== 'pixel_spacing',
            isMosaic: isMosaicType(placement?.imageType.split('\\') ?? []),
          },
        };
      }
      const { sopClassUid, sopInstanceUid, seriesInstanceUid, frameCount } = file;
      const frameNumber = frameCount > 1 ? frame + 1 : undefined;
      const depthMm = numbers[13] ?? NaN;
      described[place] = { sopClassUid, sopInstanceUid, seriesInstanceUid, frameNumber, plane, depthMm };
    }
  }
  return described;
}

function refuseOtherSizes(
  found: readonly MarkFrames[],
  files: readonly DicomFile[],
  { rows, columns }: Pick<DrawnFrames, 'rows' | 'columns'>,
): void {
  for (const { frames } of found) {
    for (let n = 0; n < frames.length; n += 2) {
      const file = files[frames[n]!];
      if (file !== undefined && file.rows === rows && file.columns === columns) continue;
      throw new ViewerError('volume_unavailable', 'the images of the stack do not all have the same size');
    }
  }
}

/** Calls `draw` with marks that fit into one message. */
async function inBatches<Drawn>(
  chosen: readonly StoredMark[],
  found: readonly MarkFrames[],
  draw: (
    batch: readonly { readonly mark: StoredMark; readonly drawn: MarkToDraw; readonly at: number }[],
  ) => Promise<Drawn>,
): Promise<readonly Drawn[]> {
  const results: Drawn[] = [];
  let batch: { mark: StoredMark; drawn: MarkToDraw; at: number }[] = [];
  let [bytes, frames] = [0, 0];
  for (const [at, mark] of chosen.entries()) {
    const { frames: own } = found[at]!;
    batch.push({ mark, drawn: { content: mark.content, ...found[at]! }, at });
    bytes += sizeOfMark(mark.content);
    frames += own.length / 2;
    if (batch.length < BATCH.marks && bytes < BATCH.bytes && frames < BATCH.frames) continue;
    results.push(await draw(batch));
    [batch, bytes, frames] = [[], 0, 0];
  }
  if (batch.length > 0) results.push(await draw(batch));
  return results;
}

function keyOfFrame(frames: Uint32Array, n: number): number {
  return frames[n]! * 2 ** 21 + frames[n + 1]!;
}
