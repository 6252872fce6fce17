import { useEffect, useRef } from 'react';
import styles from './MarkLayer.module.css';

export type MarkLayerProps = {
  /** Gives the marks their color. */
  readonly className: string | undefined;
  readonly name: string;
  /** Keeps marks drawn into the layer of a cell, until the function that it returns is called. */
  readonly follow: (svg: SVGSVGElement, surface: HTMLElement) => () => void;
};

/** What is drawn over the image of a cell and can be taken hold of. Nothing of it goes through React but the layer. */
export function MarkLayer({ className = '', name, follow }: MarkLayerProps) {
  const ref = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = ref.current;
    const surface = svg?.closest('figure');
    return svg === null || !surface ? undefined : follow(svg, surface);
  }, [follow]);
  // A list in the inspector says the same in words.
  return <svg ref={ref} className={`${styles.layer} ${className}`} data-layer={name} aria-hidden="true" />;
}
