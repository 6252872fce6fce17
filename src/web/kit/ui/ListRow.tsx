import { Trash2 } from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';
import styles from './ListPanel.module.css';
import { ToolButton } from './ToolButton.tsx';

type Props = {
  readonly isSelected: boolean;
  /** Present: several rows can be chosen, and this is or is not one of them. */
  readonly isChosen?: boolean | undefined;
  /** Identifies the button of the row, for keys that move between rows. */
  readonly row?: string | undefined;
  /** From 1; not all rows of the list need be drawn. */
  readonly place: number;
  readonly total: number;
  readonly onJump: (event: MouseEvent) => void;
  readonly deleteLabel: string;
  readonly onDelete: () => void;
  /** Buttons before that which deletes. */
  readonly actions?: ReactNode;
  /** Shown below the row. */
  readonly details?: ReactNode;
  readonly children: ReactNode;
};

/** A row for one of the marks that a panel lists. A click jumps to the mark. */
export function ListRow({
  isSelected,
  isChosen,
  row,
  place,
  total,
  onJump,
  deleteLabel,
  onDelete,
  actions,
  details,
  children,
}: Props) {
  return (
    <li
      className={styles.row}
      data-selected={isSelected || isChosen === true}
      aria-posinset={place}
      aria-setsize={total}
    >
      <div className={styles.line}>
        <button
          type="button"
          className={styles.jump}
          aria-current={isSelected}
          {...(isChosen === undefined ? {} : { 'aria-pressed': isChosen })}
          data-row={row}
          onClick={onJump}
        >
          {children}
        </button>
        {actions}
        <ToolButton label={deleteLabel} onClick={onDelete}>
          <Trash2 size={15} aria-hidden="true" />
        </ToolButton>
      </div>
      {details}
    </li>
  );
}
