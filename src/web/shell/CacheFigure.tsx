import { useCallback, useSyncExternalStore } from 'react';
import { usePage } from '../kit/state/page.ts';
import { imagingOf } from '../show/pictures/viewport/imaging.ts';

/** The memory used for images, and its limit. */
export function CacheFigure() {
  const { loader } = imagingOf(usePage());
  const follow = useCallback((listener: () => void) => loader.onOutcome(listener), [loader]);
  const held = useSyncExternalStore(follow, () => toMebibytes(loader.heldBytes()));
  return (
    <span title="Images that this page keeps in memory">
      Cache {held} of {toMebibytes(loader.budgetBytes)} MB
    </span>
  );
}

function toMebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
