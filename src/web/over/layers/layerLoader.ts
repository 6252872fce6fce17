import type { PacketKind } from '../../../shared/contract/layers.ts';
import { fetchPacket } from '../../kit/api/layers.ts';
import { createLoader, type Loader } from '../../kit/loading/createLoader.ts';
import { keyOfTarget, type PictureUnder } from '../../show/pictures/layerTarget.ts';
import type { CombinedDoses } from '../../kit/state/layers.ts';
import { definePart } from '../../kit/state/page.ts';
import type { LayerPacket, LayerPainter } from './layerPainter.ts';
import { LAYER_PAINTERS } from './layerPainters.ts';

/** The layer of a file over a frame or a plane. */
export type LayerWish = {
  readonly layer: number;
  readonly kind: PacketKind;
  readonly target: PictureUnder;
  /** The part that is wanted alone; undefined for all. */
  readonly part?: number | undefined;
  readonly combined?: CombinedDoses | undefined;
  /** Of its description: after a decision of the user, the layer lies elsewhere. */
  readonly version?: number;
};

/** Loads packets of all kinds: first those of the images on the screen, then a few around them. */
export type LayerLoader = Loader<LayerWish, LoadedPacket>;

export type LoadedPacket = { readonly kind: PacketKind; readonly packet: LayerPacket; readonly bytes: number };

export type LayerLoaderOptions = {
  readonly painters: { readonly [Kind in PacketKind]: Pick<LayerPainter, 'noun' | 'decode' | 'bytesOf'> };
  /** Default: from the server. */
  readonly fetch?: typeof fetchPacket;
  readonly budgetBytes: number;
};

const BUDGET_BYTES = 96 * 1024 * 1024;
const MOST_AT_ONCE = 3;

export const layerLoaderOf = definePart((page) => {
  const loader = createLayerLoader({ painters: LAYER_PAINTERS, budgetBytes: BUDGET_BYTES });
  page.onRestartFirst(() => loader.clear());
  return loader;
});

export function createLayerLoader({ painters, fetch = fetchPacket, budgetBytes }: LayerLoaderOptions): LayerLoader {
  return createLoader({
    keyOf({ layer, target, part, combined, version = 0 }) {
      const values = combined === undefined ? (part ?? '') : `+${combined.plus.join()}-${combined.minus.join()}`;
      return `${layer}/${version}/${values}/${keyOfTarget(target)}`;
    },
    async load({ layer, kind, target, part, combined }, options) {
      const { [kind]: painter } = painters;
      const packet = painter.decode(await fetch({ layer, part, combined }, target, options));
      const bytes = painter.bytesOf(packet);
      if (bytes > budgetBytes) throw new Error(`the ${painter.noun}s of this image are too large for the page`);
      return { kind, packet, bytes };
    },
    bytesOf: ({ bytes }) => bytes,
    budgetBytes,
    pace: {
      admits: (_, { flights }) => flights.filter(({ beganAsPrefetch }) => !beganAsPrefetch).length < MOST_AT_ONCE,
      admitsPrefetch: ({ flights }) => flights.length === 0,
      // Packets of images passed while scrolling finish loading; then those of the image on screen are loaded.
      keepsUnwanted: () => true,
    },
  });
}
