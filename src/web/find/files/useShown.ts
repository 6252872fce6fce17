import { useShallow } from 'zustand/shallow';
import { useCells } from '../../kit/state/cells.ts';
import { findStack, stackOf, useLibrary } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { findPicture } from '../../show/pictures/pictureKinds.ts';
import { visibleCells } from '../../show/pictures/shownFrame.ts';

export type ShownFile = { readonly stackId: string; readonly fileIndex: number };

/** What the active cell shows, and what the other cells on the page show. */
export function useShown(): { readonly active: ShownFile | undefined; readonly others: readonly ShownFile[] } {
  const page = usePage();
  // As strings, so that nothing is rendered again while they stay the same.
  const keys = useCells(
    useShallow(({ cells, activeCell }) =>
      [activeCell, ...visibleCells(page).filter((cell) => cell !== activeCell)].map((cell) => {
        const { pictureId, position = 0 } = cells[cell] ?? {};
        return pictureId === undefined ? '' : `${position}/${pictureId}`;
      }),
    ),
  );
  // A stack grows and is re-sorted during the scan.
  useLibrary(({ stacks }) => stacks);
  const [active, ...others] = keys.map((one) => toShown(page, one));
  return { active, others: others.flatMap((shown) => shown ?? []) };
}

function toShown(page: Page, key: string): ShownFile | undefined {
  if (key === '') return undefined;
  const at = key.indexOf('/');
  const [position, stackId] = [Number(key.slice(0, at)), key.slice(at + 1)];
  const stack = findStack(page, stackId);
  if (stack !== undefined) return { stackId, fileIndex: stack.frames[position]?.fileIndex ?? stack.fileIndex };
  // A plane is made of the images of a stack.
  const source = findPicture(page, stackId);
  const place = source?.fileOf(position) ?? source?.headerOf?.(position);
  return place && { stackId: stackOf(page, place.file).id, fileIndex: place.file.index };
}
