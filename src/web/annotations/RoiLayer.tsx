import { useEffect, useRef } from 'react';
import { followMarks } from '../tools/followMarks.ts';
import { createRoiMarks } from './roiMarks.ts';
import styles from './RoiLayer.module.css';

/** The ROIs over the image of one cell, and hands on them. Lies inside the cell; nothing of it goes through React. */
export function RoiLayer({ cell }: { readonly cell: number }) {
  const ref = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = ref.current;
    const surface = svg?.parentElement;
    if (svg === null || !surface) return undefined;
    return followMarks({ cell, surface, marks: createRoiMarks(svg) });
  }, [cell]);
  // The list of ROIs in the inspector says the same in words.
  return <svg ref={ref} className={styles.layer} aria-hidden="true" />;
}
