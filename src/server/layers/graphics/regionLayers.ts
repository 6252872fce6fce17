import { ViewerError } from '../../../shared/contract/errors.ts';
import type { LayerName } from '../../../shared/contract/layers.ts';
import { LAYER_OBJECTS } from '../../../shared/contract/layers.ts';
import type { ImagePlane } from '../../../shared/geometry.ts';
import { paletteColor } from '../../../shared/segmentColor.ts';
import { nameSpace } from '../../../shared/spaceName.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import { stateOf } from '../../origins/origins.ts';
import { checkFrame } from '../../pixels/frames.ts';
import { locateTile } from '../../wsi/locateTile.ts';
import { checkLayerObject } from '../checkLayerObject.ts';
import type { PlacedFrame } from '../imagePlanes.ts';
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
import { findSlidePlane, isSlide, SAME_PIXELS, type SlidePlaces } from '../slidePlaces.ts';
import { findReachedSpaces, groupByOwn } from '../reachedSpaces.ts';
import { SLIDE_REACH_MM } from '../slideReach.ts';
import type { ImageUnder } from './drawRegions.ts';
import { bytesOfRegions, type RegionImage, type RegionPart, type RegionRecord } from './regionRecord.ts';
import {
  coverRegionsTask,
  type CoveredByRegions,
  type PackRegionsInput,
  packRegionsTask,
  type LiftedImage,
  type ReadRegionsTask,
  type RegionSpace,
} from './regionTasks.ts';

