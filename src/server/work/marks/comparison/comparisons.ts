import {
  type ComparisonQuery,
  type ComparisonResponse,
  DEFAULT_TOLERANCE_MM,
} from '../../../../shared/contract/comparison.ts';
import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { nameSpace } from '../../../../shared/spaceName.ts';
import { toLayerRef } from '../../../../shared/layerRef.ts';
import type { FrameOptions } from '../../../images/pixels/frames.ts';
import type { TaskRunner } from '../../../machine/workers/task.ts';
import { compareLabels, type HeldBytes, MM3_PER_ML, mostAgreementBytes } from '../../../over/agreement/agreements.ts';
import type { ErrorSides, FoundErrors } from '../../../over/sheets/errorPlans.ts';
import type { GridSize } from '../../../over/agreement/maskPair.ts';
import type { OwnSlices } from '../../../over/layers/layerProvider.ts';
import type { DescribedLayer, Layers } from '../../../over/layers/layers.ts';
import type { LabelGrid } from '../volumes/labelGrid.ts';
import type { LabelSelection, LabelVolumes, LabelsOfSide } from '../volumes/labelVolumes.ts';
import { codesOfClass, type SegmentCodes } from '../volumes/segmentTags.ts';
import { type PartPair, pairParts, type PartToPair } from './pairParts.ts';
import { isInGrid, isOnGrid, placeOfGrid, reachOver, spacingOf } from './truthGrid.ts';

/** How far two layers over one stack agree. */
export interface Comparisons {
  compare(query: ComparisonQuery, options: FrameOptions): Promise<ComparisonResponse>;
  /** Which parts are compared, and the image of the stack with most wrong samples. */
  findErrors(sides: ErrorsOverStack, options: FrameOptions): Promise<FoundErrors>;
}

type ErrorsOverStack = ErrorSides & { readonly fileIndex: number; readonly frame: number };

export type ComparisonsContext = {
  readonly layers: Pick<Layers, 'describe' | 'ownSlices'>;
  readonly labelVolumes: Pick<LabelVolumes, 'findGrid' | 'paintTogether'>;
  readonly tasks: TaskRunner;
};

