import { useEffect } from 'react';
import { type Change, changeHere, changeUnitsOf, deciderOf, goOnIfComplete } from '../../find/review/decide.ts';
import { reviewOf } from '../../find/review/review.ts';
import { sayOutcome } from '../../kit/state/messages.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import type { PictureSource } from '../../show/pictures/pictureSource.ts';
import { formatCount } from '../../show/series/describeFile.ts';
import { lightboxOf } from './lightbox.ts';

/** While the lightbox is open, verdicts on files are for the selected pictures, or else for that of the keys. */
export function useVerdictsOfPictures(picture: PictureSource): void {
  const page = usePage();
  useEffect(() => {
    const decide = (change: Change, title: string) => decideOn(page, picture, { change, title });
    Object.assign(deciderOf(page), { decide });
    return () => {
      if (deciderOf(page).decide === decide) Object.assign(deciderOf(page), { decide: undefined });
    };
  }, [page, picture]);
}

type Decided = { readonly change: Change; readonly title: string };

function decideOn(page: Page, picture: PictureSource, { change, title }: Decided): void {
  if (reviewOf(page).getState().head?.level !== 'file') {
    // All pictures are of one unit.
    if (changeHere(page, change)) goOnIfComplete(page);
    return;
  }
  const { selected, at } = lightboxOf(page).getState();
  const positions = selected.size === 0 ? [at] : [...selected];
  const files = new Set(positions.flatMap((position) => picture.fileOf(position)?.file.index ?? []));
  void sayOutcome(page, async () => {
    const count = await changeUnitsOf(page, [...files], change);
    return `Decided ${formatCount(count, 'file')}: ${title}. U takes it back.`;
  });
}
