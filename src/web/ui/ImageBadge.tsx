import type { ReactNode } from 'react';
import styles from './ImageBadge.module.css';

export type ImageBadgeProps = {
  /** Of the letter at the lower edge of the image. */
  readonly side: 'left' | 'right';
  readonly icon: ReactNode;
  readonly label: ReactNode;
  readonly tooltip?: string | undefined;
  readonly className?: string | undefined;
  /** List items, shown after a click. */
  readonly children: ReactNode;
};

/** A few words at the lower edge of an image that open a list. */
export function ImageBadge({ side, icon, label, tooltip, className = '', children }: ImageBadgeProps) {
  return (
    <details className={`${styles.place} ${styles[side]} ${className}`}>
      <summary className={styles.badge} title={tooltip}>
        {icon} {label}
      </summary>
      <ul className={styles.list}>{children}</ul>
    </details>
  );
}
