import { TriangleAlert } from 'lucide-react';
import { stackOfCell, useCells } from '../state/cells.ts';
import { useLibrary } from '../state/library.ts';
import styles from './WarningsBadge.module.css';

/** What is odd about the stack, such as missing slices. Its texts open on a click. */
export function WarningsBadge({ cell }: { readonly cell: number }) {
  useCells(({ cells }) => cells[cell]?.stackId);
  const warnings = useLibrary(() => stackOfCell(cell)?.warnings);
  if (warnings === undefined || warnings.length === 0) return null;
  const label = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
  return (
    <details className={styles.warnings}>
      <summary className={styles.badge} title={warnings.map(({ message }) => message).join('\n')}>
        <TriangleAlert size={14} aria-hidden="true" /> {label}
      </summary>
      <ul className={styles.list}>
        {warnings.map(({ code, message }) => (
          <li key={code + message}>{message}</li>
        ))}
      </ul>
    </details>
  );
}
