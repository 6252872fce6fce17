import type { ReactNode } from 'react';
import styles from './Notice.module.css';
import tones from './tone.module.css';

export type NoticeProps = {
  readonly tone: 'warning' | 'danger';
  /** Names the notice if several notices offer the same actions. */
  readonly label?: string;
  /** `NoticeAction`s that the user can choose from. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** An important message. It is shown over the page, beside the other notices. */
export function Notice({ tone, label, actions, children }: NoticeProps) {
  return (
    <section className={`${styles.notice} ${tones[tone]}`} aria-label={label}>
      <p className={styles.text} role="alert">
        {children}
      </p>
      {actions}
    </section>
  );
}

export function NoticeAction({ title, onChoose }: { readonly title: string; readonly onChoose: () => void }) {
  return (
    <button type="button" onClick={onChoose}>
      {title}
    </button>
  );
}
