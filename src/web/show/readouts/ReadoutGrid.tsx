import type { Ref } from 'react';
import styles from './readoutGrid.module.css';

/**
 * The grid for everything written over an image, so that nothing can overlap. What does not fit is omitted, the least
 * important lines first. Other components render into it with portals.
 */
export function ReadoutGrid({ ref }: { readonly ref: Ref<HTMLDivElement> }) {
  return (
    <div className={styles.frame}>
      <div ref={ref} className={styles.grid} data-texts="" />
    </div>
  );
}
