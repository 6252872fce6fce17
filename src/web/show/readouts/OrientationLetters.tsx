import { useMemo } from 'react';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { useTools } from '../../kit/state/tools.ts';
import { reportOf, watchReport } from '../pictures/viewports.ts';
import { LiveText } from '../../kit/ui/LiveText.tsx';
import { detailsOf, findOrientation } from '../pictures/frameDetails.ts';
import { findEdgeLetters } from '../pictures/patientAxes.ts';
import styles from './readoutGrid.module.css';

const storesOf = definePart((page) => [detailsOf(page)]);
const EDGES = ['left', 'right', 'top', 'bottom'] as const;

/** Letters for the patient directions at the edges of the image. Empty if the file does not declare them. */
export function OrientationLetters({ cell }: { readonly cell: number }) {
  const page = usePage();
  const isShown = useTools(({ overlayText }) => overlayText !== 'none');
  const texts = useMemo(
    () => EDGES.map((edge) => ({ edge, text: () => lettersOf(page, cell)?.[edge] ?? '' })),
    [page, cell],
  );
  if (!isShown) return null;
  return texts.map(({ edge, text }) => (
    <LiveText
      key={edge}
      className={`${styles.letter} ${styles[edge]}`}
      stores={storesOf(page)}
      atOnce={watchReport(page, cell)}
      text={text}
    />
  ));
}

function lettersOf(page: Page, cell: number) {
  const { screen, shown, tiles } = reportOf(page, cell);
  if (shown === undefined || screen === undefined || tiles !== undefined) return undefined;
  const orientation = findOrientation(page, shown.source, shown.position);
  return orientation && findEdgeLetters(orientation, screen.imageToScreen);
}
