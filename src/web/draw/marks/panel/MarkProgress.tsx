import { useMemo } from 'react';
import { useLibrary } from '../../../kit/state/library.ts';
import { usePage } from '../../../kit/state/page.ts';
import { usePanels } from '../../../kit/state/panels.ts';
import { useLabels } from '../shapes/labels.ts';
import { countMarked, describeMarked, openNextUnlabelled } from '../shapes/stackMarks.ts';
import { useMarks } from '../sync/marks.ts';
import styles from './MarkPanel.module.css';

/** How many stacks are marked, and the way to the next one that is not. */
export function MarkProgress() {
  const page = usePage();
  const marks = useMarks((state) => state.marks);
  const others = useMarks((state) => state.others);
  const scheme = useLabels(({ stored }) => stored?.scheme);
  const stacks = useLibrary((library) => library.stackOfFile);
  const isComplete = useLibrary((library) => library.isSeriesComplete);
  const order = usePanels((panels) => panels.explorerOrder);
  const progress = useMemo(
    () => (isComplete ? countMarked(page) : undefined),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- what the count is made from
    [page, marks, others, scheme, stacks, isComplete, order],
  );
  if (progress === undefined || progress.all === 0) return null;
  return (
    <div className={styles.progress}>
      <span>{describeMarked(progress)}</span>
      <button type="button" data-key="Shift+PgDn" onClick={() => openNextUnlabelled(page)}>
        Next unlabelled
      </button>
    </div>
  );
}
