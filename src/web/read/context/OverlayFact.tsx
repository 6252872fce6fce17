import type { Overlay } from '../../../shared/contract/semantics.ts';
import { usePage } from '../../kit/state/page.ts';
import { showFrame } from '../../show/pictures/shownFrame.ts';
import styles from './ContextPanel.module.css';

/** Says whether the object can be drawn over its source images and why, with a button that opens them. */
export function OverlayFact({ overlay }: { readonly overlay: Overlay }) {
  const page = usePage();
  const { eligible, reason, source_file_index } = overlay;
  return (
    <>
      {eligible ? 'yes' : 'no'}: {reason}{' '}
      {source_file_index !== null && (
        <button type="button" className={styles.link} onClick={() => showFrame(page, source_file_index, 0)}>
          Open source image
        </button>
      )}
    </>
  );
}
