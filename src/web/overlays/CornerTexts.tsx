import { useMemo } from 'react';
import { cellsStore } from '../state/cells.ts';
import { fileInfoStore } from '../state/fileInfo.ts';
import { libraryStore } from '../state/library.ts';
import { useTools } from '../state/tools.ts';
import { probesStore, viewportsStore } from '../state/viewports.ts';
import { LiveText } from '../ui/LiveText.tsx';
import { readingsStore } from '../values/reading.ts';
import { detailsStore } from '../viewport/frameDetails.ts';
import {
  bottomLeftText,
  bottomRightText,
  describeWindow,
  placeText,
  qualityText,
  topLeftText,
  topRightText,
} from './cornerTexts.ts';
import styles from './CornerTexts.module.css';

const STORES = [cellsStore, libraryStore, fileInfoStore, detailsStore, readingsStore];
const POINTER_STORES = [...STORES, probesStore];

/** What the image is and how it is shown, in its corners. */
export function CornerTexts({ cell }: { readonly cell: number }) {
  const overlayText = useTools((state) => state.overlayText);
  const texts = useMemo(
    () => ({
      topLeft: () => topLeftText(cell),
      topRight: () => topRightText(cell),
      bottomLeft: () => bottomLeftText(cell),
      bottomRight: () => bottomRightText(cell),
      window: () => describeWindow(cell),
      place: () => placeText(cell),
      quality: () => qualityText(cell),
    }),
    [cell],
  );
  const all = overlayText === 'all';
  return (
    <div className={styles.corners}>
      {all && <LiveText className={styles.topLeft} stores={STORES} atOnce={viewportsStore} text={texts.topLeft} />}
      {all && <LiveText className={styles.topRight} stores={STORES} atOnce={viewportsStore} text={texts.topRight} />}
      {overlayText !== 'none' && (
        <LiveText
          className={styles.bottomLeft}
          stores={POINTER_STORES}
          atOnce={viewportsStore}
          text={all ? texts.bottomLeft : texts.window}
        />
      )}
      <div className={styles.bottomRight}>
        <LiveText className={styles.badge} stores={STORES} atOnce={viewportsStore} text={texts.quality} />
        {overlayText !== 'none' && (
          <LiveText
            className={styles.text}
            stores={STORES}
            atOnce={viewportsStore}
            text={all ? texts.bottomRight : texts.place}
          />
        )}
      </div>
    </div>
  );
}
