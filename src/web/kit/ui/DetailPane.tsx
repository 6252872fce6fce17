import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './DetailPane.module.css';
import { ToolButton } from './ToolButton.tsx';

type Props = {
  readonly label: string;
  readonly title: string;
  /** Beside the title. */
  readonly detail: string;
  /** Paths and UIDs, each on a line of its own. */
  readonly lines: readonly string[];
  /** Buttons. */
  readonly actions: ReactNode;
  readonly onClose: () => void;
  readonly children?: ReactNode;
};

/** Details of the selected row of a tree, shown below the tree. */
export function DetailPane({ label, title, detail, lines, actions, onClose, children }: Props) {
  return (
    <section className={styles.pane} aria-label={label}>
      <div className={styles.head}>
        <span className={styles.title}>
          {title} <span className={styles.detail}>{detail}</span>
        </span>
        <ToolButton label="Close" onClick={onClose}>
          <X size={14} aria-hidden="true" />
        </ToolButton>
      </div>
      {lines.map((line) => (
        <p key={line} className={styles.line}>
          {line}
        </p>
      ))}
      {children}
      <div className={styles.actions}>{actions}</div>
    </section>
  );
}
