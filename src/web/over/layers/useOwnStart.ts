import { useEffect } from 'react';
import { scrollTo } from '../../show/pictures/scroll.ts';
import { cellOf, stackOfCell, useCells } from '../../kit/state/cells.ts';
import { usePage } from '../../kit/state/page.ts';
import { findPosition } from '../../kit/state/stacks.ts';
import { findClient } from './layerClients.ts';
import { useOwnLayer } from './stackLayers.ts';

/** An object with a layer, shown by itself, starts at its first frame that is not empty, unless the user has scrolled. */
export function useOwnStart(cell: number): void {
  const page = usePage();
  const file = useOwnLayer(cell);
  const isAtStart = useCells(({ cells }) => cells[cell]?.isAtStart === true);
  useEffect(() => {
    if (file === undefined || !isAtStart) return undefined;
    let isWanted = true;
    const go = async () => {
      const frames = await findClient(file)?.listFilledFrames?.(page, file.index);
      const stack = stackOfCell(page, cell);
      // Only if the user has not scrolled since; the stack may have been sorted in the meantime.
      if (!isWanted || frames === undefined || stack === undefined || !cellOf(page, cell).isAtStart) return;
      // The stack may run opposite to the frames.
      const positions = frames.flatMap((frame) => findPosition(stack, file.index, frame) ?? []);
      if (positions.length > 0) scrollTo(page, cell, Math.min(...positions));
    };
    void go();
    return () => {
      isWanted = false;
    };
  }, [page, cell, file, isAtStart]);
}
