import { useEffect, useRef } from 'react';
import { followMarks } from '../tools/followMarks.ts';
import styles from './RoiLayer.module.css';
import { createSlideRoiMarks, findShownSlide } from './slideRoiMarks.ts';

/** The ROIs over the slide of one cell, each on its tile. As the layer over single frames, nothing of it goes through React. */
export function SlideRoiLayer({ cell }: { readonly cell: number }) {
  const ref = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = ref.current;
    const surface = svg?.closest('figure');
    if (svg === null || !surface) return undefined;
    return followMarks({ cell, surface, marks: createSlideRoiMarks(cell, svg), findShown: findShownSlide });
  }, [cell]);
  return <svg ref={ref} className={styles.layer} aria-hidden="true" />;
}
