import type { LabelledKind } from '../../../../shared/contract/layers.ts';
import type { LabelMarksBody, LabelPlanQuery, LabelVolumeQuery } from '../../../../shared/contract/labels.ts';
import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { toLayerRef } from '../../../../shared/layerRef.ts';
import type { Catalog } from '../../../images/catalog/catalog.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { Exports } from '../../../images/exports/exports.ts';
import type { FrameOptions } from '../../../images/pixels/frames.ts';
import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import { MIB } from '../../../machine/system/mib.ts';
import { STRIP_BYTES } from '../../../machine/workers/gzipParts.ts';
import { mapInLanes } from '../../../machine/workers/mapInLanes.ts';
import type { TaskRunner } from '../../../machine/workers/task.ts';
import type { HeldBytes } from '../../../over/agreement/agreements.ts';
import type { DescribedLayer, Layers } from '../../../over/layers/layers.ts';
import type { ImportedMarks } from '../formats/foundMarks.ts';
import { findOwnGrid, type LabelGrid } from './labelGrid.ts';
import { type LabelLayer, type LabelPart, listLabelParts, numberParts, spreadOver } from './labelParts.ts';
import { type LabelSamples, labelsToMarksTask, type PaintedParts } from './labelTasks.ts';
import type { MarkVolumes, SelectedAreas } from './markVolumes.ts';
import { createPaintLayers, lanesBytes, type LabelsToPaint, requireReach } from './paintLayers.ts';
import { createLabelForms, type LabelForm, type LabelsInVolumes } from './labelForms.ts';

/** What a label volume is, before it is written. */
export type LabelPlan = {
  readonly grid: LabelGrid;
  readonly sampleBytes: number;
  readonly volumes: number;
  readonly overlaps: number;
  /** Pairs of values of labels that have a sample in common. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly parts: readonly (LabelPart & { readonly volume: number; readonly samples: number })[];
  readonly rules: readonly string[];
  readonly leftOut: readonly string[];
};

export type WrittenLabelVolume = {
  /** An image that the file is named after. */
  readonly of: DicomFile;
  readonly pieces: readonly Uint8Array[];
  readonly leftOut: readonly string[];
  readonly plan: LabelPlan;
};

/** What lies over a stack, as labels of its samples: segmentations, structure sets, attachments and marks. */
export interface LabelVolumes {
  plan(fileIndex: number, query: LabelPlanQuery, options: FrameOptions): Promise<LabelPlan>;
  write(fileIndex: number, query: LabelVolumeQuery, options: FrameOptions): Promise<WrittenLabelVolume>;
  /** Where labels lie. */
  findGrid(fileIndex: number, query: LabelPlanQuery, options: FrameOptions): Promise<LabelGrid>;
  /** Paints two sets of labels on one grid, numbered in their order from 1 on, and calls `use` while their memory is held. */
  paintTogether<Output>(
    grid: LabelGrid,
    choices: readonly [LabelSelection, LabelSelection],
    what: LabelsToUse<Output>,
    options: FrameOptions,
  ): Promise<Output>;
  /** Makes an editable mask of each part, on the images. */
  toMarks(fileIndex: number, body: LabelMarksBody, options: FrameOptions): Promise<ImportedMarks>;
}

/** What becomes labels on a grid that is known. Without layers, the marks. */
export type LabelSelection = Pick<LabelPlanQuery, 'layers' | 'parts' | 'marks' | 'threshold' | 'overlap'>;

export type LabelsOfSide = LabelsInVolumes & { readonly layers: readonly LabelLayer[] };

export type LabelsToUse<Output> = {
  /** Memory for their use, at most; less is held if there is no more. */
  readonly furtherBytes: number;
  readonly use: (truth: LabelsOfSide, test: LabelsOfSide, held: HeldBytes) => Promise<Output>;
};

export type LabelVolumesContext = {
  readonly catalog: Pick<Catalog, 'get' | 'files'>;
  readonly layers: Pick<Layers, 'describe' | 'packet' | 'packetOnPlane' | 'ownSlices'>;
  readonly exports: Pick<Exports, 'nifti'>;
  readonly markVolumes: MarkVolumes;
  readonly tasks: TaskRunner;
  readonly memory: Pick<MemoryAccount, 'tasks' | 'plan'>;
  readonly software: { readonly name: string; readonly version: string };
};

