import { addTo } from '../../../../shared/addTo.ts';
import type { CachePart } from '../../../machine/memory/memoryAccount.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { doInTurns, type WorkInTurns } from '../../../machine/workers/doInTurns.ts';
import { listSlidePlanes, type PlacedFrame } from '../imagePlanes.ts';
import type { LayerContext } from '../layerContext.ts';
import type { DescribedExtent, LayerOptions, LayerSpace, LayerWarning, TargetFrames } from '../layerProvider.ts';
import { packPlaced, type PlacedColumns } from '../placedColumns.ts';
import { keyOfWay, type LayerPlacement } from '../placement.ts';
import { groupByFile } from '../reachedImages.ts';
import { isSlide } from '../slidePlaces.ts';
import { type FoundInSpaces, followSpaces, type SpaceOfLayer } from '../followSpaces.ts';
import type { Opened } from './spatialLayers.ts';

/** What a task finds about the planes of images; other columns of it have one number for each plane. */
export type CoveredPlanes = {
  /** 1 for each plane with a part. */
  readonly isCovered: Uint8Array;
  /** For each series and in it for each part, the lowest and highest of its planes along their normal; -1 for none. */
  readonly firstPlanes: Int32Array;
  readonly lastPlanes: Int32Array;
};

/** The images of a frame of reference that the parts of an object lie over. */
export type CoveredImages<Covered extends CoveredPlanes> = SpaceOfLayer & {
  /** Number of images of the frame of reference, placed or not. */
  readonly images: number;
  readonly slides: readonly DicomFile[];
  readonly seriesCount: number;
  readonly placed: readonly PlacedFrame[];
  readonly covered: Covered;
  /** About images that are not placed. */
  readonly warnings: readonly LayerWarning[];
};

/** How the parts of one sort of object cover planes. */
export type CoverKind<Content, Covered extends CoveredPlanes> = {
  readonly countParts: (content: Content) => number;
  /** Whether slides are among the planes, after all others. */
  readonly hasSlidePlanes: boolean;
  readonly run: (opened: Opened<Content>, planes: PlanesToCover, options: LayerOptions) => Promise<Covered>;
};

export type PlanesToCover = PlacedColumns & {
  readonly space: SpaceOfLayer;
  /** The planes from this number on are those of slides. */
  readonly firstSlide: number;
  /** The same for the same answer. */
  readonly key: string;
};

export interface Coverage<Content, Covered extends CoveredPlanes> {
  /** In one frame of reference. */
  cover(opened: Opened<Content>, space: SpaceOfLayer, options: LayerOptions): Promise<CoveredImages<Covered>>;
  /** In these and in all that registrations connect with them. */
  coverAll(
    opened: Opened<Content>,
    own: readonly string[],
    options: LayerOptions,
  ): Promise<FoundInSpaces<CoveredImages<Covered>>>;
}

/** Of a listed frame, with its plane. */
const PLACED_BYTES = 400;

