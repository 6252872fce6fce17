import type { SourceMasks } from '../../../shared/maskLayers.ts';
import type { FrameAddress, FrameRequestOptions } from '../../api/frames.ts';
import { createLoader, type Loader } from '../../loading/createLoader.ts';

/** A segmentation over a frame. */
export type MaskWish = FrameAddress & { readonly segmentation: number };

/** Loads masks: first those of the images on the screen, then a few around them. */
export type MaskLoader = Loader<MaskWish, SourceMasks>;

export type MaskLoaderOptions = {
  readonly fetchMasks: (
    segmentation: number,
    address: FrameAddress,
    options: FrameRequestOptions,
  ) => Promise<SourceMasks>;
  readonly budgetBytes: number;
};

const MOST_AT_ONCE = 3;

export function createMaskLoader({ fetchMasks, budgetBytes }: MaskLoaderOptions): MaskLoader {
  return createLoader({
    keyOf: ({ segmentation, fileIndex, frame }) => `${segmentation}/${fileIndex}/${frame}`,
    async load({ segmentation, fileIndex, frame }, options) {
      const masks = await fetchMasks(segmentation, { fileIndex, frame }, options);
      if (bytesOf(masks) > budgetBytes) throw new Error('the masks of this image are too large for the page');
      return masks;
    },
    bytesOf,
    budgetBytes,
    pace: {
      admits: (_, { flights }) => flights.filter(({ beganAsPrefetch }) => !beganAsPrefetch).length < MOST_AT_ONCE,
      admitsPrefetch: ({ flights }) => flights.length === 0,
      // Masks of images passed while scrolling finish loading; then those of the image on screen are loaded.
      keepsUnwanted: () => true,
    },
  });
}

const LAYER_BYTES = 200;

function bytesOf({ layers }: SourceMasks): number {
  return layers.reduce((sum, { samples }) => sum + samples.byteLength + LAYER_BYTES, 0);
}
