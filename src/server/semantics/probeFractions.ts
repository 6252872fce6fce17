import { ViewerError } from '../../shared/contract/errors.ts';
import type { ImageFiles } from '../pixels/imageFiles.ts';
import { readFrame } from '../pixels/readFrame.ts';
import type { TaskContext } from '../workers/serveTasks.ts';
import type { FractionProbe } from './semanticTasks.ts';

const MOST_FRAMES = 256;
const MOST_SAMPLES = 32_000_000;

/**
 * What stands behind `probeFractionsTask`: true where no sample above 1 is found, in as many frames as are worth
 * decoding. In an object that really stores fractions one of the first samples of the first segment tells.
 */
export async function probeFractions(
  images: ImageFiles,
  { file, frameCount }: FractionProbe,
  context: TaskContext,
): Promise<boolean> {
  let samplesSeen = 0;
  let hasOne = false;
  for (let frame = 0; frame < Math.min(frameCount, MOST_FRAMES) && samplesSeen < MOST_SAMPLES; frame += 1) {
    context.throwIfCancelled();
    const samples = await tryReadSamples(images, file, frame);
    if (samples === undefined) continue;
    for (let i = 0; i < samples.length; i++) {
      if (samples[i]! > 1) return false;
      if (samples[i] === 1) hasOne = true;
    }
    samplesSeen += samples.length;
  }
  return hasOne;
}

async function tryReadSamples(images: ImageFiles, file: FractionProbe['file'], frame: number) {
  try {
    return (await readFrame(images, { file, frame })).samples;
  } catch (error) {
    if (error instanceof ViewerError) return undefined;
    throw error;
  }
}
