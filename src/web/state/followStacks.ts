import { cellsStore, updateCell } from './cells.ts';
import { findFile, findStack, type LibraryState, libraryStore, stackOf } from './library.ts';
import { findPosition } from './stacks.ts';

/** Keeps each cell on its image when its stack grows, is re-sorted, or absorbs a file that was a stack of its own. */
export function followStacks(before: LibraryState): void {
  const { stacks, stackOfFile } = libraryStore.getState();
  if (stacks === before.stacks) return;
  for (const [cell, { stackId, position }] of cellsStore.getState().cells.entries()) {
    if (stackId === undefined) continue;
    const known = before.stacks.get(stackId);
    const current = stacks.get(stackId);
    if (current !== undefined && current === known) continue;
    const shown = (known ?? findStack(stackId))?.frames[position];
    const file = findFile(shown?.fileIndex);
    if (shown === undefined || file === undefined) continue;
    const stays = current !== undefined && findPosition(current, shown.fileIndex, shown.frame) !== undefined;
    const home = stays ? current : (stackOfFile.get(shown.fileIndex) ?? stackOf(file));
    const found = findPosition(home, shown.fileIndex, shown.frame) ?? 0;
    if (home.id !== stackId || found !== position) updateCell(cell, { stackId: home.id, position: found });
  }
}
