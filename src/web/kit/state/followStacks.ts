import { cellsOf, updateCell } from './cells.ts';
import { findFile, findStack, type LibraryState, libraryOf, stackOf } from './library.ts';
import type { Page } from './page.ts';
import { findPosition } from './stacks.ts';

/** Keeps each cell on its image when its stack grows, is re-sorted, or absorbs a file that was a stack of its own. */
export function followStacks(page: Page, before: LibraryState): void {
  const { stacks, stackOfFile } = libraryOf(page).getState();
  if (stacks === before.stacks) return;
  for (const [cell, { pictureId, position }] of cellsOf(page).getState().cells.entries()) {
    if (pictureId === undefined) continue;
    const known = before.stacks.get(pictureId);
    const current = stacks.get(pictureId);
    if (current !== undefined && current === known) continue;
    const shown = (known ?? findStack(page, pictureId))?.frames[position];
    const file = findFile(page, shown?.fileIndex);
    if (shown === undefined || file === undefined) continue;
    const stays = current !== undefined && findPosition(current, shown.fileIndex, shown.frame) !== undefined;
    const home = stays ? current : (stackOfFile.get(shown.fileIndex) ?? stackOf(page, file));
    const found = findPosition(home, shown.fileIndex, shown.frame) ?? 0;
    if (home.id !== pictureId || found !== position) updateCell(page, cell, { pictureId: home.id, position: found });
  }
}
