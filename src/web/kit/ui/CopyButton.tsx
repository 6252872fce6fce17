import { useState } from 'react';
import styles from './CopyButton.module.css';

type Props = {
  readonly label: string;
  /** A function if the text is long: it is then written only when it is copied. */
  readonly text: string | (() => string);
};

export function CopyButton({ label, text }: Props) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      setOutcome('copied');
    } catch {
      setOutcome('failed');
    }
    setTimeout(() => setOutcome(undefined), 1_500);
  };
  const said = outcome === 'copied' ? 'Copied' : 'Not allowed';
  return (
    <button type="button" className={styles.copy} onClick={() => void copy()}>
      {outcome === undefined ? label : said}
    </button>
  );
}
