import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { listTicks } from '../../kit/ui/listTicks.ts';
import { PlotAxes } from '../../kit/ui/PlotAxes.tsx';
import { type DvhCurve, highestDose, highestVolume, volumeAt, type VolumeUnit } from './dvhCurves.ts';
import styles from './DvhPanel.module.css';
import { type DoseUnit, formatDose } from './dvhTable.ts';

const LEAST_PX = 140;
/** The curves have this many steps for the keys that move the cursor. */
const STEPS = 200;
const MARGIN = { left: 52, right: 14, top: 10, bottom: 40 } as const;
/** Farther from every curve, the pointer reads none. */
const NEAR_PX = 24;
const PX_PER_TICK = 76;
/** A little more than the highest dose, so that the end of the curve is seen. */
const ROOM = 1.03;

type Props = {
  readonly curves: readonly DvhCurve[];
  readonly unit: VolumeUnit;
  readonly dose: DoseUnit;
  /** The part that the user points at, here or in the table. */
  readonly lit: number | undefined;
  readonly onLight: (part: number | undefined) => void;
  /** Called with the dose at the cursor; undefined without one. */
  readonly onDose: (gy: number | undefined) => void;
};

/** The dose at the cursor, and the curve that is read there, if one is near. */
type Reading = { readonly gy: number; readonly curve?: DvhCurve; readonly volume?: number };

/** Cumulative histograms. The one next to the pointer is read. The cursor stays where it was last. */
export function DvhPlot({ curves, unit, dose, lit, onLight, onDose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [{ width, height }, setSize] = useState({ width: 400, height: 240 });
  const [reading, setReading] = useState<Reading>();
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() =>
      setSize({ width: Math.max(280, element.clientWidth), height: Math.max(LEAST_PX, element.clientHeight) }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const [inner, down] = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
  const mostGy = highestDose(curves) * ROOM;
  const mostVolume = unit === 'percent' ? 100 : highestVolume(curves);
  const xOf = (gy: number) => MARGIN.left + (gy / mostGy) * inner;
  const yOf = (volume: number) => MARGIN.top + (1 - volume / mostVolume) * down;
  const read = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    const gy = Math.min(mostGy, Math.max(0, ((clientX - left - MARGIN.left) / inner) * mostGy));
    let best: Reading = { gy };
    let bestPx = NEAR_PX;
    for (const curve of curves) {
      const volume = volumeAt(curve, gy);
      const px = Math.abs(yOf(volume) - (clientY - top));
      if (px < bestPx) [best, bestPx] = [{ curve, gy, volume }, px];
    }
    setReading(best);
    onLight(best.curve?.part);
    onDose(toStep(gy));
  };
  /** Lines of nearly the same dose are not traced one by one. */
  const toStep = (gy: number) => (Math.round((gy / mostGy) * STEPS) / STEPS) * mostGy;
  const moveTo = (step: number) => {
    const gy = (step / STEPS) * mostGy;
    setReading({ gy });
    onDose(gy);
  };
  const doseTicks = listTicks(0, mostGy / dose.gy, Math.max(2, Math.floor(inner / PX_PER_TICK)));
  const volumeTicks = listTicks(0, mostVolume, 5);
  return (
    <>
      <output className={styles.reading}>{reading === undefined ? '' : describeReading(reading, unit, dose)}</output>
      <div ref={box} className={styles.plot}>
        <svg
          width={width}
          height={height}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a drawing that is no file
          role="img"
          aria-label="Cumulative dose-volume histograms; the table below has the same as numbers"
          onPointerMove={read}
          onPointerLeave={() => onLight(undefined)}
        >
          <PlotAxes
            box={{ left: MARGIN.left, top: MARGIN.top, width: inner, height: down }}
            x={{ label: `Dose (${dose.label})`, ticks: doseTicks, place: (tick) => xOf(tick * dose.gy) }}
            y={{ label: `Volume (${unit === 'percent' ? '%' : 'cm³'})`, ticks: volumeTicks, place: yOf }}
          />
          {curves.map((curve) => (
            <polyline
              key={`${curve.part} ${curve.isStored}`}
              className={styles.curve}
              data-part={curve.part}
              data-stored={curve.isStored}
              data-lit={curve.part === lit}
              data-dim={lit !== undefined && curve.part !== lit}
              stroke={`rgb(${curve.color.join(' ')})`}
              points={toPoints(curve, xOf, yOf)}
            />
          ))}
          {reading !== undefined && (
            <g pointerEvents="none">
              <line
                className={styles.cursor}
                x1={xOf(reading.gy)}
                x2={xOf(reading.gy)}
                y1={MARGIN.top}
                y2={MARGIN.top + down}
              />
              {reading.curve !== undefined && reading.volume !== undefined && (
                <circle
                  className={styles.dot}
                  cx={xOf(reading.gy)}
                  cy={yOf(reading.volume)}
                  r={4}
                  fill={`rgb(${reading.curve.color.join(' ')})`}
                />
              )}
            </g>
          )}
        </svg>
      </div>
      <input
        type="range"
        className={styles.slider}
        style={{ marginLeft: MARGIN.left, width: inner }}
        aria-label="Dose whose line is lit in the images"
        aria-valuetext={`${formatDose(reading?.gy ?? 0, dose)} ${dose.label}`}
        min={0}
        max={STEPS}
        value={Math.round(((reading?.gy ?? 0) / mostGy) * STEPS)}
        onChange={({ target }) => moveTo(Number(target.value))}
      />
    </>
  );
}

/** Points to a tenth of a pixel; those that repeat the height before them are left out. */
function toPoints({ doses, volumes }: DvhCurve, xOf: (gy: number) => number, yOf: (volume: number) => number): string {
  const end = volumes.findLastIndex((volume) => volume > 0) + 1;
  const points: string[] = [];
  for (let at = 0; at <= Math.min(end, doses.length - 1); at += 1) {
    const isFlat = at > 0 && at < end && volumes[at] === volumes[at - 1] && volumes[at] === volumes[at + 1];
    if (!isFlat) points.push(`${xOf(doses[at]!).toFixed(1)},${yOf(volumes[at]!).toFixed(1)}`);
  }
  return points.join(' ');
}

function describeReading({ curve, gy, volume }: Reading, unit: VolumeUnit, dose: DoseUnit): string {
  if (curve === undefined || volume === undefined) return `${formatDose(gy, dose)} ${dose.label}`;
  const amount = unit === 'percent' ? `${volume.toFixed(1)} %` : `${volume.toPrecision(4)} cm³`;
  return `${curve.name}${curve.isStored ? ' (stored)' : ''}: ${amount} with at least ${formatDose(gy, dose)} ${dose.label}`;
}
