import type { DicomFile } from '../catalog/dicomFile.ts';
import { bytesOfGeometry, type FrameGeometry, planeAt } from '../geometry/frameGeometry.ts';
import type { MemoryAccount } from '../memory/memoryAccount.ts';
import { readMemoryOf } from '../pixels/decodeCost.ts';
import { type RankedGeometry, readFrameGeometryTask } from '../series/frameGeometry.ts';
import { doInTurns, type WorkInTurns } from '../workers/doInTurns.ts';
import { mapInLanes } from '../workers/mapInLanes.ts';
import type { TaskRunner } from '../workers/task.ts';
import { type Clock, createTimeLimit, SYSTEM_CLOCK } from '../workers/timeLimit.ts';
import { findKnownPlace, type KnownPlace } from './knownPlace.ts';
import type { LayerOptions, LayerTarget, LayerWarning } from './layerProvider.ts';
import { ignoreRefusal } from '../workers/passingFailure.ts';

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
  /** The planes of all frames of these images, up to `MOST_PLANES`. */
  listPlanes(images: readonly DicomFile[], options: LayerOptions): Promise<ListedPlanes>;
  /** The plane of a target; undefined if it does not declare one. */
  findPlane(target: LayerTarget, options: LayerOptions): Promise<KnownPlace | undefined>;
  /** Where the frames of any image lie, on slides too; undefined if it cannot be read. */
  findGeometry(file: DicomFile, options: LayerOptions): Promise<FrameGeometry | undefined>;
}

const READ_TIMEOUT_MS = 60_000;
/** After this, no more files are read for one answer. What has been read is kept, so the next answer has more. */
const READING_MS = 6_000;
/** More planes than a frame of reference really has. Images beyond are left out, so that their lists stay bounded. */
const MOST_PLANES = 2 ** 18;

/** Without the order of the frames, which is large; undefined if the file does not say where its frames lie, or cannot be read. */
type Kept = FrameGeometry | undefined;

export function createImagePlanes({
  tasks,
  memory,
  clock = SYSTEM_CLOCK,
}: {
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly clock?: Clock;
}): ImagePlanes {
  const cache = memory.cache<{ readonly geometry: Kept }>('imagePlanes');

  /** Where the frames of an image with more than one plane lie. */
  async function readFrames(file: DicomFile, options: LayerOptions): Promise<Kept> {
    return file.placement?.hasFrameGeometry === true ? readGeometry(file, options) : undefined;
  }

  async function readGeometry(file: DicomFile, { signal }: LayerOptions): Promise<Kept> {
    const key = String(file.index);
    const known = cache.get(key);
    if (known !== undefined) return known.geometry;
    const input = { source: file.source, frameCount: file.frameCount };
    const geometry = await tasks
      .run(readFrameGeometryTask, input, {
        timeoutMs: READ_TIMEOUT_MS,
        shareKey: `geometry ${file.index}`,
        memory: readMemoryOf(file),
        ...(signal !== undefined && { signal }),
      })
      // An image that is gone or broken cannot be drawn on, but the others can.
      .then(planesOf, ignoreRefusal);
    cache.set(key, { geometry }, geometry === undefined ? 0 : bytesOfGeometry(geometry));
    return geometry;
  }

  return {
    findGeometry: readGeometry,
    async listPlanes(images, options) {
      const listed: DicomFile[] = [];
      let frames = 0;
      for (const file of images) {
        if (file.placement?.slide !== undefined || frames + file.frameCount > MOST_PLANES) continue;
        frames += file.frameCount;
        listed.push(file);
      }
      const limit = createTimeLimit(READING_MS, clock);
      let unread = 0;
      const places = await mapInLanes(listed, async (file) => {
        const known = findKnownPlace(file);
        if (known !== undefined) return known;
        const read = await limit.wait(async () => ({ geometry: await readFrames(file, options) }));
        if (read === undefined) unread += 1;
        return read?.geometry;
      });
      const placed: PlacedFrame[] = [];
      await doInTurns(placeFrames(listed, places, placed));
      const leftOut = images.filter(({ placement }) => placement?.slide === undefined).length - listed.length;
      return { placed, warnings: [...warnOfLeftOut(leftOut), ...warnOfUnread(unread)], isFinal: unread === 0 };
    },
    async findPlane({ file, frame }, options) {
      const known = findKnownPlace(file);
      if (known !== undefined || file.frameOfReferenceUid === undefined) return known;
      const geometry = await readFrames(file, options);
      const plane = geometry && planeAt(geometry, frame);
      return plane && { plane, frameOfReferenceUid: file.frameOfReferenceUid };
    },
  };
}

function* placeFrames(
  files: readonly DicomFile[],
  places: readonly (KnownPlace | FrameGeometry | undefined)[],
  placed: PlacedFrame[],
): WorkInTurns<void> {
  for (const [at, file] of files.entries()) {
    const place = places[at];
    if (place === undefined) continue;
    for (let frame = 0; frame < ('plane' in place ? 1 : file.frameCount); frame += 1) {
      const plane = 'plane' in place ? place.plane : planeAt(place, frame);
      if (plane !== undefined) placed.push({ file, frame, plane });
      yield;
    }
  }
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

function planesOf({ ranks: _ranks, traits: _traits, ...planes }: RankedGeometry): FrameGeometry {
  return planes;
}
