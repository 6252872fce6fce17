import type { FileAnswer } from '../../kit/state/useAnswer.ts';
import { FailureMessage } from '../../kit/ui/PanelMessage.tsx';
import styles from './DocumentCell.module.css';

/** What a view shows while it has no answer: that it is loading, or why it failed. */
export function AnswerStatus({ answer: { error, retry } }: { readonly answer: FileAnswer<unknown> }) {
  if (error === undefined) return <p className={styles.quiet}>Loading…</p>;
  return <FailureMessage error={error} onRetry={retry} />;
}
