import { useEffect } from 'react';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { coversFrame, type RoiMark } from '../rois/roi.ts';
import { useCells } from '../../../kit/state/cells.ts';
import { usePage } from '../../../kit/state/page.ts';
import { useReport } from '../../../show/pictures/viewports.ts';
import { describeMeasurement } from '../shapes/describeMeasurement.ts';
import { findMeasuredFrame, findScale } from '../shapes/measuredFrame.ts';
import { NO_WORDS } from '../shapes/measurement.ts';
import { setMeasuredRoi, useDrawing } from '../shapes/measurements.ts';
import styles from './MarkEditor.module.css';

type Props = { readonly file: FileRecord; readonly roi: RoiMark };

/** Statistics of the selected ROI on the frame on screen, measured as a rectangle. */
export function RoiStatistics({ file, roi }: Props) {
  const page = usePage();
  const cell = useCells((state) => state.activeCell);
  const frame = useReport(cell, () => {
    const shown = findMeasuredFrame(page, cell);
    const isOn = shown?.file.index === file.index && (shown.isWhole === true || coversFrame(roi, shown.frame));
    return isOn ? shown.frame : undefined;
  });
  const [ymin, xmin, ymax, xmax] = roi.box;
  useEffect(() => {
    if (frame === undefined) return undefined;
    const points = [
      { x: xmin, y: ymin },
      { x: xmax, y: ymax },
    ];
    const shown = findMeasuredFrame(page, cell);
    setMeasuredRoi(page, {
      uid: 'roi',
      kind: 'box',
      fileIndex: file.index,
      frame,
      place: { type: shown?.isWhole === true ? 'slide' : 'frame' },
      points,
      words: NO_WORDS,
      scale: shown && findScale(shown),
      values: undefined,
    });
    return () => setMeasuredRoi(page, undefined);
  }, [page, cell, file, frame, ymin, xmin, ymax, xmax]);
  const measured = useDrawing((state) => state.roi);
  if (measured === undefined) return null;
  return (
    <output className={styles.statistics} aria-label="Values in the ROI">
      {describeMeasurement(measured).join('\n')}
    </output>
  );
}