export function createComparisons({ layers, labelVolumes, tasks }: ComparisonsContext): Comparisons {
  async function readSide(text: string, options: FrameOptions): Promise<Side> {
    if (text === 'marks') return { layer: undefined, described: undefined, own: undefined };
    const layer = Number(text);
    const described = await layers.describe(toLayerRef(layer), options);
    // Contours have no samples, and not everything that has some lies on a grid.
    const own = await orUndefined(layers.ownSlices(toLayerRef(layer), options));
    return { layer, described, own };
  }

  async function findGrid(
    { frame, time, grid: wanted = 'truth', file }: ComparisonQuery,
    { truth, test }: Sides,
    options: FrameOptions,
  ): Promise<ComparedGrid> {
    const of = file ?? findStackOf(truth) ?? findStackOf(test);
    const address = {
      ...(file !== undefined && frame !== undefined && { frame }),
      ...(time !== undefined && { time }),
    };
    const findImages = async (index: number) => labelVolumes.findGrid(index, address, options);
    if (truth.own === undefined || wanted === 'images') {
      if (of === undefined) throw mappingUnavailable('neither of the two lies over images; name a file of the stack');
      return toCompared(await findImages(of));
    }
    const images = of === undefined ? undefined : await orUndefined(findImages(of));
    const table = images?.kind === 'images' ? images.table : undefined;
    const space = images && nameSpace(images.of.frameOfReferenceUid, images.of.seriesInstanceUid);
    const isInOneSpace = space === truth.own.frameOfReferenceUid;
    if (images?.regular !== undefined && isInOneSpace && reaches(truth, images) && reaches(test, images)) {
      const compared = toCompared(images);
      if (isInGrid(truth.own, latticeOf(compared))) return compared;
    }
    const index = truth.layer !== undefined && 'file' in toLayerRef(truth.layer) ? truth.layer : of;
    if (index === undefined) throw mappingUnavailable('the truth lies over no images; name a file of the stack');
    const own = await labelVolumes.findGrid(index, { layers: [truth.layer!], grid: 'own' }, options);
    if (own.kind !== 'own') throw new Error('a grid of its own');
    return toCompared(reachOver(own, isInOneSpace ? table : undefined));
  }

  async function compare(query: ComparisonQuery, options: FrameOptions): Promise<ComparisonResponse> {
    const sides = { truth: await readSide(query.truth, options), test: await readSide(query.test, options) };
    refuseSlides(sides);
    const compared = await findGrid(query, sides, options);
    const { grid, regular } = compared;
    const { spacingMm, isOblique } = spacingOf(regular);
    const size: GridSize = [grid.columns, grid.rows, grid.slices];
    const sampleMm3 = spacingMm[0] * spacingMm[1] * spacingMm[2];
    const rules = readRules(query, spacingMm);
    const choiceOf = ({ layer }: Side): LabelSelection => ({
      ...(layer === undefined ? { marks: 'add' } : { layers: [layer] }),
      ...(query.threshold !== undefined && { threshold: query.threshold }),
    });
    const use = async (truth: LabelsOfSide, test: LabelsOfSide, held: HeldBytes) => {
      const [truthParts, testParts] = [listParts(truth), listParts(test)];
      const pairs =
        query.pairs === undefined ? pairParts(truthParts, testParts) : choosePairs(query.pairs, truthParts, testParts);
      const results = await compareLabels(
        {
          truth,
          test,
          size,
          sampleMm3,
          pairs: pairs.map((pair) => [pair.truth + 1, pair.test + 1] as const),
          components: rules.isMeasured ? rules.components : undefined,
          surfaces: rules.isMeasured && !isOblique ? rules.surfaces : undefined,
          errors: query.errors === 'list',
          held,
        },
        tasks,
        options,
      );
      const mlOf = (samples: number) => (samples * sampleMm3) / MM3_PER_ML;
      const toWire = (painted: LabelsOfSide, parts: readonly PartToPair[], at: number) => {
        const { part, label, type } = parts[at]!;
        const samples = painted.found.counts[at + 1]!;
        return {
          part,
          name: label,
          class: painted.parts[at]!.key,
          type: type ?? null,
          samples,
          volume_ml: mlOf(samples),
        };
      };
      const rest = (painted: LabelsOfSide, parts: readonly PartToPair[], taken: readonly number[]) =>
        parts.flatMap((_, at) => (taken.includes(at) ? [] : [toWire(painted, parts, at)]));
      return {
        pairs: pairs.map((pair, at) => ({
          truth: toWire(truth, truthParts, pair.truth),
          test: toWire(test, testParts, pair.test),
          paired_by: pair.by,
          samples_in_both: results[at]!.both,
          numbers: results[at]!.numbers,
          errors: results[at]!.errors,
        })),
        only_truth: rest(
          truth,
          truthParts,
          pairs.map((pair) => pair.truth),
        ),
        only_test: rest(
          test,
          testParts,
          pairs.map((pair) => pair.test),
        ),
        notes: [...new Set([...truth.leftOut, ...test.leftOut])],
      };
    };
    const choices = [choiceOf(sides.truth), choiceOf(sides.test)] as const;
    const furtherBytes = mostAgreementBytes(size);
    const found = await labelVolumes.paintTogether(grid, choices, { furtherBytes, use }, options);
    const truth = describeSide(sides.truth, compared);
    const test = describeSide(sides.test, compared);
    return {
      truth,
      test,
      size: [...size],
      spacing_mm: [...spacingMm],
      place: describePlace(compared),
      tolerance_mm: rules.surfaces.toleranceMm,
      overlap: rules.components.overlap,
      connectivity: rules.components.connectivity,
      ...found,
      notes: [...listNotes({ truth, test }, compared, isOblique && rules.isMeasured), ...found.notes],
    };
  }

  return {
    compare,
    async findErrors({ truth, test, fileIndex: file, frame }, options) {
      const sides = { truth: String(truth), test: String(test) };
      // On the grid of the images, each slice is one of them.
      const rules = { grid: 'images', numbers: 'overlap', errors: 'list' } as const;
      const { pairs } = await compare({ ...sides, file, frame, ...rules }, options);
      const grid = await labelVolumes.findGrid(file, { frame }, options);
      const slice = findWorstSlice(pairs);
      const isKnown = slice !== undefined && grid.kind === 'images';
      return {
        pairs: pairs.map((pair) => [pair.truth.part, pair.test.part] as const),
        worst: isKnown ? { fileIndex: grid.frames[2 * slice]!, frame: grid.frames[2 * slice + 1]! } : undefined,
      };
    },
  };
}

