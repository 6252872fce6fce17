import { useState } from 'react';
import styles from './CopyButton.module.css';

export function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
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
