import { nameSpace } from '../../../shared/spaceName.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { bytesOfGeometry, type FrameGeometry, planeAt } from '../../standard/geometry/frameGeometry.ts';
import { findLacking, nameLacking } from '../../standard/geometry/nameLacking.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import { readFrameGeometryTask } from '../../images/series/frameGeometry.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { mapInLanes } from '../../machine/workers/mapInLanes.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type Clock, createTimeLimit, SYSTEM_CLOCK } from '../../machine/workers/timeLimit.ts';
import { findKnownPlace, type KnownPlace } from './knownPlace.ts';
import type { LayerOptions, LayerTarget, LayerWarning } from './layerProvider.ts';
import { ignoreRefusal } from '../../machine/workers/passingFailure.ts';
import { findSlidePlane, isSlide, UNPLACED_SLIDE } from './slidePlaces.ts';

/** A frame (from 0) whose position is known. */
export type PlacedFrame = { readonly file: DicomFile; readonly frame: number; readonly plane: KnownPlace['plane'] };

export type ListedPlanes = {
  readonly placed: readonly PlacedFrame[];
  /** Files whose planes are not listed, and why. */
  readonly warnings: readonly LayerWarning[];
  /** Whether all files have been read: otherwise a later call may list more. */
  readonly isFinal: boolean;
};

/** Where images lie, for layers that find their targets by position. */
export interface ImagePlanes {
  /**
   * The planes of all frames of these images, up to `MOST_PLANES`. With a key, which is another one for other images, they
   * are kept.
   */
  listPlanes(images: readonly DicomFile[], options: LayerOptions, key?: string): Promise<ListedPlanes>;
  /** The plane of a target; undefined if it does not declare one. */
  findPlane(target: LayerTarget, options: LayerOptions): Promise<KnownPlace | undefined>;
  /** Why a target has no plane: what its file lacks. */
  explainMissing(target: LayerTarget, options: LayerOptions): Promise<string>;
  /** Where the frames of any image lie, on slides too; undefined if it cannot be read. */
  findGeometry(file: DicomFile, options: LayerOptions): Promise<FrameGeometry | undefined>;
}

/** After this, no more files are read for one answer. What has been read is kept, so the next answer has more. */
const READING_MS = 6_000;
/** More planes than a frame of reference really has. Images beyond are left out, so that their lists stay bounded. */
const MOST_PLANES = 2 ** 18;

/** Of a listed frame, with its plane. */
const PLACED_BYTES = 400;

/** Without the order of the frames, which is large; undefined if the file does not say where its frames lie, or cannot be read. */
type Kept = FrameGeometry | undefined;

