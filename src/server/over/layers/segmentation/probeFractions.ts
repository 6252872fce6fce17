import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { ImageFiles } from '../../../images/pixels/imageFiles.ts';
import { readFrame } from '../../../images/pixels/readFrame.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { FractionProbe, ProbedFractions } from './segmentationTasks.ts';

const MOST_FRAMES = 256;
const MOST_SAMPLES = 32_000_000;

/**
 * Implements `probeFractionsTask`: a mask if no sample above 1 is found, in as many frames as are worth decoding. In an
 * object that really stores fractions, one of the first samples of the first segment shows it. In a damaged frame only
 * the rows that are as stored count, because the decoder made up the others.
 */
export async function probeFractions(
  images: ImageFiles,
  { file, frameCount }: FractionProbe,
  context: TaskContext,
): Promise<ProbedFractions> {
  let samplesSeen = 0;
  let hasOne = false;
  let damagedFrames = 0;
  for (let frame = 0; frame < Math.min(frameCount, MOST_FRAMES) && samplesSeen < MOST_SAMPLES; frame += 1) {
    context.throwIfCancelled();
    const { samples, isDamaged } = await readIntact(images, file, frame);
    if (isDamaged) damagedFrames++;
    for (let i = 0; i < samples.length; i++) {
      if (samples[i]! > 1) return { isMask: false, damagedFrames: 0 };
      if (samples[i] === 1) hasOne = true;
    }
    samplesSeen += samples.length;
  }
  return { isMask: hasOne, damagedFrames };
}

async function readIntact(images: ImageFiles, file: FractionProbe['file'], frame: number) {
  try {
    const { samples, damage, columns, samplesPerPixel } = await readFrame(images, { file, frame });
    if (damage === undefined) return { samples, isDamaged: false };
    return { samples: samples.subarray(0, damage.intactRows * columns * samplesPerPixel), isDamaged: true };
  } catch (error) {
    if (error instanceof ViewerError) return { samples: new Uint8Array(), isDamaged: true };
    throw error;
  }
}
