import { ViewerError } from '../../shared/contract/errors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { type FrameGeometry, planeAt } from '../geometry/frameGeometry.ts';
import { readMemoryOf } from '../pixels/decodeCost.ts';
import { readFrameGeometryTask } from '../series/frameGeometry.ts';
import { doInTurns, type WorkInTurns } from '../workers/doInTurns.ts';
import type { TaskRunner } from '../workers/task.ts';
import { findKnownPlace, type KnownPlace } from './knownPlace.ts';
import type { LayerOptions, LayerTarget } from './layerProvider.ts';

/** A frame (from 0) whose position is known. */
export type PlacedFrame = { readonly file: DicomFile; readonly frame: number; readonly plane: KnownPlace['plane'] };

export type ListedPlanes = {
  readonly placed: readonly PlacedFrame[];
  /** Number of files beyond the bound. */
  readonly leftOut: number;
};

/** Where images lie, for layers that find their targets by position. */
export interface ImagePlanes {
  /** The planes of all frames of these images, up to `MOST_PLANES`. */
  listPlanes(images: readonly DicomFile[], options: LayerOptions): Promise<ListedPlanes>;
  /** The plane of a target; undefined if it does not declare one. */
  findPlane(target: LayerTarget, options: LayerOptions): Promise<KnownPlace | undefined>;
}

const READ_TIMEOUT_MS = 60_000;
/** More planes than a frame of reference really has. Images beyond are left out, so that their lists stay bounded. */
export const MOST_PLANES = 2 ** 18;

export function createImagePlanes(tasks: TaskRunner): ImagePlanes {
  /** Where the frames of an image with more than one plane lie; undefined if it does not say so. */
  async function readGeometry(file: DicomFile, { signal }: LayerOptions): Promise<FrameGeometry | undefined> {
    if (!file.placement?.hasFrameGeometry) return undefined;
    const input = { source: file.source, frameCount: file.frameCount };
    return tasks.run(readFrameGeometryTask, input, {
      timeoutMs: READ_TIMEOUT_MS,
      shareKey: `geometry ${file.index}`,
      memory: readMemoryOf(file),
      ...(signal !== undefined && { signal }),
    });
  }

  return {
    async listPlanes(images, options) {
      const placed: PlacedFrame[] = [];
      let leftOut = 0;
      for (const file of images) {
        if (file.placement?.slide !== undefined) continue;
        if (placed.length + file.frameCount > MOST_PLANES) {
          leftOut += 1;
          continue;
        }
        const known = findKnownPlace(file);
        if (known !== undefined) {
          placed.push({ file, frame: 0, plane: known.plane });
          continue;
        }
        // An image that is gone cannot be drawn on, but the others can.
        const geometry = await readGeometry(file, options).catch(ignoreRefusal);
        if (geometry !== undefined) await doInTurns(placeFrames(file, geometry, placed));
      }
      return { placed, leftOut };
    },
    async findPlane({ file, frame }, options) {
      const known = findKnownPlace(file);
      if (known !== undefined || file.frameOfReferenceUid === undefined) return known;
      const geometry = await readGeometry(file, options).catch(ignoreRefusal);
      const plane = geometry && planeAt(geometry, frame);
      return plane && { plane, frameOfReferenceUid: file.frameOfReferenceUid };
    },
  };
}

function* placeFrames(file: DicomFile, geometry: FrameGeometry, placed: PlacedFrame[]): WorkInTurns<void> {
  for (let frame = 0; frame < file.frameCount; frame += 1) {
    const plane = planeAt(geometry, frame);
    if (plane !== undefined) placed.push({ file, frame, plane });
    yield;
  }
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ViewerError)) throw error;
}
