import { cellsOf, cellsOfLayout } from '../../../kit/state/cells.ts';
import type { Page } from '../../../kit/state/page.ts';
import { isPreview } from '../frameLoader.ts';
import { pictureOf } from '../pictureKinds.ts';
import { imagingOf } from './imaging.ts';
import { sceneOf } from './sceneOf.ts';

/**
 * Requests the first picture as soon as it is known, while the page is still being built, so that its viewport finds it
 * already loading. Pictures that begin with a small one are left to the viewport, which knows the size.
 */
export function hastenFirstFrame(page: Page): void {
  const stop = cellsOf(page).subscribe(({ layout }) => {
    for (const cell of cellsOfLayout(layout)) {
      const scene = sceneOf(page, cell, pictureOf(page, cell));
      if (scene === undefined) continue;
      const { source, position, choice } = scene;
      const { loader } = imagingOf(page);
      const wishes = source.wishes(position, {
        choice,
        restingChoice: choice,
        loader,
        isPassing: false,
        expected: 'raw',
        // It is not described yet.
        state: undefined,
        previewSize: () => 0,
      });
      if (wishes.length === 0) continue;
      stop();
      if (!wishes.some(isPreview)) loader.want(String(cell), { now: wishes, soon: [] });
      return;
    }
  });
}
