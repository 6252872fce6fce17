import { useEffect, useRef } from 'react';
import { type Page, usePage } from '../../kit/state/page.ts';
import { followMarks, type MarkGesture, type Marks } from './followMarks.ts';
import styles from './MarkLayer.module.css';

export type MarkLayerProps<G extends MarkGesture> = {
  readonly cell: number;
  readonly name: string;
  /** Sets the color of the marks. */
  readonly className: string | undefined;
  /** Creates the marks that are drawn into the layer. Must be stable. */
  readonly create: (page: Page, cell: number, svg: SVGSVGElement) => Marks<G>;
};

/** Marks over the image of a cell that the user can grab. Must be rendered inside the cell. */
export function MarkLayer<G extends MarkGesture>({ cell, name, className = '', create }: MarkLayerProps<G>) {
  const page = usePage();
  const ref = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = ref.current;
    const surface = svg?.closest('figure');
    if (svg === null || !surface) return undefined;
    return followMarks(page, { cell, surface, marks: create(page, cell, svg) });
  }, [page, cell, create]);
  // Hidden from screen readers, because a list in the inspector says the same in words.
  return <svg ref={ref} className={`${styles.layer} ${className}`} data-layer={name} aria-hidden="true" />;
}
