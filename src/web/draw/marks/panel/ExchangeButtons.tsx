import { usePage } from '../../../kit/state/page.ts';
import { listChosenBoxes, listChosenRois, turnIntoBoxes, turnIntoRois } from '../exchangeRois.ts';
import { useMarks } from '../sync/marks.ts';
import styles from './MarkEditor.module.css';

/** Makes boxes of the chosen ROIs, which can then have a class, and ROIs of the chosen boxes. */
export function ExchangeButtons() {
  const page = usePage();
  const rois = useMarks(() => listChosenRois(page).length);
  const boxes = useMarks(() => listChosenBoxes(page).length);
  if (rois + boxes === 0) return null;
  return (
    <div className={styles.exchange}>
      {rois > 0 && (
        <button type="button" onClick={() => turnIntoBoxes(page)}>
          Turn into {rois === 1 ? 'a box' : 'boxes'}
        </button>
      )}
      {boxes > 0 && (
        <button type="button" onClick={() => turnIntoRois(page)}>
          Turn into {boxes === 1 ? 'a ROI' : 'ROIs'} (CSV)
        </button>
      )}
    </div>
  );
}
