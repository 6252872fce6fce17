import type { WireDocumentLink } from '../../../shared/contract/documents.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import { scrollTo } from '../../show/pictures/scroll.ts';
import { visibleCells } from '../../show/pictures/shownFrame.ts';
import { activateCell, cellsOf, openInCell, setLayout, updateCell } from '../../kit/state/cells.ts';
import { setLayerShown } from '../../kit/state/layers.ts';
import { findFile, stackOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { findPosition } from '../../kit/state/stacks.ts';

/** What a link of a document leads to. */
export type OpenPlace = {
  readonly fileIndex: number;
  /** Counts from 0. */
  readonly frame: number | undefined;
  /** The layer to show over the frame. */
  readonly layer?: number | undefined;
  /** The place in another document. */
  readonly item?: string | undefined;
};

export function placeOfLink({ matches: [match], place }: WireDocumentLink): OpenPlace | undefined {
  if (match === undefined || place === null) return undefined;
  return {
    fileIndex: match.file_index,
    frame: place.frame_index ?? undefined,
    layer: place.layer ?? undefined,
    item: place.item ?? undefined,
  };
}

/**
 * Shows what a document in `cell` links to, beside the document: in a cell that already shows it, else in the next one.
 * A single cell is split in two, unless the page is too narrow.
 */
export function openPlace(page: Page, cell: number, { fileIndex, frame, layer, item }: OpenPlace): void {
  const file = findFile(page, fileIndex);
  if (file === undefined) return;
  const stack = stackOf(page, file);
  const others = visibleCells(page).filter((one) => one !== cell);
  const position = findPosition(stack, fileIndex, frame ?? 0);
  const showing = others.find(
    (one) => pictureOf(page, one)?.positionOf({ fileIndex, frame: frame ?? 0 }) !== undefined,
  );
  const target = showing ?? chooseCell(page, cell, others);
  const at = showing === undefined ? undefined : pictureOf(page, showing)?.positionOf({ fileIndex, frame: frame ?? 0 });
  if (at === undefined) openInCell(page, target, stack.id, position ?? 0);
  else scrollTo(page, target, at);
  if (item !== undefined) updateCell(page, target, { item });
  if (layer !== undefined) setLayerShown(page, target, layer, true);
  activateCell(page, target);
}

function chooseCell(page: Page, cell: number, others: readonly number[]): number {
  const { layout, maximisedCell } = cellsOf(page).getState();
  const [next] = others.toSorted((a, b) => Number(a < cell) - Number(b < cell) || a - b);
  if (next !== undefined) return next;
  if (matchMedia('(max-width: 799px)').matches || maximisedCell !== undefined) return cell;
  if (layout.rows * layout.columns > 1) return cell;
  setLayout(page, { rows: 1, columns: 2 });
  return 1;
}
