import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { decodeTimeoutMs } from '../../../images/pixels/decodeCost.ts';
import { explainTaskError } from '../../../images/pixels/explainTaskError.ts';
import type { KeptWork } from '../../../images/pixels/keptWork.ts';
import type { TaskPriority, TaskRunner } from '../../../machine/workers/task.ts';
import type { PlacedLayer } from '../layerProvider.ts';
import { type MaskFrame, type MasksInput, type PackedMaskLayers, packMasksTask } from './segmentationTasks.ts';

/** The frames of a segmentation that lie over one picture. */
export type FramesOver = Pick<MasksInput, 'meaning' | 'rows' | 'columns'> & {
  readonly file: DicomFile;
  /** Names the packet in the cache. */
  readonly key: string;
  readonly frames: readonly number[];
  readonly describeFrame: (frame: number) => Omit<MaskFrame, 'frame'>;
  readonly memory: { readonly bytes: number; readonly mostLayerBytes: number };
};

/** Draws masks over a picture and encodes them together, once for all callers that want them. */
export type MaskPacker = (over: FramesOver) => PlacedLayer;

export function createMaskPacker({
  tasks,
  packets,
}: {
  readonly tasks: TaskRunner;
  readonly packets: KeptWork<PackedMaskLayers>;
}): MaskPacker {
  return ({ file, key, frames, describeFrame, memory, meaning, rows, columns }) => {
    const pack = (priority: TaskPriority, signal: AbortSignal) => {
      const input = {
        file: file.source,
        meaning,
        rows,
        columns,
        mostLayerBytes: memory.mostLayerBytes,
        frames: frames.map((frame) => ({ frame, ...describeFrame(frame) })),
      };
      const of = { timeoutMs: decodeTimeoutMs(file), bytes: memory.bytes };
      const options = { of, priority, signal, key };
      return tasks.run(packMasksTask, input, options).catch((error: unknown) => {
        throw explainTaskError(error, frames[0] ?? 0);
      });
    };
    return {
      async packet(wanted) {
        const { priority = 'interactive' } = wanted;
        const { value, cached } = await packets.get(key, wanted, (signal) => pack(priority, signal));
        return { ...value, cached };
      },
    };
  };
}
