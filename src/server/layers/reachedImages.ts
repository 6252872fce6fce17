import { ViewerError } from '../../shared/contract/errors.ts';
import type { PositionTable } from '../../shared/positionTable.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { doInTurns, type WorkInTurns } from '../workers/doInTurns.ts';
import type { TaskRunner } from '../workers/task.ts';
import type { ImagePlanes, PlacedFrame } from './imagePlanes.ts';
import type { LayerFiles } from './layerFiles.ts';
import type { LayerOptions, LayerSpace, LayerWarning, TargetFrames } from './layerProvider.ts';
import { toRefusal } from '../workers/passingFailure.ts';
import { isPlaced, type LayerPlacement, placeInFrameOfReference, planeInLayer, wayBack } from './placement.ts';
import { createPlaneColumns, PLANE_NUMBERS, putPlane } from './planeColumns.ts';
import type { Registrations } from './registrations.ts';
import { reachPlanesTask } from './registrationTasks.ts';
import { listSlidePlanes, pictureSizeOf } from './slidePlaces.ts';
import { createMeeting } from './volumeExtent.ts';

const TIMEOUT_MS = 60_000;
const MIB = 2 ** 20;

type Context = {
  readonly tasks: TaskRunner;
  readonly files: LayerFiles;
  readonly registrations: Registrations;
  readonly imagePlanes: ImagePlanes;
};

/** Slices in a frame of reference. */
export type ReachingLayer = { readonly own: string; readonly tables: readonly PositionTable[] };

export type ReachedImages = {
  /** The frames of reference in which it lies. */
  readonly spaces: readonly LayerSpace[];
  readonly targets: readonly TargetFrames[];
  /** About images that are not compared, and registrations that cannot be used. */
  readonly warnings: readonly LayerWarning[];
};

/** The images that a layer reaches in one of these frames of reference. */
export type FindReached = (
  layer: ReachingLayer,
  options: LayerOptions & {
    /** Only over registrations, because its own images are known. */
    readonly isElsewhere?: boolean;
    /** Only over these files. */
    readonly within?: ReadonlyMap<number, unknown> | undefined;
    /** Frames that it does not lie over, such as its own. */
    readonly isLeftOut?: (file: number, frame: number) => boolean;
    /** Over slides, too. */
    readonly isOnSlides?: boolean;
  },
) => Promise<ReachedImages>;

/** Finds the images that the slices of layers reach, in their own frame of reference and over registrations. */
export function createReach({ tasks, files, registrations, imagePlanes }: Context): FindReached {
  return async (
    { own, tables },
    { isElsewhere = false, isOnSlides = false, isLeftOut = () => false, within, ...options },
  ) => {
    const graph = await registrations.load(options);
    const spaces: LayerSpace[] = [];
    const targets: TargetFrames[] = [];
    const warnings: LayerWarning[] = [];
    const refusals: string[] = [];
    for (const space of [...(isElsewhere ? [] : [own]), ...graph.listReachable(own)]) {
      const placement = placeInFrameOfReference(own, space, graph);
      const all = isPlaced(placement) ? await files.imagesIn(space) : [];
      const images = within === undefined ? all : all.filter(({ index }) => within.has(index));
      if (!isPlaced(placement) || (images.length === 0 && space !== own)) continue;
      const { placed: frames, warnings: aboutImages } = await imagePlanes.listPlanes(images, options);
      const placed = isOnSlides ? [...frames, ...listSlidePlanes(images)] : frames;
      warnings.push(...aboutImages);
      const others = placed.filter(({ file, frame }) => !isLeftOut(file.index, frame));
      // A registration that cannot be used places nothing, but the layer lies over its own images.
      const found = await reach(tasks, { tables, placed: others, placement }, options).catch(toRefusal);
      if (found instanceof ViewerError) {
        refusals.push(found.message);
        continue;
      }
      spaces.push({ frameOfReferenceUid: space, placement });
      targets.push(...found);
    }
    const unusable = refusals.slice(0, 1).map((message) => ({ code: 'registration_unusable', message }));
    return { spaces, targets, warnings: [...warnings, ...unusable] };
  };
}

type PlacedImages = {
  readonly tables: readonly PositionTable[];
  readonly placed: readonly PlacedFrame[];
  /** Of the layer in the frame of reference of the images. */
  readonly placement: LayerPlacement;
};

async function reach(
  tasks: TaskRunner,
  { tables, placed, placement }: PlacedImages,
  { signal }: LayerOptions,
): Promise<readonly TargetFrames[]> {
  const [first] = placed;
  if (first === undefined) return [];
  if (placement.steps === undefined || planeInLayer(first.plane, placement) !== undefined) {
    return doInTurns(listMet(tables, placed, placement));
  }
  const planes = createPlaneColumns(placed.length);
  const sizes = new Uint32Array(2 * placed.length);
  for (const [at, { plane, file }] of placed.entries()) {
    putPlane(planes, at, plane);
    const { rows, columns } = pictureSizeOf(file);
    sizes.set([rows, columns], 2 * at);
  }
  const { steps, bytes } = wayBack(placement);
  const reached = await tasks.run(
    reachPlanesTask,
    { planes, sizes, steps, tables },
    {
      timeoutMs: TIMEOUT_MS,
      memory: { bytes: 4 * MIB + bytes + 16 * PLANE_NUMBERS * placed.length, isUpperBound: true },
      ...(signal !== undefined && { signal }),
    },
  );
  return groupByFile(placed.filter((_, at) => reached[at] === 1));
}

function* listMet(
  tables: readonly PositionTable[],
  placed: readonly PlacedFrame[],
  placement: LayerPlacement,
): WorkInTurns<readonly TargetFrames[]> {
  const met: PlacedFrame[] = [];
  const meetings = tables.map(createMeeting);
  for (const one of placed) {
    yield;
    const { rows, columns } = pictureSizeOf(one.file);
    const plane = planeInLayer(one.plane, placement);
    if (plane !== undefined && meetings.some((meets) => meets({ ...plane, rows, columns }))) met.push(one);
  }
  return groupByFile(met);
}

export function groupByFile(
  frames: Iterable<{ readonly file: DicomFile; readonly frame: number }>,
): readonly TargetFrames[] {
  const targets = new Map<number, { file: DicomFile; frames: number[] }>();
  for (const { file, frame } of frames) {
    const known = targets.get(file.index);
    if (known === undefined) targets.set(file.index, { file, frames: [frame] });
    else known.frames.push(frame);
  }
  return [...targets.values()];
}
