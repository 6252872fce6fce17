import { cellsOf } from '../../../kit/state/cells.ts';
import { findFile } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { findVolume } from '../../../kit/state/volumes.ts';
import { pictureOf } from '../pictureKinds.ts';
import { arePlanesShown } from './threePlanes.ts';

/** Why the images of the active cell cannot be seen in planes, as far as that is known without asking the server. */
export function whyNoPlanes(page: Page): string | undefined {
  if (arePlanesShown(page)) return undefined;
  const picture = pictureOf(page, cellsOf(page).getState().activeCell);
  const frames = picture?.stack?.frames ?? [];
  const [first] = frames;
  if (first === undefined) return 'no images are shown';
  if (picture?.traits.frames === 'tiles') return 'a slide is one plane';
  if ((findFile(page, first.fileIndex)?.samples_per_pixel ?? 1) !== 1) return 'the images are in color';
  if (frames.length < 2) return 'this is a single image';
  const known = findVolume(page, first);
  return known !== undefined && 'refusal' in known ? known.refusal : undefined;
}