const DEFAULT_THRESHOLD = 0.5;
/** Parts times samples. All of them are looked at if parts overlap everywhere, which takes a core half an hour. */
const MOST_WORK = 2 ** 37;
/** The part of the memory for tasks that labels may take. The rest is for the tasks that read the layers. */
export const MOST_SHARE = 0.75;
const MOST_PAIRS = 1_000;
const ON_MOSAICS =
  'the images are mosaics of slices: layers are on the whole images, and the volume is made of their slices';

export function createLabelVolumes(context: LabelVolumesContext): LabelVolumes {
  const { catalog, layers, exports, markVolumes, tasks, memory } = context;
  const paintLayers = createPaintLayers(context);
  const writeForm = createLabelForms(context);

  async function findGrid(fileIndex: number, query: LabelPlanQuery, options: FrameOptions): Promise<LabelGrid> {
    const { frame, time, grid: kind = 'images', layers: numbers = [] } = query;
    const [only, other] = numbers;
    if (kind === 'own' && only !== undefined) {
      if (other !== undefined || query.marks === 'add') {
        throw mappingUnavailable('grid=own is for one layer, and for no marks beside it');
      }
      return findOwnGrid(await layers.ownSlices(toLayerRef(only), options), catalog.get(fileIndex));
    }
    const address = { fileIndex, frame };
    const located = await exports.nifti.locate(address, { time }, options);
    if (located.isCut) throw new ViewerError('volume_unavailable', ON_MOSAICS);
    const placed = await exports.nifti.place(address, { time }, options).catch((error: unknown) => {
      // Segmentations and NumPy files need no grid.
      if (error instanceof ViewerError && error.code === 'volume_unavailable') return { noGrid: error.message };
      throw error;
    });
    const { rows, columns } = located.table;
    const regular = 'grid' in placed ? placed.grid : undefined;
    const noGrid = 'noGrid' in placed ? placed.noGrid : undefined;
    return { ...located, kind: 'images', rows, columns, slices: located.frames.length / 2, regular, noGrid };
  }

  async function prepare(fileIndex: number, query: LabelPlanQuery, options: FrameOptions): Promise<Prepared> {
    const { parts, layers: numbers } = query;
    if (parts !== undefined && new Set(numbers).size !== 1) throw mappingUnavailable('parts needs exactly one layer');
    return prepareOn(await findGrid(fileIndex, query, options), query, options);
  }

  /** What becomes labels. Everything that decides how much work that is, is known then. */
  async function prepareOn(grid: LabelGrid, query: LabelSelection, options: FrameOptions): Promise<Prepared> {
    const { threshold = DEFAULT_THRESHOLD, overlap = 'volumes' } = query;
    const numbers = [...new Set(query.layers)];
    const marks = query.marks === 'add' || numbers.length === 0;
    const described = await mapInLanes(numbers, (number) => layers.describe(toLayerRef(number), options));
    const chosen = described.map((one) => listLabelParts(one, query.parts));
    if (grid.kind === 'images') for (const layer of chosen) requireReach(layer, grid.frames);
    const areas = marks && grid.kind === 'images' ? await markVolumes.select(grid.frames, {}) : undefined;
    const ofMarks = areas === undefined || areas.chosen.length === 0 ? undefined : areas;
    const parts = numberParts(chosen, ofMarks?.names ?? []);
    if (parts.length === 0) throw new ViewerError('mark_not_found', 'nothing on these images is an area');
    const samples = grid.rows * grid.columns * grid.slices;
    if (samples * parts.length > MOST_WORK) {
      const message = `${parts.length} parts of ${samples} samples each are too many at once: choose fewer parts`;
      throw new ViewerError('layer_too_large', message);
    }
    const sampleBytes = parts.every(({ value }) => value <= 255) ? 1 : 2;
    const fileBytes = sumFileBytes(grid, described);
    return { grid, layers: chosen, parts, threshold, areas: ofMarks, samples, sampleBytes, overlap, fileBytes };
  }

  /** Bytes of the images and of the layers that are DICOM files. */
  function sumFileBytes(grid: LabelGrid, described: readonly DescribedLayer[]): number {
    const files = new Set([grid.of, ...described.flatMap(({ file }) => file ?? [])]);
    if (grid.kind === 'images')
      for (let at = 0; at < grid.frames.length; at += 2) files.add(catalog.get(grid.frames[at]!));
    return [...files].reduce((sum, { fileBytes }) => sum + fileBytes, 0);
  }

  function hold<Output>(bytes: number, { signal }: FrameOptions, work: () => Promise<Output>): Promise<Output> {
    requireMemory(bytes, MOST_SHARE * memory.plan.tasks);
    return memory.tasks.reserve({ bytes, signal }, work);
  }

  function reserve<Output>(
    prepared: Prepared,
    { volumes, copies, further }: { readonly volumes: number; readonly copies: number; readonly further: number },
    options: FrameOptions,
    work: () => Promise<Output>,
  ): Promise<Output> {
    return hold(bytesFor(prepared, volumes, copies) + further, options, work);
  }

  /** The marks in one volume of labels, or each class in its own so that none covers another. */
  async function paintAreas({ areas, grid, samples, parts }: Prepared, options: FrameOptions, areApart = false) {
    const marks: { readonly labels: Uint16Array; readonly before: number }[] = [];
    const leftOut = new Set<string>();
    let overlaps = 0;
    if (areas === undefined || grid.kind !== 'images') return { marks, overlaps, leftOut: [] };
    const { frames, rows, columns } = grid;
    for (const some of areApart ? listClasses(areas) : [areas]) {
      const labels = new Uint16Array(new SharedArrayBuffer(2 * samples));
      const painted = await markVolumes.paint(some, { frames, rows, columns, labels }, options);
      overlaps += painted.overlaps;
      for (const words of painted.leftOut) leftOut.add(words);
      marks.push({ labels, before: parts.length - areas.names.length });
    }
    return { marks, overlaps, leftOut: [...leftOut] };
  }

  /** Paints into as many volumes as are needed, and calls `use` with them while their memory is held. */
  async function paintInto<Output>(
    prepared: Prepared,
    { rowsRunUp, copies, furtherBytes }: PaintForm,
    options: FrameOptions,
    use: (painted: LabelsInVolumes) => Promise<Output>,
  ): Promise<Output> {
    const { overlap, parts, grid } = prepared;
    const attempt = ({ volumes, of, further }: Attempt) => {
      requireProportion(prepared, volumes);
      return reserve(prepared, { volumes, copies, further }, options, async () => {
        const painted = createVolumes(prepared, volumes);
        const { marks, leftOut } = await paintAreas(prepared, options);
        const found = await paintLayers(prepared, { rowsRunUp, volumes: painted, volumeOf: of, marks }, options);
        const spread = overlap === 'volumes' ? spreadOver(parts.length + 1, found.pairs) : NOT_SPREAD;
        const needed = { ...spread, further: furtherBytes(found) };
        if (needed.volumes > volumes || needed.further > further) return { needed };
        const lost = overlap === 'last' && found.overlaps > 0;
        const over = lost ? [`voxels in more than one label, which have the later one: ${found.overlaps}`] : [];
        const volumeOf = of ?? new Uint16Array(parts.length + 1);
        return { done: await use({ grid, parts, found, volumes: painted, volumeOf, leftOut: [...leftOut, ...over] }) };
      });
    };
    // Most parts do not overlap. If some do, or if what is written needs more, they are painted once more.
    const first = await attempt({ ...NOT_SPREAD, further: 0 });
    if ('done' in first) return first.done;
    const second = await attempt(first.needed);
    if ('done' in second) return second.done;
    throw new ViewerError('file_gone', CHANGED);
  }

  /** Paints one of several sets of labels. Their memory is held. */
  async function paintOne(prepared: Prepared, way: AttemptOfSide, options: FrameOptions) {
    const { volumes, of, areMarksApart = false } = way;
    const painted = createVolumes(prepared, volumes);
    const { marks, overlaps, leftOut } = await paintAreas(prepared, options, areMarksApart);
    // A sample that two readers have marked is one of both.
    if (overlaps > 0 && !areMarksApart) return { needed: { ...way, areMarksApart: true } };
    const found = await paintLayers(prepared, { rowsRunUp: false, volumes: painted, volumeOf: of, marks }, options);
    const needed = spreadOver(prepared.parts.length + 1, found.pairs);
    if (needed.volumes > volumes) return { needed: { ...needed, areMarksApart } };
    const { grid, parts, layers: chosen } = prepared;
    const volumeOf = of ?? new Uint16Array(parts.length + 1);
    return { done: { grid, parts, found, volumes: painted, volumeOf, leftOut, layers: chosen } };
  }

  async function paintTogether<Output>(
    grid: LabelGrid,
    choices: readonly [LabelSelection, LabelSelection],
    { furtherBytes, use }: LabelsToUse<Output>,
    options: FrameOptions,
  ): Promise<Output> {
    const first = numberInOrder(await prepareOn(grid, choices[0], options));
    const second = numberInOrder(await prepareOn(grid, choices[1], options));
    const most = MOST_SHARE * memory.plan.tasks;
    const attempt = (ways: readonly [AttemptOfSide, AttemptOfSide]) => {
      const bytes = bytesOfSide(first, ways[0]) + bytesOfSide(second, ways[1]);
      // What is needed is only known when the labels are painted, and is mostly less.
      const further = Math.max(0, Math.min(furtherBytes, most - bytes));
      return hold(bytes + further, options, async () => {
        const truth = await paintOne(first, ways[0], options);
        const test = await paintOne(second, ways[1], options);
        if ('done' in truth && 'done' in test) {
          const held = {
            bytes: further,
            require: (needed: number) => {
              if (needed > further) requireMemory(bytes + needed, most);
            },
          };
          return { done: await use(truth.done, test.done, held) };
        }
        return { ways: [truth.needed ?? ways[0], test.needed ?? ways[1]] as const };
      });
    };
    let ways: readonly [AttemptOfSide, AttemptOfSide] = [NOT_SPREAD, NOT_SPREAD];
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const tried = await attempt(ways);
      if ('done' in tried) return tried.done;
      ways = tried.ways;
    }
    throw new ViewerError('file_gone', CHANGED);
  }

  return {
    findGrid,
    paintTogether,
    async plan(fileIndex, query, options) {
      const prepared = await prepare(fileIndex, query, options);
      const { found, leftOut } = await reserve(prepared, { volumes: 0, copies: 0, further: 0 }, options, async () => {
        const { marks, leftOut: ofMarks } = await paintAreas(prepared, options);
        const way = { rowsRunUp: false, volumes: [], volumeOf: undefined, marks };
        return { found: await paintLayers(prepared, way, options), leftOut: ofMarks };
      });
      return toPlan(prepared, found, leftOut);
    },
    async write(fileIndex, query, options) {
      const prepared = await prepare(fileIndex, query, options);
      const form = writeForm(prepared.grid, query.format ?? 'nii.gz');
      return paintInto(prepared, form, options, async (painted) => {
        const pieces = await form.write(painted, options);
        const { found, leftOut } = painted;
        return { of: prepared.grid.of, pieces, leftOut, plan: toPlan(prepared, found, leftOut) };
      });
    },
    async toMarks(fileIndex, body, options) {
      const prepared = await prepare(fileIndex, body, options);
      const { grid, parts } = prepared;
      if (grid.kind !== 'images') throw new Error('masks lie on images');
      // Masks are cut by the numbers of parts, from 1 on.
      const numbered = { ...prepared, sampleBytes: 2, parts: parts.map((part, at) => ({ ...part, value: at + 1 })) };
      return paintInto(numbered, MASKS, options, ({ volumes, volumeOf }) =>
        markVolumes.adopt(grid.frames, (ordered) => {
          const { rows, columns } = grid;
          const input = { ...ordered, rows, columns, volumes, volumeOf, names: numbered.parts };
          return tasks.run(labelsToMarksTask, input, { signal: options.signal });
        }),
      );
    },
  };
}

