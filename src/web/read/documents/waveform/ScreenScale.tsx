import { useState } from 'react';
import { setPanels, usePanels } from '../../../kit/state/panels.ts';
import { usePage } from '../../../kit/state/page.ts';
import documentStyles from '../DocumentCell.module.css';
import styles from './WaveformView.module.css';

/** Width of a bank card, ISO/IEC 7810 ID-1. */
const CARD_MM = 85.6;

/** Finds out how large a millimetre is on this screen: the user makes a drawn card as wide as a real one. */
export function ScreenScale({ onClose }: { readonly onClose: () => void }) {
  const page = usePage();
  const known = usePanels((panels) => panels.screenPxPerMm);
  // A CSS pixel is meant to be a 96th of an inch.
  const [widthPx, setWidth] = useState(Math.round((known > 0 ? known : 96 / 25.4) * CARD_MM));
  const use = (screenPxPerMm: number) => {
    setPanels(page, { screenPxPerMm });
    onClose();
  };
  return (
    <section className={styles.scale} aria-label="Screen scale">
      <p className={documentStyles.quiet}>
        Hold a bank card to the screen and make the drawn one as wide. Papers then have true millimetres on this screen.
      </p>
      <div className={styles.card} style={{ width: widthPx }} />
      <label>
        Width of the card{' '}
        <input
          type="range"
          min={150}
          max={900}
          value={widthPx}
          onChange={({ target }) => setWidth(Number(target.value))}
        />{' '}
        {(widthPx / CARD_MM).toFixed(2)} pixels in a millimetre
      </label>
      <div className={styles.bar}>
        <button type="button" className={documentStyles.button} onClick={() => use(widthPx / CARD_MM)}>
          Use this scale
        </button>
        {known > 0 && (
          <button type="button" className={documentStyles.button} onClick={() => use(0)}>
            Forget the scale
          </button>
        )}
        <button type="button" className={documentStyles.button} onClick={onClose}>
          Cancel
        </button>
      </div>
    </section>
  );
}
