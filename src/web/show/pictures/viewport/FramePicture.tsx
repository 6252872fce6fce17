import { useCallback, useEffect, useRef } from 'react';
import type { PictureProps, PictureSource } from '../pictureSource.ts';
import styles from './FramePicture.module.css';
import { useViewport } from './useViewport.ts';

/** One picture at a time, such as a frame of a stack. Draws every source whose wishes are frames. */
export function FramePicture({ cell, pictureRef, getSource }: PictureProps) {
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const getOwn = useCallback(() => {
    const source = getSource();
    return isDrawnHere(source) ? source : undefined;
  }, [getSource]);
  const viewportRef = useViewport(cell, canvasRef, getOwn);
  useEffect(() => {
    pictureRef.current = viewportRef.current;
    return () => {
      pictureRef.current = null;
    };
  }, [pictureRef, viewportRef]);
  return <canvas ref={canvasRef} className={styles.canvas} />;
}

/** The cell may already show a source of another component, while this one is about to be removed. */
function isDrawnHere(source: PictureSource | undefined): boolean {
  return source?.Component === FramePicture;
}