/** A side is painted with all marks in one volume, then with each class apart, then in as many volumes as it needs. */
const MOST_TRIES = 3;

/** The marks of each class that has any. */
function listClasses(areas: SelectedAreas): readonly SelectedAreas[] {
  const classes = new Set(areas.chosen.map(({ content }) => content.class));
  return [...classes].map((key, at) => {
    const isOf = (_: unknown, n: number) => areas.chosen[n]!.content.class === key;
    const [chosen, found] = [areas.chosen.filter(isOf), areas.found.filter(isOf)];
    return { ...areas, chosen, found, counts: at === 0 ? areas.counts : new Map<string, number>() };
  });
}

function bytesOfSide(prepared: Prepared, { volumes, areMarksApart = false }: AttemptOfSide): number {
  const { areas, samples } = prepared;
  const further = areMarksApart && areas !== undefined ? listClasses(areas).length - 1 : 0;
  return bytesFor(prepared, volumes, 1) + further * 2 * samples;
}

/** Memory for labels, each `copies` times, and for slices while they are painted. */
function bytesFor({ grid, samples, sampleBytes, areas }: Prepared, volumes: number, copies: number): number {
  const ofMarks = areas === undefined ? 0 : 2 * samples;
  return volumes * samples * sampleBytes * copies + ofMarks + lanesBytes(grid) + 4 * STRIP_BYTES;
}

