import type { Overlay } from '../../shared/contract/semantics.ts';
import { showFrame } from '../state/shownFrame.ts';
import styles from './ContextPanel.module.css';

/** Whether the object can be drawn over the images that it came from, why, and the way to them. */
export function OverlayFact({ overlay }: { readonly overlay: Overlay }) {
  const { eligible, reason, source_file_index } = overlay;
  return (
    <>
      {eligible ? 'yes' : 'no'}: {reason}{' '}
      {source_file_index !== null && (
        <button type="button" className={styles.link} onClick={() => showFrame(source_file_index, 0)}>
          Open the source
        </button>
      )}
    </>
  );
}
