import { useSyncExternalStore } from 'react';
import { imaging } from '../viewport/imaging.ts';

/** How much of the memory that the page may take for images it has taken. */
export function CacheFigure() {
  const held = useSyncExternalStore(followFrames, () => toMebibytes(imaging.loader.heldBytes()));
  return (
    <span title="Images that this page keeps in memory">
      Cache {held} of {toMebibytes(imaging.loader.budgetBytes)} MB
    </span>
  );
}

function followFrames(listener: () => void): () => void {
  return imaging.loader.onOutcome(listener);
}

function toMebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