function createVolumes({ samples, sampleBytes }: Prepared, count: number): readonly LabelSamples[] {
  return Array.from({ length: count }, (): LabelSamples => {
    const buffer = new SharedArrayBuffer(samples * sampleBytes);
    return sampleBytes === 1 ? new Uint8Array(buffer) : new Uint16Array(buffer);
  });
}

/** Bytes of labels, at most, and for each byte of the files. Labels of images that are not packed have one for two bytes. */
const FEW_LABEL_BYTES = 64 * MIB;
const LABEL_BYTES_PER_BYTE = 100;

/** Packed images, and parts that lie over each other, can make a small file very large labels. */
function requireProportion({ samples, sampleBytes, fileBytes }: Prepared, volumes: number): void {
  const bytes = volumes * samples * sampleBytes;
  if (bytes <= FEW_LABEL_BYTES + LABEL_BYTES_PER_BYTE * fileBytes) return;
  const message =
    `labels of ${Math.ceil(bytes / MIB)} MiB in ${volumes} volumes are over ${LABEL_BYTES_PER_BYTE} times as large as the ` +
    'files: choose fewer parts or overlap=last';
  throw new ViewerError('layer_too_large', message);
}

/** Parts with their places in the list, from 1 on, as values. */
function numberInOrder(prepared: Prepared): Prepared {
  const parts = prepared.parts.map((part, at) => ({ ...part, value: at + 1 }));
  return { ...prepared, parts, sampleBytes: parts.length <= 255 ? 1 : 2 };
}