/** Regions over the images that they name, and over those of their frames of reference. */
export function createRegionLayers(input: LayerContext): (name: LayerName, task: ReadRegionsTask) => LayerProvider {
  const { tasks, memory, files, registrations, references, catalog, slides, slidePlaces, imagePlanes } = input;
  const cache = memory.cache('regions');
  const records = cache.part<RegionRecord>('record');
  const coverings = cache.part<CoveredImages>('cover');

  /** The open files that an image of a record is. */
  function findImages({ sopInstanceUid }: RegionImage): DicomFile[] {
    const found = references.instances.find(sopInstanceUid).flatMap((index) => catalog.files[index] ?? []);
    return found.filter(({ hasPixels }) => hasPixels);
  }

  /** The frames that each image of a record is. Copies of an image are open files, too. */
  function* listImageTargets({ images }: RegionRecord): WorkInTurns<NamedTargets> {
    const imageTargets: TargetFrames[][] = [];
    let [listed, left] = [0, 0];
    for (const image of images) {
      const targets: TargetFrames[] = [];
      for (const file of findImages(image)) {
        yield;
        if (listed >= MOST_NAMED) left += 1;
        else {
          const frames = framesOf(file, image, slidePlaces);
          listed += frames.reduce((sum, one) => sum + 1 + one.frames.length / FRAMES_OF_A_TARGET, 0);
          targets.push(...frames);
        }
      }
      imageTargets.push(targets);
    }
    const message = `nothing is drawn over ${left} images that are named, because there are more than ${MOST_NAMED}`;
    return { imageTargets, warnings: left === 0 ? [] : [{ code: 'images_left_out', message }] };
  }

  /** The images of a frame of reference that the regions of one, the same or another, lie over. */
  async function cover(opened: Opened, way: Way, options: LayerOptions): Promise<CoveredImages> {
    const { state, record } = opened;
    const images = await files.imagesIn(way.target);
    const placement = placeInFrameOfReference(way.own, way.target, await registrations.load(options));
    const via = await Promise.all(placement.via.map(({ source }) => stateOf(source)));
    const key = [state, way.own, way.target, images.length, ...via].join(' ');
    const known = coverings.get(key);
    if (known !== undefined) return known;
    const listed = await imagePlanes.listPlanes(images, options, `${way.target} ${images.length}`);
    const { placed, warnings, isFinal } = listed;
    const { planes, seriesOf, seriesCount } = await doInTurns(packPlaced(placed, record.parts.length), options.signal);
    const covered = await tasks.run(
      coverRegionsTask,
      {
        shapes: record.shapes,
        space: record.spaces.indexOf(way.own),
        steps: placement.steps,
        partCount: record.parts.length,
        planes,
        seriesOf,
        seriesCount,
      },
      { of: { wayBytes: wayBytesOf(placement) }, shareKey: `cover ${key}`, signal: options.signal },
    );
    const result: CoveredImages = {
      ...way,
      placement,
      images: images.length,
      slides: images.filter(isSlide),
      seriesCount,
      placed,
      covered,
      warnings,
    };
    if (isFinal) coverings.set(key, result, placed.length * 432 + record.parts.length * seriesCount * 8);
    return result;
  }

  async function coverAll(opened: Opened, options: LayerOptions): Promise<CoveredAll> {
    const graph = await registrations.load(options);
    const covered: CoveredImages[] = [];
    const refusals: string[] = [];
    const leftOut: LayerWarning[] = [];
    for (const own of opened.record.spaces) {
      covered.push(await cover(opened, { own, target: own }, options));
      const { spaces, warnings } = await findReachedSpaces(own, graph, files, options);
      leftOut.push(...warnings);
      for (const { frameOfReferenceUid: target } of spaces) {
        // A registration that cannot be used places nothing, but the regions lie over their own images.
        const found = await cover(opened, { own, target }, options).catch(toRefusal);
        if (found instanceof ViewerError) refusals.push(found.message);
        else covered.push(found);
      }
    }
    return { covered, refusals, leftOut };
  }

  /** The regions of spaces that reach a frame of reference. */
  async function listSpaces(
    { record }: Opened,
    target: string | undefined,
    options: LayerOptions,
  ): Promise<{ readonly spaces: readonly RegionSpace[]; readonly placements: readonly LayerPlacement[] }> {
    const graph = await registrations.load(options);
    const placements = record.spaces.map((own) => placeInFrameOfReference(own, target, graph));
    const spaces = placements.flatMap((placement, space) =>
      isPlaced(placement) ? [{ space, steps: placement.steps }] : [],
    );
    return { spaces, placements };
  }

  function pack(
    file: DicomFile,
    { record, cached }: Opened,
    drawn: Pick<
      PackRegionsInput,
      'images' | 'lifted' | 'spaces' | 'plane' | 'belowMm' | 'aboveMm' | 'rows' | 'columns' | 'pixelMm'
    > & { readonly parts?: readonly number[] | undefined; readonly placements?: readonly LayerPlacement[] },
  ): PlacedLayer {
    const { parts, placements = [], ...target } = drawn;
    const wanted = parts && new Set(parts);
    const numbers = Int32Array.from(record.parts, ({ number }) =>
      wanted === undefined || wanted.has(number) ? number : -1,
    );
    const wayBytes = placements.reduce((sum, placement) => sum + wayBytesOf(placement), 0);
    return {
      async packet({ signal, priority = 'interactive' }) {
        const packet = await tasks.run(
          packRegionsTask,
          {
            layer: file.index,
            shapes: record.shapes,
            numbers,
            texts: record.parts.map(({ text }) => text),
            ...target,
          },
          { of: { wayBytes }, priority, signal },
        );
        return { bytes: packet, cached, damage: undefined };
      },
    };
  }

  /** The images of a record whose planes reach a frame of reference. */
  async function liftImages({ record }: Opened, target: string, options: LayerOptions) {
    const graph = await registrations.load(options);
    const lifted: LiftedImage[] = [];
    const placements = new Map<string, LayerPlacement>();
    let reason: string | undefined;
    let left = MOST_READ;
    for (const [image, { frames, ...named }] of record.images.entries()) {
      const [file] = findImages({ frames, ...named });
      const own = file && nameSpace(file.frameOfReferenceUid, file.seriesInstanceUid);
      if (file === undefined || isSlide(file) || own === undefined) continue;
      // The positions of frames have to be read from the file.
      const listed = file.frameCount === 1 ? [0] : (frames ?? []).slice(0, left);
      if (file.frameCount > 1) left -= listed.length;
      const placement = placements.get(own) ?? placeInFrameOfReference(own, target, graph);
      placements.set(own, placement);
      if (!isPlaced(placement)) {
        reason ??= placement.reason;
        continue;
      }
      for (const frame of listed) {
        const place = await imagePlanes.findPlane({ file, frame }, options);
        if (place !== undefined) lifted.push({ image, plane: place.plane, steps: placement.steps });
      }
    }
    return { lifted, placements: [...placements.values()].filter(isPlaced), reason };
  }

  /** Where the pixels that a region names are in a slide: once, or for each frame that it names. */
  async function mapToSlide(image: RegionImage, slide: DicomFile, { signal }: LayerOptions): Promise<ImageUnder[]> {
    const unders: ImageUnder[] = [];
    for (const own of findImages(image).filter(isSlide).slice(0, 1)) {
      const map = slidePlaces.mapPixels(own, slide);
      if (map === undefined) continue;
      const aspectRatio = aspectOf(own);
      if (image.origin === 'matrix' || image.frames === undefined) {
        unders.push({ map, aspectRatio });
        continue;
      }
      const layout = await slides.readLayout(own, signal);
      for (const frame of image.frames.slice(0, MOST_TILES)) {
        const { rectangle } = locateTile(layout, frame);
        if (rectangle === undefined) continue;
        const shiftX = map.shiftX + rectangle.x * map.scaleX;
        const shiftY = map.shiftY + rectangle.y * map.scaleY;
        unders.push({ map: { ...map, shiftX, shiftY }, aspectRatio });
      }
    }
    return unders;
  }

  /** How far from a frame regions belong to it. */
  async function findReach(
    opened: Opened,
    { file, frame }: LayerTarget,
    spaces: readonly RegionSpace[],
    options: LayerOptions,
  ): Promise<{ readonly belowMm: number; readonly aboveMm: number }> {
    const [first] = spaces;
    const target = file.frameOfReferenceUid;
    if (first === undefined || target === undefined) return { belowMm: 0, aboveMm: 0 };
    const own = opened.record.spaces[first.space] ?? target;
    const { placed, covered } = await cover(opened, { own, target }, options);
    const at = placed.findIndex((one) => one.file.index === file.index && one.frame === frame);
    return { belowMm: covered.below[at] ?? 0, aboveMm: covered.above[at] ?? 0 };
  }

  return (name, task) => {
    async function read(file: DicomFile, options: LayerOptions): Promise<Opened> {
      checkLayerObject(file, [name]);
      const state = await stateOf(file.source);
      const known = records.get(state);
      if (known !== undefined) return { state, record: known, cached: true };
      const mostBytes = memory.plan.regions;
      const record = await tasks.run(
        task,
        { source: file.source, mostBytes },
        { of: file, shareKey: `${name} ${state}`, signal: options.signal },
      );
      const recordBytes = bytesOfRegions(record);
      if (recordBytes > mostBytes) {
        throw new ViewerError('layer_too_large', 'the regions need more memory than --memory leaves for them');
      }
      records.set(state, record, recordBytes);
      return { state, record, cached: false };
    }

    return {
      async describe(file, options) {
        const opened = await read(file, options);
        const { covered, refusals, leftOut } = await coverAll(opened, options);
        const { imageTargets, warnings } = await doInTurns(listImageTargets(opened.record), options.signal);
        leftOut.push(...warnings);
        const { noun } = LAYER_OBJECTS[name];
        return doInTurns(
          describeRegions(opened.record, { noun, covered, refusals, leftOut, imageTargets, slidePlaces }),
          options.signal,
        );
      },

      async place(file, target, options) {
        const opened = await read(file, options);
        const { record } = opened;
        checkFrame(target.file, target.frame);
        await stateOf(target.file.source);
        const images = record.images.flatMap((image, at) =>
          isDrawnOn(image, target) ? [{ image: at, map: SAME_PIXELS, aspectRatio: aspectOf(target.file) }] : [],
        );
        const place = await imagePlanes.findPlane(target, options);
        const { spaces, placements } = await listSpaces(opened, place?.frameOfReferenceUid, options);
        if (images.length === 0 && spaces.length === 0) {
          if (placements.length === 0) return pack(file, opened, { ...sizeOf(target.file), images, spaces });
          throw new ViewerError(
            'semantic_mapping_unavailable',
            place === undefined ? await imagePlanes.explainMissing(target, options) : (placements[0]?.reason ?? ''),
          );
        }
        const reach = await findReach(opened, target, spaces, options);
        return pack(file, opened, {
          ...sizeOf(target.file),
          images,
          spaces,
          placements,
          plane: place?.plane,
          ...reach,
          parts: target.parts,
        });
      },

      async placeOnPlane(file, { frameOfReferenceUid, grid, slabMm }, options) {
        const opened = await read(file, options);
        const { spaces, placements } = await listSpaces(opened, frameOfReferenceUid, options);
        const lifts = await liftImages(opened, frameOfReferenceUid, options);
        if (spaces.length === 0 && lifts.lifted.length === 0) {
          const reason = placements[0]?.reason ?? lifts.reason ?? 'the images that it names have no position in space';
          throw new ViewerError('semantic_mapping_unavailable', reason);
        }
        const { rows, columns, ...plane } = grid;
        const half = Math.max(slabMm, Math.min(plane.rowSpacingMm, plane.columnSpacingMm)) / 2;
        return pack(file, opened, {
          images: [],
          lifted: lifts.lifted,
          spaces,
          placements: [...placements, ...lifts.placements],
          plane,
          belowMm: half,
          aboveMm: half,
          rows,
          columns,
          pixelMm: undefined,
        });
      },

      async placeOnSlide(file, target, options) {
        const opened = await read(file, options);
        const { record } = opened;
        const slide = target.file ?? record.images.flatMap(findImages).find(isSlide);
        const { totalRows, totalColumns } = slide?.placement?.slide ?? {};
        if (slide === undefined || totalRows === undefined || totalColumns === undefined) {
          throw new ViewerError('semantic_mapping_unavailable', 'the regions lie on no open slide');
        }
        await stateOf(slide.source);
        const images: PackRegionsInput['images'][number][] = [];
        for (const [at, image] of record.images.entries()) {
          for (const under of await mapToSlide(image, slide, options)) images.push({ image: at, ...under });
        }
        const plane = findSlidePlane(slide);
        const { spaces, placements } = await listSpaces(
          opened,
          plane === undefined ? undefined : slide.frameOfReferenceUid,
          options,
        );
        return pack(file, opened, {
          images,
          lifted: [],
          spaces,
          placements,
          plane,
          belowMm: SLIDE_REACH_MM,
          aboveMm: SLIDE_REACH_MM,
          rows: totalRows,
          columns: totalColumns,
          pixelMm: slide.pixelSpacingMm?.[1],
          parts: target.parts,
        });
      },
    };
  };
}

