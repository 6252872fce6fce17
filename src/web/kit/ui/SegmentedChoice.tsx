import styles from './SegmentedChoice.module.css';
import { ToolButton } from './ToolButton.tsx';

type Props<Key> = {
  readonly label: string;
  readonly value: Key;
  readonly choices: readonly (readonly [key: Key, text: string])[];
  readonly onChange: (key: Key) => void;
};

/** One of a few choices that are all in view. */
export function SegmentedChoice<Key extends string>({ label, value, choices, onChange }: Props<Key>) {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is for fields
    <div className={styles.choices} role="group" aria-label={label}>
      {choices.map(([key, text]) => (
        <ToolButton
          key={key}
          label={text}
          isOn={key === value}
          className={styles.choice ?? ''}
          data-tooltip={undefined}
          onClick={() => onChange(key)}
        >
          {text}
        </ToolButton>
      ))}
    </div>
  );
}
