import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { TABLE_LEVELS } from '../../../shared/tableLevel.ts';
import { closeCohort } from '../../kit/state/cohortPlace.ts';
import { usePage } from '../../kit/state/page.ts';
import { SegmentedChoice } from '../../kit/ui/SegmentedChoice.tsx';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import { COHORT_MODES, type CohortMode, LEVEL_TITLES } from './cohortQuery.ts';
import styles from './CohortView.module.css';
import { changeLevel, changeQuery, useQuery } from './query.ts';

const MODE_TITLES: Readonly<Record<CohortMode, string>> = { table: 'Table', gallery: 'Gallery' };

type Props = Readonly<Record<CohortMode, ReactNode>>;

/** All files, series or studies at once, over the cells: as a table, or as pictures. */
export function CohortView(bodies: Props) {
  const page = usePage();
  const mode = useQuery((query) => query.mode);
  const level = useQuery((query) => query.level);
  const view = useRef<HTMLElement>(null);

  // What is below cannot have the focus.
  useEffect(() => {
    if (view.current?.contains(document.activeElement) === false) view.current.focus();
  }, []);
  return (
    <section ref={view} className={styles.view} aria-label={MODE_TITLES[mode]} tabIndex={-1}>
      <div className={styles.bar}>
        <ToolButton label="Back to the images" keyHint="Esc" onClick={() => closeCohort(page)}>
          <X size={17} aria-hidden="true" />
        </ToolButton>
        <SegmentedChoice
          label="Show as"
          value={mode}
          choices={COHORT_MODES.map((one) => [one, MODE_TITLES[one]])}
          onChange={(next) => changeQuery(page, { mode: next })}
        />
        <SegmentedChoice
          label="Rows"
          value={level}
          choices={TABLE_LEVELS.map((one) => [one, LEVEL_TITLES[one]])}
          onChange={(next) => changeLevel(page, next)}
        />
      </div>
      <div className={styles.body}>{bodies[mode]}</div>
    </section>
  );
}
