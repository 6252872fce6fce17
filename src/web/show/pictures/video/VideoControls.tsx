import { cellOf, updateCell } from '../../../kit/state/cells.ts';
import { usePage } from '../../../kit/state/page.ts';
import { refusePicture } from '../refusals.ts';
import { VIDEO } from './videoMessages.ts';
import styles from './VideoControls.module.css';

/** Leads to the player, which has sound and plays at any speed. */
export function VideoControls({ cell }: { readonly cell: number }) {
  const page = usePage();
  const open = () => {
    const { pictureId, position } = cellOf(page, cell);
    if (pictureId === undefined) return;
    updateCell(page, cell, { item: position === 0 ? undefined : String(position + 1) });
    refusePicture(page, VIDEO, pictureId);
  };
  return (
    <button
      type="button"
      className={styles.button}
      title="Play with sound, save the stream, and read about it"
      onClick={open}
    >
      Player
    </button>
  );
}
