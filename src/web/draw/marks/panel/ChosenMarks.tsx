import { Lock, LockOpen, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { usePage } from '../../../kit/state/page.ts';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import styles from './ChosenMarks.module.css';
import { classesOf, useLabels } from '../shapes/labels.ts';
import { changeMarkWords, deleteMeasurements, listChosen, useMeasurements } from '../shapes/measurements.ts';

const NONE = 'none';

/** Changes several marks at once, in one step of undo. */
export function ChosenMarks() {
  const page = usePage();
  const items = useMeasurements((state) => state.items);
  const chosenIds = useMeasurements((state) => state.chosenIds);
  const classes = useLabels(classesOf);
  const [label, setLabel] = useState('');
  const chosen = useMemo(() => listChosen({ items, chosenIds }), [items, chosenIds]);
  if (chosen.length < 2) return null;
  return (
    <fieldset className={styles.chosen} aria-label="Chosen marks">
      <span className={styles.count}>{chosen.length} chosen</span>
      <select
        aria-label="Class of the chosen marks"
        value=""
        onChange={({ target: { value } }) =>
          changeMarkWords(page, chosen, { class: value === NONE ? null : value.replace(/^class /, '') })
        }
      >
        <option value="" disabled>
          Class…
        </option>
        <option value={NONE}>None</option>
        {classes.map(({ key, title }) => (
          <option key={key} value={`class ${key}`}>
            {title}
          </option>
        ))}
      </select>
      <input
        aria-label="Label of the chosen marks"
        placeholder="Label"
        maxLength={256}
        value={label}
        onChange={({ target }) => setLabel(target.value)}
        onKeyDown={({ key }) => {
          if (key !== 'Enter') return;
          changeMarkWords(page, chosen, { label });
          setLabel('');
        }}
      />
      <ToolButton label="Lock the chosen marks" onClick={() => changeMarkWords(page, chosen, { locked: true })}>
        <Lock size={15} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Unlock the chosen marks" onClick={() => changeMarkWords(page, chosen, { locked: false })}>
        <LockOpen size={15} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Delete the chosen marks" onClick={() => deleteMeasurements(page, chosenIds)}>
        <Trash2 size={15} aria-hidden="true" />
      </ToolButton>
    </fieldset>
  );
}
