import { traitsOf } from '../../../../shared/markTraits.ts';
import { useState } from 'react';
import { usePage } from '../../../kit/state/page.ts';
import { classesOf, useLabels } from '../shapes/labels.ts';
import { type MarkWords, type Measurement, NO_WORDS } from '../shapes/measurement.ts';
import { keepMeasurement } from '../shapes/measurements.ts';
import styles from './MarkEditor.module.css';

/** Fields for what users say of the selected mark. */
export function MarkEditor({ item }: { readonly item: Measurement }) {
  const page = usePage();
  const words = item.words ?? NO_WORDS;
  return (
    <WordFields
      words={words}
      hasText={traitsOf(item.kind).hasText === true}
      onChange={(changed) => keepMeasurement(page, { ...item, words: { ...words, ...changed } })}
    />
  );
}

type WordProps = {
  readonly words: MarkWords;
  /** Only an arrow has one. */
  readonly hasText?: boolean;
  readonly onChange: (changed: Partial<MarkWords>) => void;
};

export function WordFields({ words, hasText, onChange: change }: WordProps) {
  const classes = useLabels(classesOf);
  const isUnknown = words.class !== null && !classes.some(({ key }) => key === words.class);
  return (
    <div className={styles.editor}>
      <TextField label="Label" value={words.label} isLocked={words.locked} onChange={(label) => change({ label })} />
      {hasText === true && (
        <TextField label="Text" value={words.text} isLocked={words.locked} onChange={(text) => change({ text })} />
      )}
      <label className={styles.field}>
        Class
        <select
          value={words.class ?? ''}
          disabled={words.locked}
          onChange={({ target }) => change({ class: target.value === '' ? null : target.value })}
        >
          <option value="">None</option>
          {isUnknown && <option value={words.class ?? ''}>{words.class} (not in the scheme)</option>}
          {classes.map(({ key, title }) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <TextField
        label="Comment"
        value={words.comment}
        isLocked={words.locked}
        onChange={(comment) => change({ comment })}
      />
      <label className={styles.check}>
        <input type="checkbox" checked={words.locked} onChange={({ target }) => change({ locked: target.checked })} />
        Locked
      </label>
    </div>
  );
}

type TextProps = {
  readonly label: string;
  readonly value: string;
  readonly isLocked: boolean;
  readonly onChange: (text: string) => void;
};

/** What is typed counts on Enter and when the field loses the focus, so that one change is one step of undo. */
function TextField({ label, value, isLocked, onChange }: TextProps) {
  const [typed, setTyped] = useState<string>();
  const commit = () => {
    setTyped(undefined);
    if (typed !== undefined && typed !== value) onChange(typed);
  };
  return (
    <label className={styles.field}>
      {label}
      <input
        value={typed ?? value}
        maxLength={label === 'Label' ? 256 : 4_000}
        disabled={isLocked}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={commit}
        onKeyDown={({ key }) => {
          if (key === 'Enter') commit();
        }}
      />
    </label>
  );
}
