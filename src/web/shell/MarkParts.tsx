import { usePage } from '../kit/state/page.ts';
import { ChunkBoundary } from './ChunkBoundary.tsx';
import { chunkComponentsOf } from './chunkComponents.ts';
import styles from './Toolbar.module.css';

/** The classes take the room that is left, and scroll where it is not enough. */
export function Classes({ isNarrow }: { readonly isNarrow: boolean }) {
  const { ClassBar } = chunkComponentsOf(usePage());
  return (
    <div className={styles.classes} data-narrow={isNarrow}>
      <ChunkBoundary>
        <ClassBar />
      </ChunkBoundary>
    </div>
  );
}

export function SaveButton() {
  const { SaveMarks } = chunkComponentsOf(usePage());
  return (
    <ChunkBoundary>
      <SaveMarks />
    </ChunkBoundary>
  );
}
