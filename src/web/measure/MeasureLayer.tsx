import { useEffect, useRef } from 'react';
import { followMarks } from '../tools/followMarks.ts';
import styles from './MeasureLayer.module.css';
import { createMeasureMarks } from './measureMarks.ts';

/** What is measured on the image of one cell, and hands on it. Lies inside the cell. */
export function MeasureLayer({ cell }: { readonly cell: number }) {
  const ref = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = ref.current;
    const surface = svg?.parentElement;
    if (svg === null || !surface) return undefined;
    return followMarks({ cell, surface, marks: createMeasureMarks(svg) });
  }, [cell]);
  // The list of measurements in the inspector says the same in words.
  return <svg ref={ref} className={styles.layer} data-layer="measure" aria-hidden="true" />;
}
