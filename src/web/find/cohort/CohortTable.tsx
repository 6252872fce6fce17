import { useStore } from 'zustand';
import { usePage } from '../../kit/state/page.ts';
import { PanelMessage } from '../../kit/ui/PanelMessage.tsx';
import { describeNoRows } from './cohortQuery.ts';
import styles from './CohortTable.module.css';
import { TableGrid } from './TableGrid.tsx';
import { tableHeadOf } from './tableRows.ts';
import { useGrid } from './useGrid.ts';

/** The rows of the query, a line each. */
export function CohortTable() {
  const page = usePage();
  const grid = useGrid();
  const { total, isLoading, conditionError, otherError } = useStore(tableHeadOf(page));
  const isEmpty = total === 0 && !isLoading && conditionError === undefined && otherError === undefined;
  return (
    <div className={styles.table}>
      {otherError !== undefined && <PanelMessage tone="danger">{otherError}</PanelMessage>}
      <TableGrid grid={grid} />
      {isEmpty && (
        <div className={styles.nothing}>
          <PanelMessage>{describeNoRows(grid.query)}</PanelMessage>
        </div>
      )}
    </div>
  );
}