/** Throws `decode_memory_exceeded`. */
export function requireMemory(bytes: number, most: number): void {
  if (bytes <= most) return;
  const message =
    `the labels need about ${Math.ceil(bytes / MIB)} MiB of memory, but may use only ${Math.floor(most / MIB)} MiB, ` +
    'a part of --memory; choose fewer parts or overlap=last, or start with a larger --memory';
  throw new ViewerError('decode_memory_exceeded', message);
}

const CHANGED = 'a file changed while its labels were read; try again';

type Prepared = LabelsToPaint & {
  /** Marks, if there are any. */
  readonly areas: SelectedAreas | undefined;
  /** Of the grid. */
  readonly samples: number;
  readonly sampleBytes: number;
  readonly overlap: 'volumes' | 'last';
};

type PaintForm = Pick<LabelForm, 'rowsRunUp' | 'copies' | 'furtherBytes'>;

/** Masks of marks are runs, of which there can be so many only. */
const MASKS: PaintForm = { rowsRunUp: true, copies: 1, furtherBytes: () => 128 * MIB };

/** What is painted into: several volumes only if it is known which part is in which. */
type Attempt = { readonly volumes: number; readonly of: Uint16Array | undefined; readonly further: number };
/** The same, of one of two sides. */
type AttemptOfSide = Omit<Attempt, 'further'> & { readonly areMarksApart?: boolean };
const NOT_SPREAD = { volumes: 1, of: undefined };

/** How areas become samples. */
const RULES: Readonly<Record<LabelledKind | 'marks', string>> = {
  mask: 'masks: a sample has the labels of the nearest voxel; a fraction counts from the threshold on',
  contour:
    'contours: a sample is inside if its center is, by the even-odd rule over all closed contours of the part in its ' +
    'slice; the area to the right of a center on an outline, or below it, decides; corners are rounded to 1/4096 of a ' +
    'pixel. A slice without contours of its own has those of the nearest plane of contours, up to half way to the next',
  field: 'probabilities: a sample is inside if its value is at least the threshold',
  marks: 'marks: a sample is inside if its center is inside of the outline or on it',
};

function toPlan(
  { grid, layers, parts, areas, sampleBytes, overlap, threshold }: Prepared,
  { counts, pairs, overlaps }: PaintedParts,
  leftOut: readonly string[],
): LabelPlan {
  const { volumes, of } = spreadOver(parts.length + 1, pairs);
  const isSpread = overlap === 'volumes';
  const kinds = [...new Set(layers.map(({ kind }) => kind)), ...(areas === undefined ? [] : (['marks'] as const))];
  const valueOf = (part: number) => parts[part - 1]!.value;
  return {
    grid,
    sampleBytes,
    volumes: isSpread ? volumes : 1,
    overlaps,
    pairs: Array.from({ length: Math.min(MOST_PAIRS, pairs.length / 2) }, (_, at) => {
      return [valueOf(pairs[2 * at]!), valueOf(pairs[2 * at + 1]!)] as const;
    }),
    parts: parts.map((part, at) => ({ ...part, volume: isSpread ? of[at + 1]! : 0, samples: counts[at + 1]! })),
    rules: kinds.map((kind) => RULES[kind].replace('the threshold', `the threshold, ${threshold},`)),
    leftOut,
  };
}
