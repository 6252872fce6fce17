import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { Vector3 } from '../../../shared/geometry.ts';
import { fetchVolumeValue } from '../../api/volumes.ts';
import { formatValue } from '../../ui/formatNumbers.ts';
import { crosshairOf } from '../../state/crosshair.ts';
import { usePage } from '../../state/page.ts';
import type { StackVolume } from '../../state/volumes.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { setTime } from './changePlane.ts';
import { type CurveValue, plotCurve } from './plotCurve.ts';
import styles from './TimeCurve.module.css';

type TimeCurveProps = { readonly cell: number; readonly volume: StackVolume; readonly time: number };

/** A button that opens a plot of the value at the crosshair over all times of the volume. */
export function TimeCurve({ cell, volume, time }: TimeCurveProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <span className={styles.place}>
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={isOpen}
        title="Values at the crosshair over time"
        onClick={() => setOpen(!isOpen)}
      >
        Curve
      </button>
      {isOpen && <Plot cell={cell} volume={volume} time={time} />}
    </span>
  );
}

const WIDTH = 240;
const HEIGHT = 90;

function Plot({ cell, volume, time }: TimeCurveProps) {
  const page = usePage();
  const point = useStore(crosshairOf(page), ({ points }) => points.get(volume.frameOfReferenceUid ?? ''));
  const values = useCurve(volume, point);
  const { lines, range, places } = useMemo(() => plotCurve(values, volume.timeValues), [values, volume]);
  const now = values[time];
  const unit = volume.unit === '' ? '' : ` ${volume.unit}`;
  const toText = (value: number) => `${formatValue(value)}${unit}`;
  if (point === undefined) return <div className={styles.plot}>Set the crosshair to see the values of a point.</div>;
  return (
    <figure className={styles.plot}>
      <figcaption>
        <output>
          {volume.times[time]}: {typeof now === 'number' ? toText(now) : now === null ? 'no value' : '…'}
        </output>
        <CopyButton text={toTable(volume, values)} label="Copy" />
      </figcaption>
      <svg viewBox={`-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`} width={WIDTH + 8} height={HEIGHT + 8}>
        <title>{`Values at the crosshair over ${values.length} times${range === undefined ? '' : `, ${toText(range.low)} to ${toText(range.high)}`}`}</title>
        <line className={styles.now} x1={WIDTH * places[time]!} x2={WIDTH * places[time]!} y1={0} y2={HEIGHT} />
        {lines.map((line) => (
          <g key={line[0]?.index}>
            <polyline className={styles.line} points={line.map(({ x, y }) => `${WIDTH * x},${HEIGHT * y}`).join(' ')} />
            {line.map(({ x, y, index }) => (
              <circle
                key={index}
                className={styles.value}
                cx={WIDTH * x}
                cy={HEIGHT * y}
                r={index === time ? 4 : 2.5}
                onClick={() => setTime(page, cell, index)}
              >
                <title>{`${volume.times[index]}: ${toText(values[index] ?? NaN)}`}</title>
              </circle>
            ))}
          </g>
        ))}
      </svg>
      {range !== undefined && (
        <p className={styles.range}>
          {toText(range.low)} to {toText(range.high)}
        </p>
      )}
    </figure>
  );
}

function toTable({ times, unit }: StackVolume, values: readonly CurveValue[]): string {
  const rows = times.map((label, at) => `${label}\t${values[at] ?? ''}`);
  return [`time\t${unit === '' ? 'value' : unit}`, ...rows].join('\n');
}

/** While the crosshair is dragged, no values are requested. */
const REST_MS = 150;
const AT_ONCE = 4;

type Curve = { readonly volume: StackVolume; readonly point: Vector3; readonly values: readonly CurveValue[] };

/** The value at a point at every time, as they arrive. */
function useCurve(volume: StackVolume, point: Vector3 | undefined): readonly CurveValue[] {
  const none = useMemo<readonly CurveValue[]>(() => Array.from({ length: volume.times.length }), [volume]);
  const [curve, setCurve] = useState<Curve>();
  useEffect(() => {
    if (point === undefined) return undefined;
    const ending = new AbortController();
    let values = none;
    let next = 0;
    const readSome = async () => {
      while (next < none.length && !ending.signal.aborted) {
        const time = next;
        next += 1;
        const value = await fetchVolumeValue(volume.address, { at: point, time }, ending.signal).then(
          ({ modality }) => modality,
          () => null,
        );
        if (ending.signal.aborted) return;
        values = values.with(time, value);
        setCurve({ volume, point, values });
      }
    };
    const timer = setTimeout(() => {
      for (let i = 0; i < AT_ONCE; i += 1) void readSome();
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [volume, point, none]);
  return curve?.volume === volume && curve.point === point ? curve.values : none;
}
