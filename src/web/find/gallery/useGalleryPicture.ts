import { useCallback, useSyncExternalStore } from 'react';
import type { Outcome } from '../../kit/loading/createLoader.ts';
import { usePage } from '../../kit/state/page.ts';
import { type GalleryPicture, galleryPicturesOf, type GalleryWish } from './galleryPictures.ts';

/** What has become of the pictures of a tile, as soon as it is known. Somebody else wants them. */
export function useGalleryPictures(wishes: readonly GalleryWish[]): readonly (Outcome<GalleryPicture> | undefined)[] {
  const loader = galleryPicturesOf(usePage());
  const keys = wishes.map((wish) => JSON.stringify(wish));
  const joined = keys.join('\n');
  const subscribe = useCallback(
    (notify: () => void) => {
      const own = new Set(joined.split('\n'));
      return loader.onOutcome((key) => {
        if (own.has(key)) notify();
      });
    },
    [loader, joined],
  );
  // Outcomes are the same objects until they change, so that their states tell whether there are others.
  const getState = () => wishes.map((wish) => nameOutcome(loader.find(wish))).join('\n');
  useSyncExternalStore(subscribe, getState);
  return wishes.map((wish) => loader.find(wish));
}

function nameOutcome(outcome: Outcome<GalleryPicture> | undefined): string {
  if (outcome === undefined) return '';
  return outcome.status === 'ready' ? outcome.value.url : outcome.error.message;
}
