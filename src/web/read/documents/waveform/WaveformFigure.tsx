import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { usePanels } from '../../../kit/state/panels.ts';
import { type Inks, readInks } from './drawTraces.ts';
import { stripAt, type Strip, toStripPoint, xOf, yOf } from './strips.ts';
import styles from './WaveformView.module.css';

/** Two points of one trace. */
export type Callipers = {
  /** Of the strip. */
  readonly name: string;
  readonly from: CalliperEnd;
  readonly to: CalliperEnd;
};
type CalliperEnd = { readonly timeS: number; readonly value: number };

type Props = {
  readonly label: string;
  readonly strips: readonly Strip[];
  readonly width: number;
  readonly height: number;
  readonly draw: (context: CanvasRenderingContext2D, inks: Inks) => void;
  readonly canvasRef: RefObject<HTMLCanvasElement | null>;
  readonly callipers: Callipers | undefined;
  readonly setCallipers: (next: Callipers | undefined) => void;
};

/** The drawing of a waveform. Dragging measures time and value between two points; the ends can be moved with keys. */
export function WaveformFigure({ label, strips, width, height, draw, canvasRef, callipers, setCallipers }: Props) {
  const theme = useThemeChanges();
  const [isDragging, setDragging] = useState(false);
  useEffect(() => {
    const canvas = canvasRef.current;
    const context = canvas?.getContext('2d') ?? null;
    if (canvas === null || context === null) return;
    const ratio = Math.min(3, Math.max(1, devicePixelRatio));
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw(context, readInks(canvas));
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another theme has other colors
  }, [canvasRef, width, height, draw, theme]);

  const start = (event: PointerEvent) => {
    if (event.button !== 0 || (event.target instanceof Element && event.target.closest('[role=slider]') !== null))
      return;
    const [x, y] = placeOf(event);
    const strip = stripAt(strips, x, y);
    if (strip === undefined) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const point = toStripPoint(strip, x, y);
    setDragging(true);
    setCallipers({ name: stripKey(strip), from: point, to: point });
  };
  const move = (event: PointerEvent) => {
    const strip = strips.find((one) => stripKey(one) === callipers?.name);
    if (!isDragging || strip === undefined || callipers === undefined) return;
    setCallipers({ ...callipers, to: toStripPoint(strip, ...placeOf(event)) });
  };
  const end = () => {
    setDragging(false);
    // A click without a drag removes them.
    if (isDragging && callipers !== undefined && callipers.from.timeS === callipers.to.timeS) setCallipers(undefined);
  };
  const strip = strips.find((one) => stripKey(one) === callipers?.name);
  return (
    <div
      className={styles.figure}
      style={{ width, height }}
      onPointerDown={start}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
    >
      <canvas
        ref={canvasRef}
        className={styles.canvas}
        style={{ width, height }}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a drawing that is no file
        role="img"
        aria-label={label}
      />
      {callipers !== undefined && strip !== undefined && (
        <CalliperLines strip={strip} callipers={callipers} setCallipers={setCallipers} size={{ width, height }} />
      )}
    </div>
  );
}

function placeOf({ clientX, clientY, currentTarget }: PointerEvent): readonly [x: number, y: number] {
  const { left, top } = currentTarget.getBoundingClientRect();
  return [clientX - left, clientY - top];
}

/** A lead may be in two strips of a paper. */
export function stripKey({ name, left, top }: Strip): string {
  return `${name} ${Math.round(left)} ${Math.round(top)}`;
}

type LinesProps = {
  readonly strip: Strip;
  readonly callipers: Callipers;
  readonly setCallipers: (next: Callipers) => void;
  readonly size: { readonly width: number; readonly height: number };
};

function CalliperLines({ strip, callipers, setCallipers, size }: LinesProps) {
  const { from, to } = callipers;
  const [x1, x2] = [xOf(strip, from.timeS), xOf(strip, to.timeS)];
  const [y1, y2] = [yOf(strip, from.value), yOf(strip, to.value)];
  const { top, height } = strip;
  return (
    <>
      <svg className={styles.lines} width={size.width} height={size.height} aria-hidden="true">
        <line x1={x1} x2={x1} y1={top} y2={top + height} />
        <line x1={x2} x2={x2} y1={top} y2={top + height} />
        <line x1={Math.min(x1, x2) - 8} x2={Math.max(x1, x2) + 8} y1={y1} y2={y1} />
        <line x1={Math.min(x1, x2) - 8} x2={Math.max(x1, x2) + 8} y1={y2} y2={y2} />
      </svg>
      <Handle
        name="First calliper"
        strip={strip}
        point={from}
        onMove={(next) => setCallipers({ ...callipers, from: next })}
      />
      <Handle
        name="Second calliper"
        strip={strip}
        point={to}
        onMove={(next) => setCallipers({ ...callipers, to: next })}
      />
    </>
  );
}

type HandleProps = {
  readonly name: string;
  readonly strip: Strip;
  readonly point: CalliperEnd;
  readonly onMove: (next: CalliperEnd) => void;
};

const WAYS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** One end: arrows move it by a pixel, with Shift by ten. */
function Handle({ name, strip, point, onMove }: HandleProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const way = WAYS[event.key];
    if (way === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const far = event.shiftKey ? 10 : 1;
    onMove({
      timeS: point.timeS + (far * way[0]) / strip.pxPerS,
      value: point.value + (far * way[1]) / strip.pxPerUnit,
    });
  };
  const drag = (event: PointerEvent) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    onMove({
      timeS: point.timeS + event.movementX / strip.pxPerS,
      value: point.value - event.movementY / strip.pxPerUnit,
    });
  };
  return (
    <div
      className={styles.handle}
      style={{ left: xOf(strip, point.timeS), top: yOf(strip, point.value) }}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an input has no place in two directions
      role="slider"
      tabIndex={0}
      aria-label={name}
      aria-valuenow={Math.round(point.timeS * 1_000)}
      aria-valuetext={`${(point.timeS * 1_000).toFixed(0)} ms, ${formatAmount(point.value)} ${strip.unit}`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    />
  );
}

export function formatAmount(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** Changes when the colors of the page do. */
function useThemeChanges(): string {
  const theme = usePanels((panels) => panels.theme);
  const [isDark, setDark] = useState(false);
  const query = useRef<MediaQueryList>(undefined);
  useEffect(() => {
    query.current = matchMedia('(prefers-color-scheme: dark)');
    const { current } = query;
    const follow = () => setDark(current.matches);
    follow();
    current.addEventListener('change', follow);
    return () => current.removeEventListener('change', follow);
  }, []);
  return `${theme} ${isDark}`;
}