/** Frames of files with several whose positions are read for a plane. */
const MOST_READ = 16;
/** A region that names more tiles is drawn on the first ones. */
const MOST_TILES = 4096;

type Opened = { readonly state: string; readonly record: RegionRecord; readonly cached: boolean };
/** Frames of reference. */
type Way = { readonly own: string; readonly target: string };
type CoveredAll = {
  readonly covered: readonly CoveredImages[];
  readonly refusals: readonly string[];
  readonly leftOut: LayerWarning[];
};

type CoveredImages = Way & {
  readonly placement: LayerPlacement;
  /** Number of images of the frame of reference, placed or not. */
  readonly images: number;
  readonly slides: readonly DicomFile[];
  readonly seriesCount: number;
  readonly placed: readonly PlacedFrame[];
  readonly covered: CoveredByRegions;
  /** About images that are not placed. */
  readonly warnings: readonly LayerWarning[];
};

function sizeOf({ rows, columns, pixelSpacingMm }: DicomFile) {
  const none: ImagePlane | undefined = undefined;
  return { rows, columns, pixelMm: pixelSpacingMm?.[1], plane: none, lifted: [], belowMm: 0, aboveMm: 0 };
}

/** Height of a pixel over its width; pixels of unknown size are square. */
function aspectOf({ pixelAspectRatio = 1 }: DicomFile): number {
  return pixelAspectRatio > 0 && Number.isFinite(pixelAspectRatio) ? pixelAspectRatio : 1;
}

