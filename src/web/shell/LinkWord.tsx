import styles from './Toolbar.module.css';

/** Before switches whose names do not fit. */
export function LinkWord({ isNeeded }: { readonly isNeeded: boolean }) {
  return isNeeded && <span className={styles.word}>Link</span>;
}
