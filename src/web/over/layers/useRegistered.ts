import { useStore } from 'zustand';
import { imageOf } from '../../show/pictures/layerTarget.ts';
import { usePicture } from '../../show/pictures/pictureKinds.ts';
import { usePage } from '../../kit/state/page.ts';
import { capitalize } from './describeLayers.ts';
import { descriptionsOf } from './layerDescriptions.ts';

/** How layers get over the picture of a cell by registrations; empty if they need none. */
export function useRegistered(cell: number, layers: readonly number[]): string {
  const page = usePage();
  const picture = usePicture(cell);
  const space = picture && imageOf(page, picture)?.frame_of_reference_uid;
  const descriptions = descriptionsOf(page);
  return useStore(descriptions.changes, () => {
    const words = layers.flatMap((index) => descriptions.find(index)?.registered?.get(space ?? '') ?? []);
    return capitalize([...new Set(words)].join('; '));
  });
}
