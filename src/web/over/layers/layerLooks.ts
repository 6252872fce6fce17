import { paletteColor } from '../../../shared/segmentColor.ts';
import { findLayer } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import type { LayerLook } from '../../../shared/partStyle.ts';
import type { KnownLayer } from './layerClient.ts';
import { findClient } from './layerClients.ts';
import { styleOf, stylesOf } from './partStyles.ts';

/** Returns the appearance of the parts of a layer; the same object until one of them is changed. */
export function createLayerLooks(page: Page): (description: KnownLayer) => LayerLook {
  const store = stylesOf(page);
  let { styles } = store.getState();
  let looks = new Map<KnownLayer, LayerLook>();
  return (description) => {
    const current = store.getState().styles;
    if (current !== styles) [styles, looks] = [current, new Map()];
    const file = findLayer(page, description.fileIndex);
    const ofClient = file && findClient(file)?.looks?.lookOf(page, description);
    const known = looks.get(description);
    if (known !== undefined && known.ofClient === ofClient) return known;
    const colors = new Map(description.parts.map(({ number, color }) => [number, color] as const));
    const look: LayerLook = {
      colorOf: (part) =>
        styleOf(page, description.fileIndex, part).color ?? colors.get(part) ?? paletteColor(Math.max(1, part)),
      styleOf: (part) => styleOf(page, description.fileIndex, part),
      ofClient,
    };
    looks.set(description, look);
    return look;
  };
}
