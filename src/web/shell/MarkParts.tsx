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

export function AssistantButton({ name }: { readonly name: string | undefined }) {
  const { AssistantMenu } = chunkComponentsOf(usePage());
  return (
    <ChunkBoundary>
      <AssistantMenu name={name} />
    </ChunkBoundary>
  );
}

export function AssistantChoices({ onChosen }: { readonly onChosen: () => void }) {
  const { AssistantLines } = chunkComponentsOf(usePage());
  return (
    <ChunkBoundary>
      <AssistantLines onChosen={onChosen} />
    </ChunkBoundary>
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
