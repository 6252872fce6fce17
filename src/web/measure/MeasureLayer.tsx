import { useCallback } from 'react';
import { usePage } from '../state/page.ts';
import { followMarks } from '../tools/followMarks.ts';
import { MarkLayer, type MarkLayerProps } from '../tools/MarkLayer.tsx';
import styles from './MeasureLayer.module.css';
import { findMeasuredFrame } from './measuredFrame.ts';
import { createMeasureMarks } from './measureMarks.ts';

/**
 * Draws the measurements on the image of one cell and handles pointer input on them. Must be rendered inside the cell.
 */
export function MeasureLayer({ cell }: { readonly cell: number }) {
  const page = usePage();
  const follow = useCallback<MarkLayerProps['follow']>(
    (svg, surface) =>
      followMarks(page, {
        cell,
        surface,
        marks: createMeasureMarks(page, svg),
        findShown: findMeasuredFrame,
      }),
    [page, cell],
  );
  return <MarkLayer name="measure" className={styles.layer} follow={follow} />;
}
