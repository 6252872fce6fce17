import { useId, useState } from 'react';
import styles from './DvhPanel.module.css';
import { type DvhColumn, parseColumns } from './dvhTable.ts';

type ColumnProps = {
  readonly referenceGy: number | undefined;
  readonly onAdd: (columns: readonly DvhColumn[]) => void;
};

/** Adds columns for doses of any volume and volumes of any dose. */
export function AddColumn({ referenceGy, onAdd }: ColumnProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const id = useId();
  return (
    <form
      className={styles.addColumn}
      onSubmit={(event) => {
        event.preventDefault();
        const columns = parseColumns(text, referenceGy);
        if ('problem' in columns) {
          setProblem(columns.problem);
          return;
        }
        onAdd(columns);
        setText('');
        setProblem(undefined);
      }}
    >
      <input
        value={text}
        aria-label="Add points of the curves to the table"
        aria-describedby={problem === undefined ? undefined : id}
        placeholder={referenceGy === undefined ? 'D90, D1cc, V20Gy' : 'D90, D1cc, V20Gy, V95%'}
        maxLength={200}
        onChange={({ target }) => {
          setText(target.value);
          setProblem(undefined);
        }}
      />
      <button type="submit" disabled={text.trim() === ''}>
        Add
      </button>
      {problem !== undefined && (
        <span id={id} role="alert" className={styles.problem}>
          {problem}
        </span>
      )}
    </form>
  );
}
