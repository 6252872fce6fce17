import { paletteColor } from '../../shared/segmentColor.ts';
import type { Page } from '../state/page.ts';
import type { LayerLook } from './layerPainter.ts';
import { isFieldDescription } from './field/describeField.ts';
import { fieldLooksOf, paintOf } from './field/fieldLook.ts';
import type { KnownLayer } from './layerClient.ts';
import { styleOf, stylesOf } from './partStyles.ts';

/** Returns the appearance of the parts of a layer; the same object until one of them is changed. */
export function createLayerLooks(page: Page): (description: KnownLayer) => LayerLook {
  const store = stylesOf(page);
  let { styles } = store.getState();
  let fieldLooks = fieldLooksOf(page).getState();
  let looks = new Map<KnownLayer, LayerLook>();
  return (description) => {
    const current = store.getState().styles;
    if (current !== styles) [styles, looks] = [current, new Map()];
    const currentFields = fieldLooksOf(page).getState();
    if (currentFields !== fieldLooks) [fieldLooks, looks] = [currentFields, new Map()];
    const known = looks.get(description);
    if (known !== undefined) return known;
    const colors = new Map(description.parts.map(({ number, color }) => [number, color] as const));
    const look: LayerLook = {
      colorOf: (part) =>
        styleOf(page, description.fileIndex, part).color ?? colors.get(part) ?? paletteColor(Math.max(1, part)),
      styleOf: (part) => styleOf(page, description.fileIndex, part),
      field: isFieldDescription(description) ? paintOf(page, description) : undefined,
    };
    looks.set(description, look);
    return look;
  };
}
