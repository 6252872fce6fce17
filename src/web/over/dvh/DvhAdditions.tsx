import { X } from 'lucide-react';
import { useId, useState } from 'react';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { DvhChoice } from '../../kit/state/dvh.ts';
import { nameLayer } from '../layers/describeLayers.ts';
import styles from './DvhPanel.module.css';
import { type DvhColumn, parseColumns } from './dvhTable.ts';

type AddedProps = {
  readonly choice: DvhChoice;
  readonly doses: readonly FileRecord[];
  readonly onChange: (plus: readonly number[]) => void;
};

/** Doses that are added to the chosen one, such as those of the other beams of a plan. */
export function AddedDoses({ choice, doses, onChange }: AddedProps) {
  const first = doses.find(({ index }) => index === choice.dose);
  const others = doses.filter(
    ({ index, frame_of_reference_uid: uid }) =>
      index !== choice.dose && uid !== null && uid === first?.frame_of_reference_uid,
  );
  const free = others.filter(({ index }) => !choice.plus.includes(index));
  if (others.length === 0) return null;
  return (
    <>
      {others
        .filter(({ index }) => choice.plus.includes(index))
        .map((file) => (
          <span key={file.index} className={styles.added}>
            + {nameLayer(file, doses)}
            <button
              type="button"
              aria-label={`Leave out ${nameLayer(file, doses)}`}
              onClick={() => onChange(choice.plus.filter((one) => one !== file.index))}
            >
              <X size={12} aria-hidden="true" />
            </button>
          </span>
        ))}
      {free.length > 0 && (
        <label>
          <span>Plus</span>
          <select
            value=""
            onChange={({ target }) =>
              onChange([
                ...choice.plus,
                ...(target.value === 'all' ? free.map(({ index }) => index) : [Number(target.value)]),
              ])
            }
          >
            <option value="">no other dose</option>
            {free.length > 1 && <option value="all">all {free.length} other doses</option>}
            {free.map((file) => (
              <option key={file.index} value={file.index}>
                {nameLayer(file, doses)}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

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
