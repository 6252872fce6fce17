import { ViewerError } from '../../../shared/contract/errors.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import { paletteColor } from '../../../shared/segmentColor.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import { stateOf } from '../../origins/origins.ts';
import { checkFrame } from '../../pixels/frames.ts';
import { checkLayerObject } from '../checkLayerObject.ts';
import { type ListedPlanes, listSlidePlanes, type PlacedFrame } from '../imagePlanes.ts';
import type { LayerContext } from '../layerContext.ts';
import type {
  DescribedPart,
  LayerDescription,
  LayerOptions,
  LayerProvider,
  LayerSpace,
  LayerTarget,
  LayerWarning,
  PlacedLayer,
  TargetFrames,
  UnplacedParts,
} from '../layerProvider.ts';
import { doInTurns, type WorkInTurns } from '../../workers/doInTurns.ts';
import { toRefusal } from '../../workers/passingFailure.ts';
import {
  createPlacement,
  isPlaced,
  type LayerPlacement,
  placeInFrameOfReference,
  unavailable,
  wayBytesOf,
} from '../placement.ts';
import { packPlaced } from '../placedColumns.ts';
import { isSlide, pictureSizeOf, requireSlidePlane } from '../slidePlaces.ts';
import { findReachedSpaces, groupByOwn } from '../reachedSpaces.ts';
import { SLIDE_REACH_MM } from '../slideReach.ts';
import {
  bytesOfContours,
  bytesOfStructureSet,
  listSetSpaces,
  type ContourColumns,
  tooLarge,
  type StructureSetRoi,
  type StructureSetRecord,
} from './structureSetRecord.ts';
import {
  type ContourSet,
  type CoveredPlanes,
  coverPlanesTask,
  moveContoursTask,
  type MovedContours,
  packContoursTask,
  readStructureSetTask,
} from './structureSetTasks.ts';

const NON_PLANAR_MM = 0.1;

/** Structure sets over images, and their contours for measurements in other objects. */
export interface StructureSetLayers extends LayerProvider {
  /** The contours of each ROI in a frame of reference. */
  contoursIn(file: DicomFile, frameOfReferenceUid: string | undefined, options: LayerOptions): Promise<ContoursInSpace>;
}

export type ContoursInSpace = {
  /** Cache key of the file in the state in which it was read, and of the registrations that moved its contours. */
  readonly state: string;
  readonly rois: readonly StructureSetRoi[];
  /** Of each ROI: how it gets there, and its contours; undefined if it does not. */
  readonly placed: readonly { readonly placement: LayerPlacement; readonly contours: ContourColumns | undefined }[];
};

