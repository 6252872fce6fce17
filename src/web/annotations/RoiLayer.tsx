import { useCallback } from 'react';
import { usePage } from '../state/page.ts';
import { followMarks } from '../tools/followMarks.ts';
import { MarkLayer, type MarkLayerProps } from '../tools/MarkLayer.tsx';
import { createRoiMarks } from './roiMarks.ts';
import styles from './RoiLayer.module.css';

/** Draws the ROIs over the image of one cell and handles pointer input on them. Must be rendered inside the cell. */
export function RoiLayer({ cell }: { readonly cell: number }) {
  const page = usePage();
  const follow = useCallback<MarkLayerProps['follow']>(
    (svg, surface) => followMarks(page, { cell, surface, marks: createRoiMarks(page, svg, cell) }),
    [page, cell],
  );
  return <MarkLayer name="rois" className={styles.layer} follow={follow} />;
}
