import { ViewerError } from '../../../shared/contract/errors.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import type { ImageFiles } from '../pixels/imageFiles.ts';
import { readFrame } from '../pixels/readFrame.ts';
import type { DecodeFramesInput, FrameTrouble } from './decodeTask.ts';

/** Decodes frames to see whether that works. Implements `decodeFramesTask`. */
export async function decodeFrames(
  images: ImageFiles,
  { source, first, count }: DecodeFramesInput,
  { throwIfCancelled }: TaskContext,
): Promise<readonly FrameTrouble[]> {
  const found: FrameTrouble[] = [];
  for (let frame = first; frame < first + count; frame += 1) {
    throwIfCancelled();
    try {
      const { damage } = await readFrame(images, { file: source, frame });
      if (damage !== undefined) found.push({ frame, problem: undefined, damage });
    } catch (error) {
      if (!(error instanceof ViewerError)) throw error;
      found.push({ frame, problem: error.message, damage: undefined });
    }
  }
  return found;
}