export function createImagePlanes({
  tasks,
  memory,
  clock = SYSTEM_CLOCK,
}: {
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly clock?: Clock | undefined;
}): ImagePlanes {
  const cache = memory.cache('imagePlanes');
  const geometries = cache.part<{ readonly geometry: Kept }>('geometry');
  const lists = cache.part<ListedPlanes>('listed');

  /** Where the frames of an image with more than one plane lie. */
  async function readFrames(file: DicomFile, options: LayerOptions): Promise<Kept> {
    return file.placement?.hasFrameGeometry === true ? readGeometry(file, options) : undefined;
  }

  async function readGeometry(file: DicomFile, { signal }: LayerOptions): Promise<Kept> {
    const key = String(file.index);
    const known = geometries.get(key);
    if (known !== undefined) return known.geometry;
    const input = { source: file.source, frameCount: file.frameCount };
    const geometry = await tasks
      .run(readFrameGeometryTask, input, {
        of: file,
        shareKey: `geometry ${file.index}`,
        signal,
      })
      // An image that is gone or broken cannot be drawn on, but the others can.
      .then(({ ranks: _ranks, traits: _traits, ...planes }) => planes, ignoreRefusal);
    geometries.set(key, { geometry }, geometry === undefined ? 0 : bytesOfGeometry(geometry));
    return geometry;
  }

  return {
    findGeometry: readGeometry,
    async listPlanes(images, options, key) {
      const known = key === undefined ? undefined : lists.get(key);
      if (known !== undefined) return known;
      const { listed, leftOut, places, unplaced } = await doInTurns(findKnownPlaces(images), options.signal);
      const limit = createTimeLimit(READING_MS, clock, options.signal);
      let unread = 0;
      await mapInLanes(unplaced, async (at) => {
        const read = await limit.wait(async () => ({ geometry: await readGeometry(listed[at]!, options) }));
        if (read === undefined) unread += 1;
        places[at] = read?.geometry;
      });
      const placed = await doInTurns(placeFrames(listed, places), options.signal);
      const warnings = [...warnOfLeftOut(leftOut), ...warnOfUnread(unread)];
      const result = { placed, warnings, isFinal: unread === 0 };
      if (key !== undefined && result.isFinal) lists.set(key, result, PLACED_BYTES * placed.length);
      return result;
    },
    async findPlane({ file, frame }, options) {
      const frameOfReferenceUid = nameSpace(file.frameOfReferenceUid, file.seriesInstanceUid);
      const known = findKnownPlace(file);
      if (known !== undefined) return { ...known, frameOfReferenceUid };
      const geometry = await readFrames(file, options);
      const plane = geometry && planeAt(geometry, frame);
      return plane && { plane, frameOfReferenceUid };
    },
    async explainMissing({ file, frame }, options) {
      if (isSlide(file)) return UNPLACED_SLIDE;
      const geometry = await readGeometry(file, options);
      if (geometry === undefined) return 'the position of the image cannot be read';
      return `the image has ${nameLacking(findLacking(geometry, frame))}`;
    },
  };
}

/** In one turn, the files of a large study would take longer than other requests may wait. */
function* findKnownPlaces(images: readonly DicomFile[]): WorkInTurns<{
  readonly listed: readonly DicomFile[];
  readonly leftOut: number;
  /** Of each listed file, if it is known without reading the file. */
  readonly places: (KnownPlace | FrameGeometry | undefined)[];
  /** The listed files that have to be read, by number in the list. */
  readonly unplaced: readonly number[];
}> {
  const listed: DicomFile[] = [];
  const places: (KnownPlace | undefined)[] = [];
  const unplaced: number[] = [];
  let [frames, leftOut] = [0, 0];
  for (const file of images) {
    yield;
    const { placement, frameCount } = file;
    if (placement?.slide !== undefined) continue;
    if (frames + frameCount > MOST_PLANES) {
      leftOut += 1;
      continue;
    }
    frames += frameCount;
    const known = findKnownPlace(file);
    if (known === undefined && placement?.hasFrameGeometry === true) unplaced.push(listed.length);
    listed.push(file);
    places.push(known);
  }
  return { listed, leftOut, places, unplaced };
}

function* placeFrames(
  files: readonly DicomFile[],
  places: readonly (KnownPlace | FrameGeometry | undefined)[],
): WorkInTurns<readonly PlacedFrame[]> {
  const placed: PlacedFrame[] = [];
  for (const [at, file] of files.entries()) {
    const place = places[at];
    if (place === undefined) continue;
    for (let frame = 0; frame < ('plane' in place ? 1 : file.frameCount); frame += 1) {
      const plane = 'plane' in place ? place.plane : planeAt(place, frame);
      if (plane !== undefined) placed.push({ file, frame, plane });
      yield;
    }
  }
  return placed;
}

function warnOfLeftOut(files: number): LayerWarning[] {
  if (files === 0) return [];
  const message = `nothing is drawn over ${files} open files, because all images together have more than ${MOST_PLANES} frames`;
  return [{ code: 'images_left_out', message }];
}

function warnOfUnread(files: number): LayerWarning[] {
  if (files === 0) return [];
  const message = `nothing is drawn over ${files} open files, because reading their positions takes long; try again`;
  return [{ code: 'images_unread', message }];
}

/** The slide images whose total pixel matrix has a position. Each is one picture, whose first frame stands for it. */
export function listSlidePlanes(images: readonly DicomFile[]): PlacedFrame[] {
  return images.flatMap((file) => {
    const plane = isSlide(file) ? findSlidePlane(file) : undefined;
    return plane === undefined ? [] : [{ file, frame: 0, plane }];
  });
}