function isDrawnOn({ sopInstanceUid, frames, origin }: RegionImage, { file, frame }: LayerTarget): boolean {
  if (sopInstanceUid !== file.sopInstanceUid || origin === 'matrix') return false;
  // Without frames, a region of a slide is drawn on its matrix.
  return frames === undefined ? !isSlide(file) : frames.includes(frame);
}

/** The frames of a file that an image of a record names. A slide is one picture: its first frames stand for it. */
function framesOf(file: DicomFile, { frames }: RegionImage, slidePlaces: SlidePlaces): TargetFrames[] {
  if (isSlide(file)) return slidePlaces.listLevels([file]).map((level) => ({ file: level, frames: [0] }));
  const all = frames ?? Array.from({ length: Math.min(file.frameCount, MOST_FRAMES) }, (_, frame) => frame);
  const own = all.filter((frame) => frame < file.frameCount);
  return own.length === 0 ? [] : [{ file, frames: own }];
}

const MOST_FRAMES = 65_536;
/** Pairs of an image that the object names and an open file that it is. */
const MOST_NAMED = 131_072;
/** So many numbers of frames take as much memory as a target. */
const FRAMES_OF_A_TARGET = 16;

type NamedTargets = Pick<Found, 'imageTargets'> & { readonly warnings: readonly LayerWarning[] };

