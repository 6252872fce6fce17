import type { FileRecord } from '../../shared/contract/files.ts';
import { cellOf, cellsStore, stackOfCell, useCells } from '../state/cells.ts';
import { findFile, useLibrary } from '../state/library.ts';
import { isSlide } from '../pictures/slides.ts';

export function activeCell(): number {
  return cellsStore.getState().activeCell;
}

export function hasImage(): boolean {
  return (stackOfCell(activeCell())?.frames.length ?? 0) > 0;
}

export function hasSeveralImages(): boolean {
  return (stackOfCell(activeCell())?.frames.length ?? 0) > 1 && !isSlide(activeCell());
}

/** The file that the active cell shows: its image, or its tags if it has none. */
export function activeFile(): FileRecord | undefined {
  const stack = stackOfCell(activeCell());
  return findFile(stack?.frames[cellOf(activeCell()).position]?.fileIndex ?? stack?.fileIndex);
}

export function useActiveFile(): FileRecord | undefined {
  useCells(activeFile);
  return useLibrary(activeFile);
}
