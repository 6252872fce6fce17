import { cellsOfLayout, useCells } from '../state/cells.ts';
import { ViewportCell } from './ViewportCell.tsx';
import styles from './Grid.module.css';

export function Grid() {
  const layout = useCells((state) => state.layout);
  return (
    <main className={styles.grid}>
      {cellsOfLayout(layout).map((cell) => (
        <div key={cell} className={styles.cell}>
          <ViewportCell cell={cell} />
        </div>
      ))}
    </main>
  );
}
