import { useEffect, useRef } from 'react';
import { reportOf, watchReport } from '../pictures/viewports.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { followStores } from '../../kit/ui/followStores.ts';
import { createSvgElement, createSvgPool } from '../../kit/ui/svgElements.ts';
import styles from './HoleLayer.module.css';

/** Hatches the parts of a picture about which nothing is known, so that they are not taken for air. */
export function HoleLayer({ cell }: { readonly cell: number }) {
  const page = usePage();
  const ref = useRef<SVGGElement>(null);
  const pattern = `holes-${cell}`;
  useEffect(() => {
    const group = ref.current;
    if (group === null) return undefined;
    const polygons = createSvgPool(group, () => {
      const element = createSvgElement('polygon', undefined);
      element.setAttribute('fill', `url(#${pattern})`);
      return element;
    });
    const draw = () => {
      const holes = listHoles(page, cell);
      for (const [i, element] of polygons.use(holes.length).entries()) element.setAttribute('points', holes[i]!);
    };
    return followStores([], draw, watchReport(page, cell));
  }, [page, cell, pattern]);
  // The warning about missing slices says it in words.
  return (
    <svg className={styles.layer} data-layer="holes" aria-hidden="true">
      <defs>
        <pattern id={pattern} width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line className={styles.stroke} x1="0" y1="0" x2="0" y2="8" />
        </pattern>
      </defs>
      <g ref={ref} />
    </svg>
  );
}

/** In pixels of the screen, so that the lines are equally far apart at every zoom. */
function listHoles(page: Page, cell: number): readonly string[] {
  const { shown, screen } = reportOf(page, cell);
  const holes = shown?.source.holesOf?.(shown.position) ?? [];
  if (screen === undefined) return [];
  const [a, b, c, d, e, f] = screen.imageToScreen;
  return holes.map((polygon) =>
    polygon.map(({ x, y }) => `${(a * x + c * y + e).toFixed(1)},${(b * x + d * y + f).toFixed(1)}`).join(' '),
  );
}
