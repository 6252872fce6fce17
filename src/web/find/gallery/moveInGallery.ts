import type { GalleryLayout } from './galleryLayout.ts';

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>;

/** Which line a key leads to; undefined for a key that does not move. Up and down stay in the same column where they can. */
export function moveInGallery(
  line: number,
  { key, ctrlKey, metaKey }: Press,
  layout: GalleryLayout,
  bounds: { readonly lines: number; readonly pageRows: number },
): number | undefined {
  const last = bounds.lines - 1;
  const isFar = ctrlKey || metaKey;
  const clamp = (to: number) => Math.max(0, Math.min(last, to));
  const row = layout.rowOfLine(line);
  const ofRow = layout.rowAt(row);
  switch (key) {
    case 'ArrowLeft':
      return clamp(line - 1);
    case 'ArrowRight':
      return clamp(line + 1);
    case 'ArrowUp':
      return isFar ? 0 : inRow(layout, row - 1, columnOf(line, ofRow));
    case 'ArrowDown':
      return isFar ? last : inRow(layout, row + 1, columnOf(line, ofRow));
    case 'PageUp':
      return inRow(layout, row - bounds.pageRows, columnOf(line, ofRow));
    case 'PageDown':
      return inRow(layout, row + bounds.pageRows, columnOf(line, ofRow));
    case 'Home':
      return isFar ? 0 : ofRow.line;
    case 'End':
      return isFar ? last : ofRow.line + (ofRow.kind === 'tiles' ? ofRow.count - 1 : 0);
    default:
      return undefined;
  }
}

function columnOf(line: number, row: ReturnType<GalleryLayout['rowAt']>): number {
  return row.kind === 'tiles' ? line - row.line : 0;
}

function inRow(layout: GalleryLayout, row: number, column: number): number {
  const there = layout.rowAt(Math.max(0, Math.min(layout.rows - 1, row)));
  return there.kind === 'tiles' ? there.line + Math.min(column, there.count - 1) : there.line;
}
