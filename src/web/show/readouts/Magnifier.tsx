import { type RefObject, useEffect, useRef } from 'react';
import { fileInfoOf } from '../../kit/state/fileInfo.ts';
import { MAGNIFIER_KEY, setMagnifier, useMagnifier } from '../../kit/state/magnifier.ts';
import { usePage } from '../../kit/state/page.ts';
import { probesOf, reportOf, viewportsOf } from '../pictures/viewports.ts';
import type { Point } from '../../kit/state/viewState.ts';
import { followStores } from '../../kit/ui/followStores.ts';
import { followPointerPlace } from '../../kit/ui/pointerPlace.ts';
import type { Viewport } from '../pictures/viewport/createViewport.ts';
import { probeText } from './cornerTexts.ts';
import styles from './Magnifier.module.css';

type Props = {
  readonly cell: number;
  readonly pictureRef: RefObject<Partial<Pick<Viewport, 'magnify'>> | null>;
};

const SIDE_PX = 184;
/** Width of its border. */
const EDGE_PX = 2;
/** Minimum CSS pixels per image pixel. An image that is already enlarged is magnified TIMES if that is more. */
const LEAST_ZOOM = 8;
const TIMES = 3;

/** A magnifier at the pointer, with square pixels and the value of the center, while its key is held. */
export function Magnifier({ cell, pictureRef }: Props) {
  const isOn = useMagnifier();
  const place = useRef<HTMLSpanElement>(null);
  const at = useRef<Point>(undefined);

  // The pointer position is tracked before the key is pressed.
  useEffect(() => {
    const figure = place.current?.closest('figure');
    if (!figure) return undefined;
    const ending = new AbortController();
    const { signal } = ending;
    const placeOf = followPointerPlace(figure, signal);
    figure.addEventListener('pointermove', (event) => (at.current = placeOf(event)), { signal });
    figure.addEventListener('pointerleave', () => (at.current = undefined), { signal });
    return () => ending.abort();
  }, []);

  return (
    <>
      <span ref={place} hidden />
      {isOn && <Lens cell={cell} pictureRef={pictureRef} at={at} />}
    </>
  );
}

type LensProps = Props & { readonly at: RefObject<Point | undefined> };

function Lens({ cell, pictureRef, at }: LensProps) {
  const page = usePage();
  const lens = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLParagraphElement>(null);

  useEffect(() => {
    const draw = () => {
      const [element, surface] = [lens.current, canvas.current];
      const { screen } = reportOf(page, cell);
      const point = at.current;
      if (element === null || surface === null || text.current === null) return;
      element.hidden = point === undefined || screen === undefined;
      if (point === undefined || screen === undefined) return;
      const side = Math.round(SIDE_PX * screen.pixelRatio);
      if (surface.width !== side) Object.assign(surface, { width: side, height: side });
      const zoom = Math.max(LEAST_ZOOM * screen.pixelRatio, screen.zoom * TIMES);
      const context = surface.getContext('2d', { alpha: false });
      const picture = surface.closest('figure')?.querySelector('canvas');
      if (context === null) return;
      if (pictureRef.current?.magnify?.(context, point, zoom) !== true && picture) {
        enlarge(context, picture, { x: point.x * screen.pixelRatio, y: point.y * screen.pixelRatio });
      }
      markMiddle(context, Math.max(zoom, screen.pixelRatio * 6));
      element.style.left = `${placeWithin(point.x, screen.width)}px`;
      element.style.top = `${placeWithin(point.y, screen.height)}px`;
      text.current.textContent = probeText(page, cell);
    };
    const moved = () => requestAnimationFrame(draw);
    const letGo = (event: KeyboardEvent) => {
      if (event.key.toUpperCase() === MAGNIFIER_KEY || event.key === 'Escape') setMagnifier(page, false);
    };
    const off = () => setMagnifier(page, false);
    addEventListener('pointermove', moved);
    addEventListener('keyup', letGo);
    addEventListener('blur', off);
    const stop = followStores([probesOf(page), fileInfoOf(page).changes], draw, viewportsOf(page));
    return () => {
      stop();
      removeEventListener('pointermove', moved);
      removeEventListener('keyup', letGo);
      removeEventListener('blur', off);
    };
  }, [page, cell, pictureRef, at]);

  return (
    <div ref={lens} className={styles.lens} data-lens="" hidden>
      <canvas ref={canvas} className={styles.canvas} aria-hidden="true" />
      <p ref={text} className={styles.value} />
    </div>
  );
}

/** Centered on the pointer, or as near to it as the cell allows, because what lies outside the cell is not visible. */
function placeWithin(at: number, size: number): number {
  const least = EDGE_PX;
  const most = size - SIDE_PX - EDGE_PX;
  return most < least ? (size - SIDE_PX) / 2 : Math.min(Math.max(at - SIDE_PX / 2, least), most);
}

/** Enlarges the screen content where there is no single frame behind it. */
function enlarge(context: CanvasRenderingContext2D, picture: HTMLCanvasElement, { x, y }: Point): void {
  const { width } = context.canvas;
  const part = width / TIMES;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.imageSmoothingEnabled = false;
  context.fillRect(0, 0, width, width);
  context.drawImage(picture, x - part / 2, y - part / 2, part, part, 0, 0, width, width);
}

/** Draws a frame around the pixel whose value is shown. */
function markMiddle(context: CanvasRenderingContext2D, size: number): void {
  const from = (context.canvas.width - size) / 2;
  context.setTransform(1, 0, 0, 1, 0, 0);
  for (const [color, width] of [
    ['rgb(0 0 0 / 80%)', 3],
    ['#fff', 1],
  ] as const) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.strokeRect(from, from, size, size);
  }
}