/** The slice with most wrong samples of all pairs; the first of several. */
function findWorstSlice(pairs: ComparisonResponse['pairs']): number | undefined {
  const wrong = new Map<number, number>();
  for (const { errors } of pairs) {
    for (const { slice, false_positive: more, false_negative: less } of errors?.slices ?? []) {
      wrong.set(slice, (wrong.get(slice) ?? 0) + more + less);
    }
  }
  return [...wrong].toSorted((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
}

/** One of the two that are compared. */
type Side = {
  /** Undefined for marks, with everything about it. */
  readonly layer: number | undefined;
  readonly described: DescribedLayer | undefined;
  /** Undefined if it has no samples of its own. */
  readonly own: OwnSlices | undefined;
};

type Sides = { readonly truth: Side; readonly test: Side };

type ComparedGrid = {
  readonly grid: LabelGrid;
  readonly regular: NonNullable<LabelGrid['regular']>;
};

function toCompared(grid: LabelGrid): ComparedGrid {
  if (grid.regular !== undefined) return { grid, regular: grid.regular };
  const why = grid.kind === 'images' ? grid.noGrid : undefined;
  throw new ViewerError('volume_unavailable', why ?? 'the slices of the truth are not equally far apart');
}

function latticeOf({ grid: { rows, columns, slices }, regular }: ComparedGrid) {
  return { rows, columns, slices, regular };
}

/** A tiled segmentation is compared with nothing: tiles are no slices, and a level has more samples than fit into memory. */
function refuseSlides(sides: Sides): void {
  for (const { described } of Object.values(sides)) {
    const [target] = described?.description.targets ?? [];
    if (target?.file.objectKind !== 'whole_slide_microscopy') continue;
    throw new ViewerError(
      'volume_unavailable',
      `${described?.title} lies over a slide, and nothing is compared there: tiles are no slices of a volume, and the samples of a level do not fit into memory`,
    );
  }
}

/** An image that a layer lies over. */
function findStackOf({ described }: Side): number | undefined {
  return described?.description.targets.find(({ frames }) => frames.length > 0)?.file.index;
}

/** Whether a side lies over any of the images of a grid. One that names none has only its own grid. */
function reaches({ described }: Side, grid: LabelGrid): boolean {
  if (described === undefined || grid.kind !== 'images') return true;
  const { targets } = described.description;
  const files = new Set(targets.map(({ file }) => file.index));
  for (let at = 0; at < grid.frames.length; at += 2) if (files.has(grid.frames[at]!)) return true;
  return false;
}

/** What is refused may still be compared in another way. */
async function orUndefined<Value>(value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch (error) {
    const isRefusal = error instanceof ViewerError && REFUSALS.has(error.code);
    if (isRefusal) return undefined;
    throw error;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['semantic_mapping_unavailable', 'volume_unavailable']);

export function readRules(
  query: Pick<ComparisonQuery, 'tolerance' | 'overlap' | 'connectivity' | 'numbers'>,
  spacingMm: readonly [number, number, number],
) {
  const { tolerance: toleranceMm = DEFAULT_TOLERANCE_MM, overlap = 0, connectivity = '26', numbers = 'all' } = query;
  const neighbours = { 6: 6, 18: 18, 26: 26 } as const;
  return {
    components: { connectivity: neighbours[connectivity], overlap },
    surfaces: { spacingMm, toleranceMm },
    isMeasured: numbers === 'all',
  };
}

/** The parts of a side in the order of their values. */
function listParts({ parts, layers }: LabelsOfSide): readonly PartToPair[] {
  const ofLayer = layers[0];
  return parts.map(({ from, title, codes }, at): PartToPair => {
    if (from === undefined || ofLayer === undefined)
      return { part: at + 1, value: at + 1, label: title, type: isSaid(codes) ? codes.type : undefined };
    const described = ofLayer.described.description.parts.find(({ number }) => number === from.part);
    return {
      part: from.part,
      value: ofLayer.parts.find((own) => own.from?.part === from.part)!.value,
      label: title,
      type: described?.propertyType,
    };
  });
}

/** Classes without codes have the most general ones, which say nothing. */
function isSaid({ type }: SegmentCodes): boolean {
  return type !== codesOfClass(undefined).type;
}

function choosePairs(
  wanted: readonly string[],
  truth: readonly PartToPair[],
  test: readonly PartToPair[],
): readonly PartPair[] {
  return [...new Set(wanted)].map((pair) => {
    const [a, b] = pair.split(':');
    return { truth: findPart(truth, a, 'truth'), test: findPart(test, b, 'test'), by: 'request' };
  });
}

function findPart(parts: readonly PartToPair[], number: string | undefined, side: string): number {
  const at = parts.findIndex(({ part }) => part === Number(number));
  if (at < 0) throw new ViewerError('layer_not_found', `pairs: the ${side} has no part ${number}`);
  return at;
}

function describeSide({ layer, described, own }: Side, compared: ComparedGrid) {
  const samples = own === undefined ? 'drawn' : isOnGrid(own, latticeOf(compared)) ? 'own' : 'resampled';
  return { layer: layer ?? null, title: described?.title ?? 'Marks', samples } as const;
}

function describePlace({ grid, regular }: ComparedGrid): ComparisonResponse['place'] {
  const { origin, steps } = placeOfGrid(regular, grid.rows);
  const space =
    grid.kind === 'own' ? grid.frameOfReferenceUid : nameSpace(grid.of.frameOfReferenceUid, grid.of.seriesInstanceUid);
  const [along, down, step] = steps;
  return {
    frame_of_reference_uid: space ?? null,
    origin_mm: [...origin],
    steps_mm: [[...along], [...down], [...step]],
  };
}

type WireSide = ComparisonResponse['truth'];

function listNotes(
  sides: { readonly truth: WireSide; readonly test: WireSide },
  { grid }: ComparedGrid,
  withoutDistances: boolean,
): readonly string[] {
  const name = grid.kind === 'images' ? 'the images' : 'the truth';
  return [
    ...Object.entries(sides).flatMap(([side, { samples }]) => {
      if (samples === 'resampled') {
        return [`the ${side} has another grid: each sample of the grid of ${name} has the label of its nearest sample`];
      }
      return samples === 'drawn' ? [`the outlines of the ${side} are filled on the grid of ${name}`] : [];
    }),
    ...(withoutDistances ? ['slices are not straight above each other, so there are no distances'] : []),
  ];
}
