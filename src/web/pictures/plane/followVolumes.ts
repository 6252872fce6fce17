import { pixelToPatient } from '../../../shared/geometry.ts';
import { cellsOf, updateCell } from '../../state/cells.ts';
import { libraryOf, stackOf } from '../../state/library.ts';
import type { Page } from '../../state/page.ts';
import type { ViewStack } from '../../state/stacks.ts';
import { isVolume, reloadVolume, type StackVolume, volumesOf } from '../../state/volumes.ts';
import { findPositionAt } from '../findPositionAt.ts';
import { gridAt, cutVolume } from './cutVolume.ts';
import { parsePlaneId } from './planeId.ts';
import { openPlane } from './planeSource.ts';

/** Keeps planes in place while the stacks of their volumes grow, as long as the page lives. */
export function followVolumes(page: Page): void {
  /** The stack for which each volume was described. */
  const described = new WeakMap<StackVolume, ViewStack>();

  const look = () => {
    const { files } = libraryOf(page).getState();
    for (const answer of volumesOf(page).getState().answers.values()) {
      const file = isVolume(answer) ? files[answer.address.fileIndex] : undefined;
      if (file === undefined || !isVolume(answer)) continue;
      const stack = stackOf(page, file);
      const before = described.get(answer);
      if (before === undefined) described.set(answer, stack);
      else if (before.frames.length !== stack.frames.length) void reloadVolume(page, answer.address);
    }
  };
  libraryOf(page).subscribe(look);
  volumesOf(page).subscribe((state, before) => {
    for (const [key, answer] of state.answers) {
      const earlier = before.answers.get(key);
      if (isVolume(answer) && isVolume(earlier) && answer !== earlier) {
        movePlanes(page, { before: earlier, volume: answer });
      }
    }
    look();
  });
  look();
}

/** New slices may come before the others, so a position counts other planes. */
type Growth = { readonly before: StackVolume; readonly volume: StackVolume };

function movePlanes(page: Page, { before, volume }: Growth): void {
  for (const [cell, { pictureId, position }] of cellsOf(page).getState().cells.entries()) {
    const named = parsePlaneId(pictureId);
    if (pictureId === undefined || named?.address.fileIndex !== volume.address.fileIndex) continue;
    if (named.address.frame !== volume.address.frame) continue;
    const point = pixelToPatient(gridAt(cutVolume(before, named.spec), position), { row: 0, column: 0 });
    const source = openPlane(page, pictureId);
    const next = source && findPositionAt(source, point, position);
    if (next !== undefined && next !== position) updateCell(page, cell, { position: next });
  }
}
