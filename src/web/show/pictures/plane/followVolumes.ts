import { pixelToPatient } from '../../../../shared/geometry.ts';
import { cellsOf, updateCell } from '../../../kit/state/cells.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { countStackFrames, isVolume, reloadVolume, type StackVolume, volumesOf } from '../../../kit/state/volumes.ts';
import { findPositionAt } from '../findPositionAt.ts';
import { gridAt, cutVolume } from './cutVolume.ts';
import { parsePlaneId } from './planeId.ts';
import { openPlane } from './planeSource.ts';

/** Keeps planes in place while the stacks of their volumes grow, as long as the page lives. */
export function followVolumes(page: Page): void {
  const look = () => {
    for (const answer of volumesOf(page).getState().answers.values()) {
      if (isVolume(answer) && answer.frameCount !== countStackFrames(page, answer.address)) {
        void reloadVolume(page, answer.address);
      }
    }
  };
  libraryOf(page).subscribe(look);
  volumesOf(page).subscribe((state, before) => {
    for (const [key, answer] of state.answers) {
      const earlier = before.answers.get(key);
      if (isVolume(answer) && answer !== earlier) {
        movePlanes(page, { before: isVolume(earlier) ? earlier : undefined, volume: answer });
      }
    }
    look();
  });
  look();
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
