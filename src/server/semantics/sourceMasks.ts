import { ViewerError } from '../../shared/contract/errors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { decodeTimeoutMs } from '../pixels/decodeCost.ts';
import { explainTaskError } from '../pixels/explainTaskError.ts';
import { checkFrame } from '../pixels/frames.ts';
import { createKeptWork, type Wanted } from '../pixels/keptWork.ts';
import type { TaskRunner } from '../workers/task.ts';
import { findFramesOver } from './frameMappings.ts';
import { planeAt } from './planeColumns.ts';
import { findMeaning, segmentOf, UNKNOWN_TYPE } from './segmentationContext.ts';
import { type Segmentations, stateOf } from './segmentations.ts';
import { packMasksTask } from './semanticTasks.ts';

export type PackedMasks = {
  /** As `encodeMasks` writes them. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly cached: boolean;
};

/** One frame (from 0) of a source image. */
export type SourcePlace = { readonly file: DicomFile; readonly frame: number };

/** The masks of all segments over a source frame, in one piece. */
export type SourceMasks = (segmentation: DicomFile, source: SourcePlace, wanted: Wanted) => Promise<PackedMasks>;

const CACHE_BYTES = 64 * 1024 * 1024;
const PER_FRAME_MS = 200;
const LONGEST_MS = 120_000;

export function createSourceMasks({
  tasks,
  segmentations,
}: {
  readonly tasks: TaskRunner;
  readonly segmentations: Segmentations;
}): SourceMasks {
  const kept = createKeptWork<Uint8Array<ArrayBuffer>>({ budgetBytes: CACHE_BYTES, bytesOf: ({ length }) => length });

  return async (file, source, wanted) => {
    checkFrame(source.file, source.frame);
    const { state, record, isMask, sources, mappings } = await segmentations.map(file, wanted);
    const meaning = findMeaning(record, isMask);
    if (meaning === undefined) throw new ViewerError('semantic_mapping_unavailable', UNKNOWN_TYPE);
    const { rows, columns } = source.file;
    const sourceState = await stateOf(source.file);
    const place = sources.findIndex(({ index }) => index === source.file.index);
    const frames = findFramesOver(mappings, place, source.frame);
    const key = [state, sourceState, source.frame, ...frames].join('\0');
    const { value, cached } = await kept.get(key, wanted, async (signal) => {
      const input = {
        file: { path: file.realPath, identity: file.identity },
        meaning,
        rows,
        columns,
        frames: frames.map((frame) => ({
          frame,
          segment: segmentOf(record, frame),
          plane: planeAt(record.frames.planes, frame),
          sourcePlane: planeAt(mappings.sourcePlanes, frame),
        })),
      };
      const timeoutMs = Math.min(LONGEST_MS, decodeTimeoutMs(file) + frames.length * PER_FRAME_MS);
      const { priority = 'interactive' } = wanted;
      return tasks.run(packMasksTask, input, { timeoutMs, priority, signal, key }).catch((error: unknown) => {
        throw explainTaskError(error, frames[0] ?? 0);
      });
    });
    return { bytes: value, cached };
  };
}
