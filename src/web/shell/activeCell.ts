import type { FileRecord } from '../../shared/contract/files.ts';
import { cellOf, cellsOf, stackOfCell, useCells } from '../state/cells.ts';
import { findFile, useLibrary } from '../state/library.ts';
import { type Page, usePage } from '../state/page.ts';
import { isSlide } from '../pictures/slides.ts';

export function activeCell(page: Page): number {
  return cellsOf(page).getState().activeCell;
}

export function hasImage(page: Page): boolean {
  return (stackOfCell(page, activeCell(page))?.frames.length ?? 0) > 0;
}

export function hasSeveralImages(page: Page): boolean {
  return (stackOfCell(page, activeCell(page))?.frames.length ?? 0) > 1 && !isSlide(page, activeCell(page));
}

/** The file that the active cell shows: its image, or its tags if it has none. */
export function activeFile(page: Page): FileRecord | undefined {
  const stack = stackOfCell(page, activeCell(page));
  return findFile(page, stack?.frames[cellOf(page, activeCell(page)).position]?.fileIndex ?? stack?.fileIndex);
}

export function useActiveFile(): FileRecord | undefined {
  const page = usePage();
  useCells(() => activeFile(page));
  return useLibrary(() => activeFile(page));
}
