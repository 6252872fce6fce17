import { useMemo } from 'react';
import { cellsStore, stackOfCell } from '../state/cells.ts';
import { useTools } from '../state/tools.ts';
import { reportOf, viewportsStore } from '../state/viewports.ts';
import { LiveText } from '../ui/LiveText.tsx';
import { detailsStore, findOrientation } from '../viewport/frameDetails.ts';
import { findEdgeLetters } from '../viewport/patientAxes.ts';
import styles from './EdgeLetters.module.css';

const STORES = [cellsStore, viewportsStore, detailsStore];
const EDGES = ['left', 'right', 'top', 'bottom'] as const;

/** Where the patient's left, back and head are. Nothing where the file does not say. */
export function EdgeLetters({ cell }: { readonly cell: number }) {
  const isShown = useTools(({ overlayText }) => overlayText !== 'none');
  const texts = useMemo(() => EDGES.map((edge) => ({ edge, text: () => lettersOf(cell)?.[edge] ?? '' })), [cell]);
  if (!isShown) return null;
  return texts.map(({ edge, text }) => (
    <LiveText key={edge} className={`${styles.letter} ${styles[edge]}`} stores={STORES} text={text} />
  ));
}

function lettersOf(cell: number) {
  const stack = stackOfCell(cell);
  const { shownPosition, screen } = reportOf(cell);
  if (stack === undefined || shownPosition === undefined || screen === undefined) return undefined;
  const orientation = findOrientation(stack, shownPosition);
  return orientation && findEdgeLetters(orientation, screen.imageToScreen);
}
