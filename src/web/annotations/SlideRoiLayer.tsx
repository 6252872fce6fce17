import { useCallback } from 'react';
import { usePage } from '../state/page.ts';
import { followMarks } from '../tools/followMarks.ts';
import { MarkLayer, type MarkLayerProps } from '../tools/MarkLayer.tsx';
import styles from './RoiLayer.module.css';
import { createSlideRoiMarks, findShownSlide } from './slideRoiMarks.ts';

/** Draws the boxes over the slide of one cell. */
export function SlideRoiLayer({ cell }: { readonly cell: number }) {
  const page = usePage();
  const follow = useCallback<MarkLayerProps['follow']>(
    (svg, surface) =>
      followMarks(page, {
        cell,
        surface,
        marks: createSlideRoiMarks(page, cell, svg),
        findShown: findShownSlide,
      }),
    [page, cell],
  );
  return <MarkLayer name="rois" className={styles.layer} follow={follow} />;
}
