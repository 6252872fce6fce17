import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { Vector3 } from '../../../../shared/geometry.ts';
import { fetchVolumeValue } from '../../../kit/api/volumes.ts';
import { formatValue } from '../../../kit/ui/formatNumbers.ts';
import { crosshairOf } from '../../../kit/state/crosshair.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import type { StackVolume } from '../../../kit/state/volumes.ts';
import { CopyButton } from '../../../kit/ui/CopyButton.tsx';
import { imagingOf } from '../viewport/imaging.ts';
import { setTime } from './planeTime.ts';
import { type CurveRegion, curveRegionOf } from '../curveRegion.ts';
import { formatPlaneId, parsePlaneId } from './planeId.ts';
import { openPlane } from './planeSource.ts';
import { type CurveValue, plotCurve } from './plotCurve.ts';
import styles from './TimeCurve.module.css';

type TimeCurveProps = { readonly cell: number; readonly volume: StackVolume; readonly time: number };

/** A button that opens a plot of the value at the crosshair, or of the mean in a region, over all times of the volume. */
export function TimeCurve({ cell, volume, time }: TimeCurveProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <span className={styles.place}>
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={isOpen}
        title="Values at the crosshair or in a region over time"
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
  const point = useStore(crosshairOf(page), ({ points }) => points.get(volume.spaceName ?? ''));
  const selected = useStore(curveRegionOf(page), ({ region }) => region);
  const region = selected !== undefined && isIn(selected, volume) ? selected : undefined;
  const [wantsPoint, setWantsPoint] = useState(false);
  const isOfRegion = region !== undefined && !wantsPoint;
  const values = useCurve(volume, isOfRegion ? region : point);
  const what = isOfRegion ? `Mean in the ${region.title}` : 'Values at the crosshair';
  const { lines, range, places } = useMemo(() => plotCurve(values, volume.timeValues), [values, volume]);
  const now = values[time];
  const unit = volume.unit === '' ? '' : ` ${volume.unit}`;
  const toText = (value: number) => `${formatValue(value)}${unit}`;
  if (point === undefined && !isOfRegion) {
    return <div className={styles.plot}>Set the crosshair, or measure a region, to see values over time.</div>;
  }
  return (
    <figure className={styles.plot}>
      {region !== undefined && (
        <select
          className={styles.choice}
          aria-label="What the curve is of"
          value={wantsPoint ? 'point' : 'region'}
          onChange={({ currentTarget }) => setWantsPoint(currentTarget.value === 'point')}
        >
          <option value="region">Mean in the {region.title}</option>
          <option value="point">At the crosshair</option>
        </select>
      )}
      <figcaption>
        <output>
          {volume.times[time]}: {typeof now === 'number' ? toText(now) : now === null ? 'no value' : '…'}
        </output>
        <CopyButton text={toTable(volume, values)} label="Copy" />
      </figcaption>
      <svg viewBox={`-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`} width={WIDTH + 8} height={HEIGHT + 8}>
        <title>{`${what} over ${values.length} times${range === undefined ? '' : `, ${toText(range.low)} to ${toText(range.high)}`}`}</title>
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

function isIn({ sourceId }: CurveRegion, { address }: StackVolume): boolean {
  const named = parsePlaneId(sourceId)?.address;
  return named?.fileIndex === address.fileIndex && named.frame === address.frame;
}

/** The value at a point, or the mean in a region, at one time. */
async function readValue(
  page: Page,
  { volume, of, time }: { readonly volume: StackVolume; readonly of: Vector3 | CurveRegion; readonly time: number },
  signal: AbortSignal,
): Promise<CurveValue> {
  if (!('sourceId' in of)) return (await fetchVolumeValue(volume.address, { at: of, time }, signal)).modality;
  const spec = parsePlaneId(of.sourceId)?.spec;
  const wish = spec && openPlane(page, formatPlaneId(volume.address, { ...spec, time }))?.samplesOf?.(of.position);
  const outcome = wish && (await imagingOf(page).loader.load(wish));
  if (outcome?.status !== 'ready' || outcome.value.kind !== 'gray') return null;
  return of.mean(outcome.value, () => !signal.aborted);
}

type Curve = {
  readonly volume: StackVolume;
  readonly of: Vector3 | CurveRegion;
  readonly values: readonly CurveValue[];
};

/** The values at every time, as they arrive. */
function useCurve(volume: StackVolume, of: Vector3 | CurveRegion | undefined): readonly CurveValue[] {
  const page = usePage();
  const none = useMemo<readonly CurveValue[]>(() => Array.from({ length: volume.times.length }), [volume]);
  const [curve, setCurve] = useState<Curve>();
  useEffect(() => {
    if (of === undefined) return undefined;
    const ending = new AbortController();
    let values = none;
    let next = 0;
    const readSome = async () => {
      while (next < none.length && !ending.signal.aborted) {
        const time = next;
        next += 1;
        const value = await readValue(page, { volume, of, time }, ending.signal).catch(() => null);
        if (ending.signal.aborted) return;
        values = values.with(time, value);
        setCurve({ volume, of, values });
      }
    };
    const timer = setTimeout(() => {
      for (let i = 0; i < AT_ONCE; i += 1) void readSome();
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [page, volume, of, none]);
  return curve?.volume === volume && curve.of === of ? curve.values : none;
}
