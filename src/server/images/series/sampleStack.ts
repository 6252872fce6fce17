import { chooseStackWindow, type FrameSample, type StackWindow } from '../../../shared/chooseStackWindow.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { FrameOptions, Frames } from '../pixels/frames.ts';
import type { KeyFrame } from './keyFrames.ts';

export type StackSampling = {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly frames: Pick<Frames, 'percentiles'>;
};

export type SampledStack = {
  /** The images that the page takes for the window of the stack, in the same order. */
  readonly sampled: readonly KeyFrame[];
  /** Number of images in the stack. */
  readonly count: number;
  readonly suvFactor: number | undefined;
};

/** The window that the page gives to all images of a stack; undefined if they have no values. */
export async function sampleStackWindow(
  { catalog, frames }: StackSampling,
  { sampled, count, suvFactor }: SampledStack,
  options: FrameOptions,
): Promise<StackWindow | undefined> {
  const looked = await Promise.all(sampled.map((one) => sampleFrame(one, { catalog, frames }, options)));
  return chooseStackWindow({ frames: looked.filter((each) => each !== undefined), count, suvFactor });
}

/** An image that cannot be read reports the error where it is shown. */
async function sampleFrame(
  { fileIndex, frame }: KeyFrame,
  { catalog, frames }: StackSampling,
  options: FrameOptions,
): Promise<FrameSample | undefined> {
  try {
    const found = await frames.percentiles(catalog.files[fileIndex]!, frame, options);
    const { values, count, hasOwnVoi, voiLutFunction, grain } = found;
    const percentiles = [...values];
    return { count, percentiles, has_own_voi: hasOwnVoi, voi_lut_function: voiLutFunction ?? null, grain };
  } catch (error) {
    if (error instanceof ViewerError) return undefined;
    throw error;
  }
}
