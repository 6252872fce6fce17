import { type PointerEvent, useCallback, useEffect, useRef } from 'react';
import { cellOf, setView } from '../../../kit/state/cells.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { reportOf } from '../viewports.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import { createPortal } from 'react-dom';
import type { PictureProps } from '../pictureSource.ts';
import { zoomOf } from '../viewTransform.ts';
import { canvasOf } from '../canvasPoint.ts';
import { followSlide, type SlideHandle } from './followSlide.ts';
import { SlideControls } from './SlideControls.tsx';
import styles from './SlidePicture.module.css';

/** A whole slide in a cell: one picture over all levels of its pyramid. */
export function SlidePicture({ readouts, ...props }: PictureProps) {
  return readouts && <TiledPicture {...props} readouts={readouts} />;
}

type TiledPictureProps = Omit<PictureProps, 'readouts' | 'getSource'> & { readonly readouts: HTMLElement };

function TiledPicture({ cell, pictureRef, readouts, controlsClass }: TiledPictureProps) {
  const page = usePage();
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const minimapRef = useRef<HTMLCanvasElement>(null);
  const handleRef = useRef<SlideHandle>(null);

  useEffect(() => {
    const [canvas, minimap] = [canvasRef.current, minimapRef.current];
    const box = canvas?.parentElement;
    if (canvas === null || minimap === null || !box) return undefined;
    const handle = followSlide(page, cell, { canvas, minimap });
    handleRef.current = handle;
    pictureRef.current = handle;
    const observer = new ResizeObserver(() =>
      handle.resize({ width: box.clientWidth, height: box.clientHeight }, window.devicePixelRatio),
    );
    observer.observe(box);
    return () => {
      observer.disconnect();
      handle.close();
      handleRef.current = null;
      if (pictureRef.current === handle) pictureRef.current = null;
    };
  }, [page, cell, pictureRef]);

  const retry = useCallback(() => handleRef.current?.retry(), []);
  const lead = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId);
    if (event.buttons !== 1) return;
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const point = handleRef.current?.locate({ x: event.clientX - left, y: event.clientY - top });
    if (point !== undefined) centerOn(page, cell, point);
  };

  return (
    <>
      <canvas ref={canvasRef} className={styles.canvas} data-slide="" />
      {createPortal(
        <div className={controlsClass}>
          <SlideControls cell={cell} onRetry={retry} />
          {/* The arrow keys move the view as well. */}
          <canvas
            ref={minimapRef}
            className={styles.minimap}
            hidden
            data-control=""
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a canvas, not an image file
            role="img"
            aria-label="Position on the slide"
            onPointerDown={lead}
            onPointerMove={lead}
          />
        </div>,
        readouts,
      )}
    </>
  );
}

function centerOn(page: Page, cell: number, { x, y }: Point): void {
  const { screen } = reportOf(page, cell);
  if (screen === undefined) return;
  const { view } = cellOf(page, cell);
  const { image } = screen;
  const center = { x: Math.min(Math.max(x, 0), image.width), y: Math.min(Math.max(y, 0), image.height) };
  setView(page, cell, { ...view, zoom: zoomOf(view, image, canvasOf(screen)), center });
}
