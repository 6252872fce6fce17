import { useEffect, useRef } from 'react';
import styles from './MarkLayer.module.css';

export type MarkLayerProps = {
  /** Sets the color of the marks. */
  readonly className: string | undefined;
  readonly name: string;
  /** Keeps marks drawn in the layer of a cell until the returned function is called. */
  readonly follow: (svg: SVGSVGElement, surface: HTMLElement) => () => void;
};

/** Marks over the image of a cell that the user can grab. React renders only the layer itself. */
export function MarkLayer({ className = '', name, follow }: MarkLayerProps) {
  const ref = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = ref.current;
    const surface = svg?.closest('figure');
    return svg === null || !surface ? undefined : follow(svg, surface);
  }, [follow]);
  // Hidden from screen readers, because a list in the inspector says the same in words.
  return <svg ref={ref} className={`${styles.layer} ${className}`} data-layer={name} aria-hidden="true" />;
}
