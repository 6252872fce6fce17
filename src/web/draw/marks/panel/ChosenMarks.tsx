import { Eye, EyeOff, Lock, LockOpen, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { usePage } from '../../../kit/state/page.ts';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import styles from './ChosenMarks.module.css';
import { ExchangeButtons } from './ExchangeButtons.tsx';
import { setMarksHidden } from '../shapes/hiddenMarks.ts';
import { classesOf, useLabels } from '../shapes/labels.ts';
import { removeMarks } from '../removeMarks.ts';
import { changeMarkWords } from '../shapes/measurements.ts';
import { isRoi } from '../sync/markForm.ts';
import { marksOf, useMarks } from '../sync/marks.ts';

const NONE = 'none';

/** Changes several marks at once, in one step of undo. */
export function ChosenMarks() {
  const page = usePage();
  const chosen = useMarks((state) => state.chosen);
  const classes = useLabels(classesOf);
  const [label, setLabel] = useState('');
  if (chosen.size < 2) return null;
  const hide = (isHidden: boolean) => {
    const { marks } = marksOf(page).getState();
    const listed = [...chosen].flatMap((uid) => {
      const mark = marks.get(uid);
      return mark === undefined ? [] : { uid, words: isRoi(mark) ? undefined : mark };
    });
    setMarksHidden(page, listed, isHidden);
  };
  return (
    <fieldset className={styles.chosen} aria-label="Chosen marks">
      <span className={styles.count}>{chosen.size} chosen</span>
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
      <ToolButton label="Hide the chosen marks" onClick={() => hide(true)}>
        <EyeOff size={15} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Draw the chosen marks" onClick={() => hide(false)}>
        <Eye size={15} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Lock the chosen marks" onClick={() => changeMarkWords(page, chosen, { locked: true })}>
        <Lock size={15} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Unlock the chosen marks" onClick={() => changeMarkWords(page, chosen, { locked: false })}>
        <LockOpen size={15} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Delete the chosen marks" onClick={() => removeMarks(page, chosen)}>
        <Trash2 size={15} aria-hidden="true" />
      </ToolButton>
      <ExchangeButtons />
    </fieldset>
  );
}
