import type { KeyboardEvent, PointerEvent } from 'react';
import styles from './Splitter.module.css';

type Props = {
  readonly label: string;
  /** Which side of the panel it is on. */
  readonly side: 'left' | 'right';
  readonly widthPx: number;
  readonly leastPx: number;
  readonly mostPx: number;
  readonly onWidth: (widthPx: number) => void;
};

const STEP_PX = 20;

/** The edge of a panel, which can be dragged or moved with the arrow keys. */
export function Splitter({ label, side, widthPx, leastPx, mostPx, onWidth }: Props) {
  const sense = side === 'right' ? 1 : -1;
  const set = (width: number) => onWidth(Math.round(Math.min(mostPx, Math.max(leastPx, width))));

  const onPointerDown = (event: PointerEvent<HTMLHRElement>) => {
    const edge: HTMLElement = event.currentTarget;
    const fromX = event.clientX;
    const ended = new AbortController();
    const { signal } = ended;
    edge.setPointerCapture(event.pointerId);
    edge.addEventListener('pointermove', ({ clientX }) => set(widthPx + sense * (clientX - fromX)), { signal });
    edge.addEventListener('lostpointercapture', () => ended.abort(), { signal });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: STEP_PX, ArrowLeft: -STEP_PX }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(widthPx + sense * step);
  };
  return (
    // A separator that can be moved is a widget (ARIA 1.2, separator).
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <hr
      className={`${styles.splitter} ${styles[side] ?? ''}`}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={widthPx}
      aria-valuemin={leastPx}
      aria-valuemax={mostPx}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onPointerDown={onPointerDown}
      // The panel grows under the pointer, and the browser would start to drag its content. The focus also stays where
      // it is, so that keys still reach the image.
      onMouseDown={(event) => event.preventDefault()}
      onKeyDown={onKeyDown}
    />
  );
}
