import type { ReactNode } from 'react';
import styles from './PanelMessage.module.css';
import tones from './tone.module.css';

type Props = {
  /** Absent: the message only says that there is nothing to show. */
  readonly tone?: 'warning' | 'danger';
  readonly onRetry?: (() => void) | undefined;
  readonly children: ReactNode;
};

/** A message that a panel shows instead of its content, or above it. */
export function PanelMessage({ tone, onRetry, children }: Props) {
  if (tone === undefined) return <p className={styles.empty}>{children}</p>;
  return (
    <p className={`${styles.message} ${tones[tone]}`} role={tone === 'danger' ? 'alert' : undefined}>
      {children}{' '}
      {onRetry !== undefined && (
        <button type="button" className={styles.retry} onClick={onRetry}>
          Retry
        </button>
      )}
    </p>
  );
}

type FailureProps = { readonly error: string | undefined; readonly onRetry: (() => void) | undefined };

/** Why something could not be loaded; nothing if it was or may still be. */
export function FailureMessage({ error, onRetry }: FailureProps) {
  if (error === undefined) return undefined;
  return (
    <PanelMessage tone="danger" onRetry={onRetry}>
      {error}
    </PanelMessage>
  );
}
