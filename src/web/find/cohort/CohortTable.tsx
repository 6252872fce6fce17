import { useStore } from 'zustand';
import { usePage } from '../../kit/state/page.ts';
import { PanelMessage } from '../../kit/ui/PanelMessage.tsx';
import { LEVEL_TITLES } from './cohortQuery.ts';
import styles from './CohortTable.module.css';
import { useQuery } from './query.ts';
import { TableGrid } from './TableGrid.tsx';
import { tableHeadOf } from './tableRows.ts';
import { useGrid } from './useGrid.ts';

/** The rows of the query, a line each. */
export function CohortTable() {
  const page = usePage();
  const grid = useGrid();
  const level = useQuery((query) => query.level);
  const { total, isLoading, otherError } = useStore(tableHeadOf(page));
  return (
    <div className={styles.table}>
      {otherError !== undefined && <PanelMessage tone="danger">{otherError}</PanelMessage>}
      <TableGrid grid={grid} />
      {total === 0 && !isLoading && (
        <div className={styles.nothing}>
          <PanelMessage>
            {grid.query.where.trim() === ''
              ? `No ${LEVEL_TITLES[level].toLowerCase()}.`
              : `No ${LEVEL_TITLES[level].toLowerCase()} meet this condition.`}
          </PanelMessage>
        </div>
      )}
    </div>
  );
}
