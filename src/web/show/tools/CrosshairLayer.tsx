import { useEffect, useRef } from 'react';
import { watchReport } from '../pictures/viewports.ts';
import { cellsOf } from '../../kit/state/cells.ts';
import { crosshairOf } from '../../kit/state/crosshair.ts';
import { usePage } from '../../kit/state/page.ts';
import { toolsOf } from '../../kit/state/tools.ts';
import { followStores } from '../../kit/ui/followStores.ts';
import { createSvgElement, createSvgPool, setNumbers } from '../../kit/ui/svgElements.ts';
import { listCrosshairMarks, type CrosshairMarks } from './crosshairMarks.ts';
import styles from './CrosshairLayer.module.css';

/** The crosshair over the image of a cell, and the lines in which the pictures of other cells cross it. */
export function CrosshairLayer({ cell }: { readonly cell: number }) {
  const page = usePage();
  const ref = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = ref.current;
    if (svg === null) return undefined;
    const draw = createDrawing(svg);
    const stores = [crosshairOf(page), cellsOf(page), toolsOf(page)];
    return followStores(stores, () => draw(listCrosshairMarks(page, cell)), watchReport(page, cell));
  }, [page, cell]);
  // The position is also written in the corner of the image.
  return <svg ref={ref} className={styles.layer} data-layer="crosshair" aria-hidden="true" />;
}

function createDrawing(svg: SVGSVGElement): (marks: CrosshairMarks) => void {
  const halos = createSvgPool(svg, () => createSvgElement('line', styles.halo));
  const lines = createSvgPool(svg, () => createSvgElement('line', styles.line));
  const texts = createSvgPool(svg, () => createSvgElement('text', styles.name));
  const handles = createSvgPool(svg, () => createSvgElement('circle', styles.handle));
  return ({ strokes, names, center, handles: points, size }) => {
    for (const [i, element] of handles.use(points.length).entries()) {
      const { at, color } = points[i]!;
      setNumbers(element, { cx: at.x, cy: at.y, r: 5 });
      setColor(element, color);
    }
    for (const pool of [halos, lines]) {
      for (const [i, element] of pool.use(strokes.length).entries()) {
        const { from, to, color, isEdge } = strokes[i]!;
        setNumbers(element, { x1: from.x, y1: from.y, x2: to.x, y2: to.y });
        setColor(element, color);
        element.classList.toggle(styles.slab ?? 'slab', isEdge);
      }
    }
    for (const [i, element] of texts.use(names.length).entries()) {
      const { at, text, color } = names[i]!;
      // Beside the end of the line, and never outside the cell.
      const x = Math.min(Math.max(at.x + 4, 4), size.width - 52);
      setNumbers(element, { x, y: Math.min(Math.max(at.y - 5, 14), size.height - 6) });
      setColor(element, color);
      if (element.textContent !== text) element.textContent = text;
    }
    // For tests.
    svg.dataset['center'] = center === undefined ? '' : `${center.x.toFixed(2)},${center.y.toFixed(2)}`;
  };
}

function setColor(element: SVGElement, color: string | undefined): void {
  if (color === undefined) element.removeAttribute('color');
  else element.setAttribute('color', color);
}
