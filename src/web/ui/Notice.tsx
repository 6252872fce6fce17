import type { ReactNode } from 'react';
import styles from './Notice.module.css';
import tones from './tone.module.css';

export type NoticeProps = {
  readonly tone: 'warning' | 'danger';
  /** Where several notices offer the same choices, whose these are. */
  readonly label?: string;
  /** `NoticeAction`s: what can be done about it. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** Something that the user must know. It lies over the page, beside the others that do. */
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