type Found = {
  readonly noun: string;
  readonly covered: readonly CoveredImages[];
  readonly refusals: readonly string[];
  readonly leftOut: readonly LayerWarning[];
  /** For each image of the record. */
  readonly imageTargets: readonly (readonly TargetFrames[])[];
  readonly slidePlaces: SlidePlaces;
};

function* describeRegions(record: RegionRecord, found: Found): WorkInTurns<LayerDescription> {
  const { noun, covered, refusals, imageTargets, slidePlaces } = found;
  const placesOf = record.parts.map(() => new Set<number>());
  for (const [shape, part] of record.shapes.partOf.entries()) {
    yield;
    placesOf[part]?.add(record.shapes.placeOf[shape]!);
  }
  const reasons = new Map(record.leftOut.toReversed().map(({ part, reason }) => [part, reason] as const));
  const coveredBy = groupByOwn(covered);
  const parts: RegionDescription[] = [];
  for (const [at, part] of record.parts.entries()) {
    const places = placesOf[at] ?? new Set();
    const ends: RegionEnds[] = [];
    for (const end of listEnds(record, at, places, { coveredBy, imageTargets })) {
      yield;
      if (end !== undefined) ends.push(end);
      if (ends.length === MOST_ENDS) break;
    }
    const onSlide = record.spaces.some(
      (own, space) => places.has(-1 - space) && coveredBy.get(own)?.some(({ slides }) => slides.length > 0) === true,
    );
    const isDrawn = ends.length > 0 || onSlide;
    parts.push(
      describePart(part, at, { ends, problem: isDrawn ? undefined : explain(reasons.get(part.number), places) }),
    );
  }
  const onSlides = slidePlaces
    .listLevels(covered.flatMap(({ slides }) => slides))
    .map((level) => ({ file: level, frames: [0] }));
  const targets = joinTargets([...covered.flatMap(listTargets), ...onSlides, ...imageTargets.flat()]);
  const reached = new Map<string, LayerSpace>();
  for (const { target, placement } of covered.toSorted((a, b) => a.placement.via.length - b.placement.via.length)) {
    if (!reached.has(target)) reached.set(target, { frameOfReferenceUid: target, placement });
  }
  for (const { file } of imageTargets.flat()) {
    const uid = nameSpace(file.frameOfReferenceUid, file.seriesInstanceUid);
    if (uid === undefined || isSlide(file) || reached.has(uid)) continue;
    const placement = createPlacement('by_reference', 'the images that it names are in this frame of reference');
    reached.set(uid, { frameOfReferenceUid: uid, placement });
  }
  return {
    parts,
    targets,
    placement: judge(record, { ...found, hasTargets: targets.length > 0 }),
    frameOfReferenceUids: record.spaces,
    spaces: [...reached.values()],
    unplaced: [
      ...parts.flatMap(({ number, extent }): UnplacedParts[] =>
        extent.problem === undefined ? [] : [{ reason: extent.problem, part: number, count: 1 }],
      ),
      ...record.leftOut.map(({ part, reason, count }) => ({ part, reason, count })),
    ],
    warnings: [
      ...covered.flatMap(({ warnings }) => warnings),
      ...found.leftOut.slice(0, 1),
      ...listWarnings(record, refusals, noun),
    ],
    about: `${record.parts.length} ${record.parts.length === 1 ? 'region' : 'regions'}`,
  };
}

function judge(
  record: RegionRecord,
  { noun, covered, imageTargets, hasTargets }: Found & { readonly hasTargets: boolean },
): LayerPlacement {
  if (record.parts.length === 0) return unavailable(`the ${noun} has no regions`);
  if (hasTargets) {
    if (imageTargets.some((targets) => targets.length > 0)) {
      return createPlacement('by_reference', `the ${noun} names the images`);
    }
    const [placement] = covered
      .filter(({ covered: { isCovered }, slides }) => isCovered.includes(1) || slides.length > 0)
      .map((one) => one.placement)
      .toSorted((a, b) => a.via.length - b.via.length);
    return placement ?? createPlacement('direct', 'both have the same frame of reference');
  }
  if (record.shapes.length === 0) return unavailable('none of its regions can be drawn');
  if (record.images.length > 0) return unavailable('the images that it names are not open');
  return unavailable('no image of its frame of reference is open, or none reaches its regions');
}