export function createCoverage<Content, Covered extends CoveredPlanes>(
  context: Pick<LayerContext, 'files' | 'registrations' | 'imagePlanes'>,
  cache: CachePart<CoveredImages<Covered>>,
  { countParts, hasSlidePlanes, run }: CoverKind<Content, Covered>,
): Coverage<Content, Covered> {
  const { files, imagePlanes } = context;

  async function cover(opened: Opened<Content>, space: SpaceOfLayer, options: LayerOptions) {
    const { own, frameOfReferenceUid: target, placement } = space;
    const images = await files.imagesIn(target);
    const key = `cover ${[opened.state, own, target, images.length, await keyOfWay(placement)].join(' ')}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const {
      placed: frames,
      warnings,
      isFinal,
    } = await imagePlanes.listPlanes(images, options, `${target} ${images.length}`);
    const placed = hasSlidePlanes ? [...frames, ...listSlidePlanes(images)] : frames;
    const columns = await doInTurns(packPlaced(placed, countParts(opened.content)), options.signal);
    const covered = await run(opened, { ...columns, space, firstSlide: frames.length, key }, options);
    const { seriesCount } = columns;
    const slides = images.filter(isSlide);
    const result = { ...space, images: images.length, slides, seriesCount, placed, covered, warnings };
    if (isFinal) cache.set(key, result, PLACED_BYTES * placed.length + bytesOfColumns(covered));
    return result;
  }

  return {
    cover,
    coverAll: (opened, own, options) => followSpaces(own, context, options, (space) => cover(opened, space, options)),
  };
}

function bytesOfColumns(covered: object): number {
  const columns: readonly unknown[] = Object.values(covered);
  return columns.reduce((sum: number, one) => sum + (ArrayBuffer.isView(one) ? one.byteLength : 0), 0);
}

/** What an answer about one layer is made of. */
type Covers = readonly CoveredImages<CoveredPlanes>[];
type PartEnds = DescribedExtent['ends'][number];

/** The ends of a part in each series of the images that it may lie over; undefined where it does not. */
export function* listEnds(at: number, partCount: number, covers: Covers): Generator<PartEnds | undefined> {
  for (const { seriesCount, placed, covered } of covers) {
    for (let series = 0; series < seriesCount; series += 1) {
      const place = series * partCount + at;
      const [first, last] = [placed[covered.firstPlanes[place] ?? -1], placed[covered.lastPlanes[place] ?? -1]];
      yield first === undefined || last === undefined ? undefined : { first: toTarget(first), last: toTarget(last) };
    }
  }
}

function toTarget({ file, frame }: PlacedFrame): PartEnds['first'] {
  return { file, frame };
}

/** The frames that the parts of an object lie over, by file. */
export function* listCoveredFrames(covers: Covers): WorkInTurns<readonly TargetFrames[]> {
  const frames: PlacedFrame[] = [];
  for (const { placed, covered } of covers) {
    for (const [at, frame] of placed.entries()) {
      yield;
      if (covered.isCovered[at] === 1) frames.push(frame);
    }
  }
  return joinTargets(groupByFile(frames));
}

/** One entry for each file, with its frames in order. */
export function joinTargets(targets: readonly TargetFrames[]): readonly TargetFrames[] {
  const joined = new Map<number, { file: DicomFile; frames: Set<number> }>();
  for (const { file, frames } of targets) {
    const known = joined.get(file.index) ?? { file, frames: new Set<number>() };
    joined.set(file.index, known);
    for (const frame of frames) known.frames.add(frame);
  }
  return [...joined.values()].map(({ file, frames }) => ({ file, frames: [...frames].toSorted((a, b) => a - b) }));
}

/** One for each frame of reference; the first way that leads there is the shortest. */
export function listCoveredSpaces(covers: Covers): Map<string, LayerSpace> {
  const spaces = new Map<string, LayerSpace>();
  for (const { frameOfReferenceUid, placement } of nearestFirst(covers)) {
    if (!spaces.has(frameOfReferenceUid)) spaces.set(frameOfReferenceUid, { frameOfReferenceUid, placement });
  }
  return spaces;
}

/** How an object gets to the nearest images that it lies over, or that it is taken to lie over. */
export function findNearestWay<Cover extends Covers[number]>(
  covers: readonly Cover[],
  isOver: (cover: Cover) => boolean = () => false,
): LayerPlacement | undefined {
  return nearestFirst(covers).find((one) => isOver(one) || one.covered.isCovered.includes(1))?.placement;
}

export function nearestFirst<Cover extends SpaceOfLayer>(covers: readonly Cover[]): readonly Cover[] {
  return covers.toSorted((a, b) => a.placement.via.length - b.placement.via.length);
}

/** The images that may be covered, by the frame of reference of the coordinates. */
export function groupByOwn<Cover extends SpaceOfLayer>(
  covers: readonly Cover[],
): ReadonlyMap<string, readonly Cover[]> {
  const groups = new Map<string, Cover[]>();
  for (const one of covers) addTo(groups, one.own, one);
  return groups;
}
