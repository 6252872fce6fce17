import { type KeyboardEvent, useState } from 'react';
import styles from './MarkEditor.module.css';

type Props = {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
};

/** Field for an integer. Typed text is committed on Enter or blur; arrow keys apply at once (by 10 with Shift). */
export function NumberField({ label, value, min, max, onChange }: Props) {
  const [typed, setTyped] = useState<string>();

  const commit = () => {
    setTyped(undefined);
    const number = Number(typed);
    if (typed === undefined || typed.trim() === '' || !Number.isFinite(number)) return;
    onChange(Math.min(Math.max(Math.round(number), min), max));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') commit();
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setTyped(undefined);
    onChange(Math.min(Math.max(value + step * (event.shiftKey ? 10 : 1), min), max));
  };
  return (
    <label className={styles.number}>
      {label}
      <input
        inputMode="numeric"
        value={typed ?? value}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}