/** By the frame of reference of the regions. */
type CoveredBy = ReadonlyMap<string, readonly CoveredImages[]>;
type RegionEnds = Required<DescribedPart>['extent']['ends'][number];
type RegionDescription = DescribedPart & Required<Pick<DescribedPart, 'extent'>>;

/** Those of one part: in each series of the images that it may lie over, and in the images that it names. */
function* listEnds(
  record: RegionRecord,
  at: number,
  places: ReadonlySet<number>,
  { coveredBy, imageTargets }: Pick<Found, 'imageTargets'> & { readonly coveredBy: CoveredBy },
): Generator<RegionEnds | undefined> {
  for (const [space, own] of record.spaces.entries()) {
    if (!places.has(-1 - space)) continue;
    for (const { seriesCount, placed, covered: of } of coveredBy.get(own) ?? []) {
      for (let series = 0; series < seriesCount; series += 1) {
        const place = series * record.parts.length + at;
        const [first, last] = [placed[of.firstPlanes[place] ?? -1], placed[of.lastPlanes[place] ?? -1]];
        yield first === undefined || last === undefined ? undefined : { first: toTarget(first), last: toTarget(last) };
      }
    }
  }
  for (const place of places) {
    for (const { file, frames } of imageTargets[place] ?? []) {
      const [first, last] = [frames[0], frames.at(-1)];
      yield first === undefined || last === undefined
        ? undefined
        : { first: { file, frame: first }, last: { file, frame: last } };
    }
  }
}

function describePart(
  part: RegionPart,
  at: number,
  { ends, problem }: { readonly ends: readonly RegionEnds[]; readonly problem: string | undefined },
): RegionDescription {
  return {
    number: part.number,
    label: part.label,
    description: part.description,
    propertyType: part.type,
    color: part.color ?? paletteColor(at + 1),
    colorSource: part.color === undefined ? 'palette' : 'declared',
    geometry: part.geometry,
    item: part.item,
    extent: { volumeMm3: undefined, ends, problem },
  };
}

const MOST_ENDS = 64;

/** Why nothing of a part is drawn. */
function explain(reason: string | undefined, places: ReadonlySet<number>): string {
  if (places.size === 0) return reason ?? 'it has no points';
  return [...places].some((place) => place >= 0)
    ? 'the image that it names is not open'
    : 'no open image of its frame of reference reaches it';
}

function listTargets({ placed, covered: { isCovered } }: CoveredImages): TargetFrames[] {
  return placed.flatMap(({ file, frame }, at) => (isCovered[at] === 1 ? [{ file, frames: [frame] }] : []));
}

/** One entry for each file, with its frames in order. */
function joinTargets(targets: readonly TargetFrames[]): TargetFrames[] {
  const joined = new Map<number, { file: DicomFile; frames: Set<number> }>();
  for (const { file, frames } of targets) {
    const known = joined.get(file.index) ?? { file, frames: new Set<number>() };
    joined.set(file.index, known);
    for (const frame of frames) known.frames.add(frame);
  }
  return [...joined.values()].map(({ file, frames }) => ({ file, frames: [...frames].toSorted((a, b) => a - b) }));
}

function toTarget({ file, frame }: PlacedFrame): LayerTarget {
  return { file, frame };
}

function listWarnings(record: RegionRecord, refusals: readonly string[], noun: string): LayerWarning[] {
  const warnings: LayerWarning[] = refusals.slice(0, 1).map((message) => ({ code: 'registration_unusable', message }));
  if (record.isCut) {
    warnings.push({ code: 'incomplete', message: `the ${noun} was not read to its end, so regions may be missing` });
  }
  const left = record.leftOut.reduce((sum, { count }) => sum + count, 0);
  if (left > 0) {
    const [first] = record.leftOut;
    warnings.push({
      code: 'regions_left_out',
      message: `${left} ${left === 1 ? 'region is' : 'regions are'} not drawn: ${first?.reason ?? ''}`,
    });
  }
  return warnings;
}
