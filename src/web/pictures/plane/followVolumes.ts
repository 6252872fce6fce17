import { pixelToPatient } from '../../../shared/geometry.ts';
import { cellsOf, updateCell } from '../../state/cells.ts';
import { libraryOf } from '../../state/library.ts';
import type { Page } from '../../state/page.ts';
import { isVolume, loadVolume, type StackVolume, volumesOf } from '../../state/volumes.ts';
import { findPositionAt } from '../findPositionAt.ts';
import { gridAt, cutVolume } from './cutVolume.ts';
import { parsePlaneId } from './planeId.ts';
import { openPlane } from './planeSource.ts';

/** Keeps planes in place while the stacks of their volumes grow, as long as the page lives. */
export function followVolumes(page: Page): void {
  const look = () => {
    for (const [address, answer] of volumesOf(page).all()) if (isVolume(answer)) void loadVolume(page, address);
  };
  libraryOf(page).subscribe(look);
  let seen = listVolumes(page);
  volumesOf(page).changes.subscribe(() => {
    const earlier = seen;
    seen = listVolumes(page);
    for (const [key, volume] of seen) {
      const before = earlier.get(key);
      if (volume !== before) movePlanes(page, { before, volume });
    }
    look();
  });
  look();
}

function listVolumes(page: Page): ReadonlyMap<string, StackVolume> {
  const volumes = volumesOf(page)
    .all()
    .flatMap(([, answer]) => (isVolume(answer) ? [answer] : []));
  return new Map(volumes.map((volume) => [`${volume.address.fileIndex}/${volume.address.frame}`, volume]));
}

type Growth = { readonly before: StackVolume | undefined; readonly volume: StackVolume };

/** New slices may come before the others, so a position counts other planes. A link may name one that is not there. */
function movePlanes(page: Page, { before, volume }: Growth): void {
  for (const [cell, { pictureId, position }] of cellsOf(page).getState().cells.entries()) {
    const named = parsePlaneId(pictureId);
    if (pictureId === undefined || named?.address.fileIndex !== volume.address.fileIndex) continue;
    if (named.address.frame !== volume.address.frame) continue;
    const source = openPlane(page, pictureId);
    if (source === undefined) continue;
    const grid = before && gridAt(cutVolume(before, named.spec), position);
    const next =
      grid === undefined
        ? Math.min(position, source.positions - 1)
        : findPositionAt(source, pixelToPatient(grid, { row: 0, column: 0 }), position);
    if (next !== undefined && next !== position) updateCell(page, cell, { position: next });
  }
}
