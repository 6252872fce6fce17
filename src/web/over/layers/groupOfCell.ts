import { cellsOf, cellsOfLayout } from '../../kit/state/cells.ts';
import { stackOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { imageOf } from '../../show/pictures/layerTarget.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';

/** The cells that are seen together with a cell, and itself: linked ones, and the planes of one volume with its images. */
export function groupOfCell(page: Page, cell: number): readonly number[] {
  const { links, layout } = cellsOf(page).getState();
  const isLinked = Object.values(links).some(Boolean);
  const cells = cellsOfLayout(layout);
  const own = stackUnder(page, cell);
  const hasPlanes = own !== undefined && cells.some((one) => isPlane(page, one) && stackUnder(page, one) === own);
  const isIn = (other: number) => isLinked || (hasPlanes && stackUnder(page, other) === own);
  return cells.includes(cell) ? cells.filter((other) => other === cell || isIn(other)) : [cell];
}

function isPlane(page: Page, cell: number): boolean {
  return pictureOf(page, cell)?.patientPlaneOf !== undefined;
}

/** The stack of the images that a cell shows, or that its planes are made of. */
export function stackUnder(page: Page, cell: number): ViewStack | undefined {
  const picture = pictureOf(page, cell);
  const image = picture && imageOf(page, picture);
  return image && stackOf(page, image);
}