/** Structure sets over all open images of their frames of reference. */
export function createStructureSetLayers({
  tasks,
  memory,
  files,
  registrations,
  imagePlanes,
  slidePlaces,
}: LayerContext): StructureSetLayers {
  const cache = memory.cache('structureSets');
  const records = cache.part<StructureSetRecord>('record');
  const movedSets = cache.part<MovedContours>('moved');
  const coverings = cache.part<CoveredImages>('cover');

  async function read(file: DicomFile, options: LayerOptions): Promise<OpenedSet> {
    const state = await stateOf(file.source);
    const known = records.get(state);
    if (known !== undefined) return { state, record: known, cached: true };
    const mostBytes = memory.plan.structureSets;
    const record = await tasks.run(
      readStructureSetTask,
      { source: file.source, mostBytes },
      { of: file, shareKey: `structures ${state}`, signal: options.signal },
    );
    const recordBytes = bytesOfStructureSet(record);
    // One that is not kept would be read again for every image.
    if (recordBytes > mostBytes) throw tooLarge(mostBytes);
    records.set(state, record, recordBytes);
    return { state, record, cached: false };
  }

  /** The contours of a frame of reference in another one, and how they get there. */
  async function moveInto(opened: OpenedSet, { own, target }: Way, options: LayerOptions): Promise<MovedSet> {
    const placement = placeInFrameOfReference(own, target, await registrations.load(options));
    const { state, record } = opened;
    const { steps, via } = placement;
    if (steps === undefined) return { placement, contours: record.contours, lost: undefined };
    const states = await Promise.all(via.map(({ source }) => stateOf(source)));
    const key = [state, own, target, ...states].join(' ');
    const known = movedSets.get(key);
    if (known !== undefined) return { placement, ...known };
    const rois = markRois(record, own);
    const moved = await tasks.run(
      moveContoursTask,
      { contours: record.contours, rois, steps },
      { of: { wayBytes: wayBytesOf(placement) }, shareKey: `moved ${key}`, signal: options.signal },
    );
    movedSets.set(key, moved, bytesOfContours(moved.contours) + moved.lost.byteLength);
    return { placement, ...moved };
  }

  /** Why none of these images has a place; undefined if one has. */
  async function explainUnplaced(
    images: readonly DicomFile[],
    { warnings }: ListedPlanes,
    placed: readonly PlacedFrame[],
    options: LayerOptions,
  ): Promise<string | undefined> {
    const file = images[0];
    if (file === undefined || placed.length > 0) return undefined;
    const problem = warnings[0]?.message ?? (await imagePlanes.explainMissing({ file, frame: 0 }, options));
    return `no image of its frame of reference has a known place: ${problem}`;
  }

  /** The frames of one frame of reference that the contours of one, the same or another, lie over. */
  async function cover(opened: OpenedSet, way: Way, options: LayerOptions): Promise<CoveredImages> {
    const { state, record } = opened;
    const images = await files.imagesIn(way.target);
    const { placement, contours, lost } = await moveInto(opened, way, options);
    const via = await Promise.all(placement.via.map(({ source }) => stateOf(source)));
    const key = [state, way.own, way.target, images.length, ...via].join(' ');
    const known = coverings.get(key);
    if (known !== undefined) return known;
    const listed = await imagePlanes.listPlanes(images, options, `${way.target} ${images.length}`);
    const { placed: frames, warnings, isFinal } = listed;
    const placed = [...frames, ...listSlidePlanes(images)];
    const { planes, seriesOf, seriesCount } = await doInTurns(packPlaced(placed, record.rois.length), options.signal);
    const rois = markRois(record, way.own);
    const covered = await tasks.run(
      coverPlanesTask,
      {
        contours,
        rois,
        roiCount: rois.length,
        planes,
        firstSlide: frames.length,
        seriesOf,
        seriesCount,
      },
      { shareKey: `cover ${key}`, signal: options.signal },
    );
    const result = {
      ...way,
      placement,
      lost,
      images: images.length,
      warnings,
      seriesCount,
      placed,
      unplaced: await explainUnplaced(images, listed, placed, options),
      targets: await doInTurns(listTargets(placed, covered), options.signal),
      covered,
    };
    if (isFinal) coverings.set(key, result, placed.length * 400 + rois.length * seriesCount * 8);
    return result;
  }

  return {
    async describe(file, options) {
      checkLayerObject(file, ['structureSet']);
      const opened = await read(file, options);
      const uids = listSetSpaces(opened.record.rois);
      const graph = await registrations.load(options);
      const covered: CoveredImages[] = [];
      const refusals: string[] = [];
      const leftOut: LayerWarning[] = [];
      for (const own of uids) {
        covered.push(await cover(opened, { own, target: own }, options));
        const reached = await findReachedSpaces(own, graph, files, options);
        leftOut.push(...reached.warnings);
        for (const { frameOfReferenceUid: target } of reached.spaces) {
          // A registration that cannot be used places nothing, but the set lies over its own images.
          const found = await cover(opened, { own, target }, options).catch(toRefusal);
          if (found instanceof ViewerError) refusals.push(found.message);
          else covered.push(found);
        }
      }
      const { warnings, ...description } = await doInTurns(
        describeStructures(opened.record, uids, covered),
        options.signal,
      );
      const slides = slidePlaces.listLevels(description.targets.map((one) => one.file).filter(isSlide));
      const unusable = refusals.map((message) => ({ code: 'registration_unusable', message }));
      return { ...description, slides, warnings: [...warnings, ...leftOut.slice(0, 1), ...unusable.slice(0, 1)] };
    },

    async place(file, target, options) {
      checkLayerObject(file, ['structureSet']);
      checkFrame(target.file, target.frame);
      const opened = await read(file, options);
      await stateOf(target.file.source);
      const place = await imagePlanes.findPlane(target, options);
      if (place === undefined) {
        throw new ViewerError('semantic_mapping_unavailable', await imagePlanes.explainMissing(target, options));
      }
      const { rows, columns } = target.file;
      const { plane, frameOfReferenceUid } = place;
      const over = { frameOfReferenceUid, grid: { ...plane, rows, columns }, flatMm: 0, parts: target.parts };
      return placeContours(file, opened, over, options);
    },

    async contoursIn(file, target, options) {
      checkLayerObject(file, ['structureSet']);
      const opened = await read(file, options);
      const graph = await registrations.load(options);
      const bySpace = new Map<string | undefined, ContoursInSpace['placed'][number]>();
      const states = new Set([opened.state]);
      for (const { frameOfReferenceUid: own } of opened.record.rois) {
        if (bySpace.has(own)) continue;
        const placement = placeInFrameOfReference(own, target, graph);
        const isThere = isPlaced(placement) && own !== undefined && target !== undefined;
        const moved = isThere ? await moveInto(opened, { own, target }, options) : undefined;
        bySpace.set(own, { placement, contours: moved?.contours });
        for (const { source } of moved?.placement.via ?? []) states.add(await stateOf(source));
      }
      const { rois } = opened.record;
      return {
        state: [...states].join(' '),
        rois,
        placed: rois.map(({ frameOfReferenceUid }) => bySpace.get(frameOfReferenceUid)!),
      };
    },

    async placeOnPlane(file, { frameOfReferenceUid, grid }, options) {
      checkLayerObject(file, ['structureSet']);
      const over = { frameOfReferenceUid, grid, flatMm: 0, parts: undefined };
      return placeContours(file, await read(file, options), over, options);
    },

    async placeOnSlide(file, target, options) {
      checkLayerObject(file, ['structureSet']);
      const opened = await read(file, options);
      const { slide, plane } = requireSlidePlane(target.file ?? (await findSlide(opened)));
      await stateOf(slide.source);
      const { frameOfReferenceUid } = slide;
      const grid = { ...plane, ...pictureSizeOf(slide) };
      const over = { frameOfReferenceUid, grid, flatMm: SLIDE_REACH_MM, parts: target.parts };
      return placeContours(file, opened, over, options);
    },
  };

  /** The first slide in a frame of reference of the set. */
  async function findSlide({ record }: OpenedSet): Promise<DicomFile | undefined> {
    for (const uid of listSetSpaces(record.rois)) {
      const found = (await files.imagesIn(uid)).find(isSlide);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The same for a stored frame, for a slide, and for any plane of the patient. */
  async function placeContours(
    file: DicomFile,
    opened: OpenedSet,
    { frameOfReferenceUid: target, grid, flatMm, parts }: ContourTarget,
    options: LayerOptions,
  ): Promise<PlacedLayer> {
    const { record, cached } = opened;
    const graph = await registrations.load(options);
    const placed = listSetSpaces(record.rois).filter((own) => isPlaced(placeInFrameOfReference(own, target, graph)));
    const [roi] = record.rois;
    if (roi !== undefined && placed.length === 0) {
      const { reason } = placeInFrameOfReference(roi.frameOfReferenceUid, target, graph);
      throw new ViewerError('semantic_mapping_unavailable', reason);
    }
    const wanted = parts && new Set(parts);
    const sets: ContourSet[] = [];
    for (const own of target === undefined ? [] : placed) {
      const { contours } = await moveInto(opened, { own, target: target ?? own }, options);
      const numbers = Int32Array.from(record.rois, ({ number, frameOfReferenceUid }) =>
        frameOfReferenceUid === own && (wanted === undefined || wanted.has(number)) ? number : -1,
      );
      sets.push({ contours, numbers });
    }
    return {
      async packet({ signal, priority = 'interactive' }) {
        const { rows, columns, ...plane } = grid;
        const bytes = await tasks.run(
          packContoursTask,
          { layer: file.index, sets, plane, flatMm, rows, columns },
          { priority, signal },
        );
        return { bytes, cached, damage: undefined };
      },
    };
  }
}

type OpenedSet = { readonly state: string; readonly record: StructureSetRecord; readonly cached: boolean };
/** Frames of reference. */
type Way = { readonly own: string; readonly target: string };
type MovedSet = Pick<MovedContours, 'contours'> & {
  readonly placement: LayerPlacement;
  readonly lost: Uint32Array | undefined;
};

function markRois({ rois }: StructureSetRecord, own: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(rois, ({ frameOfReferenceUid }) => (frameOfReferenceUid === own ? 1 : 0));
}

type ContourTarget = {
  readonly frameOfReferenceUid: string | undefined;
  readonly grid: PlaneGrid;
  /** Contours along the plane within this distance are taken to lie in it. */
  readonly flatMm: number;
  readonly parts: readonly number[] | undefined;
};

type CoveredImages = Way & {
  readonly placement: LayerPlacement;
  /** Of each ROI: contours about which the registrations say nothing. */
  readonly lost: Uint32Array | undefined;
  /** Number of images of the frame of reference, placed or not. */
  readonly images: number;
  /** About those that are not placed. */
  readonly warnings: readonly LayerWarning[];
  readonly seriesCount: number;
  readonly placed: readonly PlacedFrame[];
  /** Why none is placed. */
  readonly unplaced: string | undefined;
  readonly targets: readonly TargetFrames[];
  readonly covered: CoveredPlanes;
};

function* listTargets(placed: readonly PlacedFrame[], { isCovered }: CoveredPlanes): WorkInTurns<TargetFrames[]> {
  const targets = new Map<number, { file: DicomFile; frames: number[] }>();
  for (const [at, { file, frame }] of placed.entries()) {
    yield;
    if (isCovered[at] === 0) continue;
    const known = targets.get(file.index);
    if (known === undefined) targets.set(file.index, { file, frames: [frame] });
    else known.frames.push(frame);
  }
  return [...targets.values()];
}

function* describeStructures(
  record: StructureSetRecord,
  uids: readonly string[],
  covered: readonly CoveredImages[],
): WorkInTurns<LayerDescription> {
  const coveredBy = groupByOwn(covered);
  const reasons = new Map(record.leftOut.map(({ roi, reason }) => [roi, reason] as const));
  const parts: RoiPart[] = [];
  for (const [at, roi] of record.rois.entries()) {
    const images = roi.frameOfReferenceUid === undefined ? [] : (coveredBy.get(roi.frameOfReferenceUid) ?? []);
    const ends: RoiEnds[] = [];
    for (const end of listEnds(at, record.rois.length, images)) {
      yield;
      if (end !== undefined) ends.push(end);
    }
    const problem = ends.length > 0 ? undefined : explain(roi, images, reasons.get(roi.number));
    parts.push(describeRoi(roi, at, { ends, problem }));
  }
  const unplaced = parts.flatMap(({ number, contours }): UnplacedParts[] =>
    contours.problem === undefined ? [] : [{ reason: contours.problem, part: number, count: contours.count }],
  );
  const lost = covered.flatMap(({ lost: ofRois, placement }) =>
    record.rois.flatMap(({ number }, at): UnplacedParts[] => {
      const count = ofRois?.[at] ?? 0;
      const reason = `the contours lie outside of what the registration describes, ${placement.reason}`;
      return count === 0 ? [] : [{ reason, part: number, count }];
    }),
  );
  return {
    parts,
    targets: covered.flatMap(({ targets }) => targets),
    placement: judge(record, parts, covered),
    frameOfReferenceUids: uids,
    spaces: listSpaces(covered),
    unplaced: [...unplaced, ...lost, ...record.leftOut.map(({ roi, reason, count }) => ({ reason, part: roi, count }))],
    warnings: listWarnings(record, covered),
  };
}

/** One for each frame of reference; the first way that leads there is the shortest. */
function listSpaces(covered: readonly CoveredImages[]): LayerSpace[] {
  const spaces = new Map<string, LayerSpace>();
  for (const { target, placement } of covered.toSorted((a, b) => a.placement.via.length - b.placement.via.length)) {
    if (!spaces.has(target)) spaces.set(target, { frameOfReferenceUid: target, placement });
  }
  return [...spaces.values()];
}

type RoiPart = DescribedPart & Required<Pick<DescribedPart, 'contours'>>;

type RoiEnds = RoiPart['contours']['ends'][number];

/** The ends of a ROI in each series of the images that it may lie over. */
function* listEnds(at: number, roiCount: number, images: readonly CoveredImages[]): Generator<RoiEnds | undefined> {
  for (const { seriesCount, placed, covered } of images) {
    for (let series = 0; series < seriesCount; series += 1) {
      const place = series * roiCount + at;
      const [first, last] = [placed[covered.firstPlanes[place] ?? -1], placed[covered.lastPlanes[place] ?? -1]];
      yield first === undefined || last === undefined ? undefined : { first: toTarget(first), last: toTarget(last) };
    }
  }
}

function describeRoi(
  roi: StructureSetRoi,
  at: number,
  { ends, problem }: Pick<RoiPart['contours'], 'ends' | 'problem'>,
): RoiPart {
  return {
    number: roi.number,
    label: roi.name,
    description: roi.description,
    color: roi.color ?? paletteColor(at + 1),
    colorSource: roi.color === undefined ? 'palette' : 'declared',
    contours: {
      interpretedType: roi.interpretedType,
      geometry: roi.types,
      count: roi.contourCount,
      isNested: roi.isNested,
      volumeMm3: roi.volumeMm3,
      ends,
      problem,
    },
  };
}

function toTarget({ file, frame }: PlacedFrame): LayerTarget {
  return { file, frame };
}

function explain(roi: StructureSetRoi, images: readonly CoveredImages[], leftOut: string | undefined): string {
  if (roi.contourCount === 0) return leftOut ?? 'the object has no contours of it';
  if (roi.frameOfReferenceUid === undefined)
    return 'the object has no Referenced Frame of Reference UID (3006,0024) for it';
  if (images.every((one) => one.images === 0)) return 'no image of its frame of reference is open';
  const hasPlaced = images.some(({ placed }) => placed.length > 0);
  const problem = hasPlaced ? undefined : images.find(({ unplaced }) => unplaced !== undefined)?.unplaced;
  return problem ?? 'none of its contours reaches an open image';
}

function judge(
  { rois }: StructureSetRecord,
  parts: readonly RoiPart[],
  covered: readonly CoveredImages[],
): LayerPlacement {
  if (rois.length === 0) return unavailable('the object describes no ROI');
  const drawn = parts.filter(({ contours }) => contours.problem === undefined).length;
  if (drawn === 0) return unavailable(`no ROI lies over an open image: ${parts[0]?.contours.problem ?? ''}`);
  const counted = `${drawn} of ${rois.length} ROIs lie over open images`;
  const [nearest] = covered
    .filter(({ targets }) => targets.length > 0)
    .toSorted((a, b) => a.placement.via.length - b.placement.via.length);
  if (nearest === undefined || nearest.placement.steps === undefined) {
    return createPlacement('direct', counted);
  }
  return { ...nearest.placement, reason: `${counted}, ${nearest.placement.reason}` };
}

function listWarnings({ rois, isCut }: StructureSetRecord, covered: readonly CoveredImages[]): LayerWarning[] {
  const nested = rois.filter(({ isNested }) => isNested);
  const bent = rois.filter(({ deviationMm }) => deviationMm > NON_PLANAR_MM);
  return [
    ...covered.flatMap(({ warnings }) => warnings),
    ...(nested.length === 0
      ? []
      : [
          {
            code: 'nested_contours',
            message: `contours inside others are drawn as holes, although the object does not say so: ${nameRois(nested)}`,
          },
        ]),
    ...(bent.length === 0
      ? []
      : [
          {
            code: 'non_planar',
            message: `contours that should be planar leave their plane by more than ${NON_PLANAR_MM} mm: ${nameRois(bent)}`,
          },
        ]),
    ...(isCut
      ? [{ code: 'incomplete', message: 'the object is truncated or too large, so contours are missing' }]
      : []),
  ];
}

const MOST_NAMED = 8;

function nameRois(rois: readonly StructureSetRoi[]): string {
  const names = rois.slice(0, MOST_NAMED).map(({ name, number }) => name ?? `ROI ${number}`);
  const others = rois.length > MOST_NAMED ? ` and ${rois.length - MOST_NAMED} others` : '';
  return `${names.join(', ')}${others}`;
}
