import { useRef } from 'react';
import { useViewport } from '../viewport/useViewport.ts';
import styles from './Grid.module.css';

export function ViewportCell({ cell }: { readonly cell: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useViewport(cell, canvas);
  return (
    <div className={styles.viewport}>
      <canvas ref={canvas} />
    </div>
  );
}
