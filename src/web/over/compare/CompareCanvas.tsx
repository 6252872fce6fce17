import { useEffect, useRef } from 'react';
import { usePage } from '../../kit/state/page.ts';
import styles from '../layers/LayerCanvas.module.css';
import { followErrors } from './followErrors.ts';
import type { MarkMasks } from './markMasks.ts';

/** Draws over the image of one cell where two layers agree and where they do not. The panel gives the numbers as text. */
export function CompareCanvas({ cell, marks }: { readonly cell: number; readonly marks: MarkMasks }) {
  const page = usePage();
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(
    () => (ref.current === null ? undefined : followErrors({ page, cell, canvas: ref.current, marks })),
    [page, cell, marks],
  );
  return <canvas ref={ref} className={styles.layer} data-layer="errors" aria-hidden="true" />;
}
