import { cellsOfLayout, cellsOf } from '../../state/cells.ts';
import { findFile } from '../../state/library.ts';
import type { Page } from '../../state/page.ts';
import { listForms, shapeOf } from '../stack/frameForms.ts';
import { isPreview } from '../frameLoader.ts';
import { imagingOf } from './imaging.ts';
import { sceneOf } from './sceneOf.ts';

/**
 * Requests the first frame as soon as it is known, while the page is still being built, so that its viewport finds it
 * already loading. Frames that begin with a small picture are left to the viewport, which knows the size.
 */
export function hastenFirstFrame(page: Page): void {
  const stop = cellsOf(page).subscribe(({ layout }) => {
    for (const cell of cellsOfLayout(layout)) {
      const scene = sceneOf(page, cell);
      const address = scene?.stack.frames[scene.position];
      const file = address && findFile(page, address.fileIndex);
      if (scene === undefined || address === undefined || file === undefined) continue;
      stop();
      const { choice } = scene;
      const { loader } = imagingOf(page);
      const forms = listForms(address, shapeOf(file), {
        choice,
        loader,
        expected: 'raw',
        preview: () => ({ size: 0, choice }),
      });
      if (!forms.some(isPreview)) loader.want(String(cell), { now: forms, soon: [] });
      return;
    }
  });
}
