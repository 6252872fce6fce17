import type { Ref } from 'react';
import styles from './overlayGrid.module.css';

/**
 * Where everything that is written over an image has its place: a grid, so that nothing can lie over anything else. What
 * does not fit is left out, the least important lines first. Others draw into it with portals.
 */
export function OverlayGrid({ ref }: { readonly ref: Ref<HTMLDivElement> }) {
  return (
    <div className={styles.frame}>
      <div ref={ref} className={styles.grid} data-texts="" />
    </div>
  );
}
