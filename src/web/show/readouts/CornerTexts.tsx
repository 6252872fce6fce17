import { useMemo } from 'react';
import { cellsOf } from '../../kit/state/cells.ts';
import { crosshairOf } from '../../kit/state/crosshair.ts';
import { fileInfoOf } from '../../kit/state/fileInfo.ts';
import { layerProbesOf } from '../../kit/state/layers.ts';
import { libraryOf } from '../../kit/state/library.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { useIsWindowTyped } from '../../kit/state/windowEntry.ts';
import { useTools } from '../../kit/state/tools.ts';
import { probesOf, viewportsOf, watchReport } from '../pictures/viewports.ts';
import { LiveText } from '../../kit/ui/LiveText.tsx';
import { readingsOf } from '../values/reading.ts';
import { detailsOf } from '../pictures/frameDetails.ts';
import {
  crosshairText,
  dimensionText,
  distinctionText,
  layerProbeText,
  modalityText,
  patientIdText,
  patientText,
  placeText,
  positionText,
  probeText,
  qualityText,
  seriesText,
  studyText,
  techniqueText,
  timeText,
  windowText,
  zoomText,
} from './cornerTexts.ts';
import styles from './readoutGrid.module.css';
import { WindowText } from './WindowText.tsx';

/** The stores that the texts depend on, with and without the value under the pointer. */
const storesOf = definePart((page) => {
  const known = [libraryOf(page), fileInfoOf(page).changes, detailsOf(page), readingsOf(page)];
  const all = [cellsOf(page), crosshairOf(page), ...known];
  return { all, withPointer: [...all, probesOf(page), layerProbesOf(page)] };
});

type Line = {
  readonly text: (page: Page, cell: number) => string;
  /** Omitted in tiny cells. */
  readonly isMinor?: boolean;
  /** Also shown in the mode with few texts. */
  readonly isMinimal?: boolean;
  /** Wrapped instead of cut, however narrow the cell is. */
  readonly isWhole?: boolean;
  readonly followsPointer?: boolean;
  /** Depends on what the other cells show. */
  readonly followsCells?: boolean;
  /** The values of layers under the pointer, if there are any. */
  readonly followsLayers?: boolean;
  /** The window text; a click opens the fields to type another window. */
  readonly isWindow?: boolean;
};

/** From the edge of the cell inwards: the first lines are omitted last. */
const CORNERS: Readonly<Record<'topLeft' | 'topRight' | 'bottomLeft' | 'bottomRight', readonly Line[]>> = {
  topLeft: [
    { text: patientText, followsCells: true },
    { text: patientIdText, isMinor: true, followsCells: true },
    { text: studyText, isMinor: true, followsCells: true },
  ],
  topRight: [
    { text: seriesText },
    { text: distinctionText },
    { text: dimensionText },
    { text: modalityText, isMinor: true },
    { text: techniqueText, isMinor: true },
  ],
  bottomLeft: [
    { text: windowText, isMinimal: true, isWhole: true, isWindow: true },
    { text: zoomText, isMinor: true },
    { text: probeText, followsPointer: true },
    { text: layerProbeText, followsLayers: true, isWhole: true },
  ],
  bottomRight: [
    { text: placeText, isMinimal: true },
    { text: positionText, isMinor: true },
    { text: crosshairText, isMinor: true },
    { text: timeText, isMinor: true },
  ],
};

/** Texts in the corners: what the image is and how it is shown. */
export function CornerTexts({ cell }: { readonly cell: number }) {
  const overlayText = useTools((state) => state.overlayText);
  // The fields for typing the window cover this corner.
  const covered = useIsWindowTyped(cell) ? 'bottomLeft' : undefined;
  if (overlayText === 'none') return null;
  const corners = Object.entries(CORNERS).filter(([corner]) => corner !== covered);
  return corners.map(([corner, lines]) => (
    <div key={corner} className={styles[corner]}>
      {lines.map(
        (line, place) =>
          (overlayText === 'all' || line.isMinimal === true) && (
            // The lines of a corner never change their order.
            // oxlint-disable-next-line react/no-array-index-key
            <CornerLine key={place} cell={cell} line={line} />
          ),
      )}
    </div>
  ));
}

function CornerLine({ cell, line }: { readonly cell: number; readonly line: Line }) {
  const page = usePage();
  const stores = storesOf(page);
  const text = useMemo(() => () => line.text(page, cell), [page, cell, line]);
  if (line.isWindow === true) {
    return <WindowText className={classOf(line)} cell={cell} stores={stores.all} atOnce={watchReport(page, cell)} />;
  }
  return (
    <LiveText
      className={classOf(line)}
      stores={line.followsPointer === true || line.followsLayers === true ? stores.withPointer : stores.all}
      atOnce={line.followsCells === true ? viewportsOf(page) : watchReport(page, cell)}
      text={text}
    />
  );
}

function classOf({ isMinor, isWhole, followsPointer }: Line): string {
  const marks = [isMinor && styles.minor, isWhole && styles.whole, followsPointer && styles.reserved];
  return [styles.line, ...marks].filter(Boolean).join(' ');
}

/** Limits of the picture's quality, shown whatever texts are chosen. */
export function QualityBadge({ cell }: { readonly cell: number }) {
  const page = usePage();
  const text = useMemo(() => () => qualityText(page, cell), [page, cell]);
  const stores = storesOf(page);
  return <LiveText className={styles.quality} stores={stores.all} atOnce={watchReport(page, cell)} text={text} />;
}
