import { cellsOf } from '../../kit/state/cells.ts';
import { libraryOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { openAllOverTarget } from '../../over/layers/openOverTarget.ts';
import { firstOpenedOf } from '../../show/pictures/followAddress.ts';

/** Shows what was named with `--overlay` over its images, once, unless a link says what to show. Returns a function that stops it. */
export function showRequested(page: Page): () => void {
  const library = libraryOf(page);
  const look = () => {
    const requested = library.getState().attachments.filter(({ isRequested }) => isRequested);
    if (requested.length === 0) return;
    stop();
    if (!firstOpenedOf(page).isNamed)
      void openAllOverTarget(
        page,
        requested.map(({ index }) => index),
        cellsOf(page).getState().activeCell,
      );
  };
  const stop = library.subscribe(look);
  look();
  return stop;
}
