import { useMemo } from 'react';
import type { WireBeamDevice, WireControlPoint } from '../../../../shared/contract/plans.ts';
import styles from './PlanView.module.css';
import { extentOf, type FieldBox, fieldShapeOf } from './fieldShape.ts';

type Props = {
  readonly devices: readonly WireBeamDevice[];
  readonly points: readonly WireControlPoint[];
  readonly point: WireControlPoint;
  readonly label: string;
};

/** Lines of the grid are at these distances in mm. */
const STEPS_MM = [5, 10, 20, 50, 100, 200, 500];
const MOST_LINES = 8;
/** Numbers of the grid: more would touch. */
const MOST_NUMBERS = 4;
/** A number of three digits has no room beyond this share of the drawing. */
const LAST_NUMBER = 0.9;

/**
 * The field as the source sees it: jaws, leaves and spots, in mm at the isocentre. It is turned by the angle of the
 * collimator: seen from the source, a positive angle is counter-clockwise (IEC 61217).
 */
export function BeamsEyeView({ devices, points, point, label }: Props) {
  const extent = useMemo(() => extentOf(devices, points), [devices, points]);
  // What covers the field reaches into the corners of the drawing, however it is turned.
  const { leaves, jaws } = fieldShapeOf(devices, point, extent * Math.SQRT2);
  const step = STEPS_MM.find((one) => extent / one <= MOST_LINES) ?? extent / 4;
  const lines = Array.from({ length: Math.floor(extent / step) }, (_, at) => (at + 1) * step);
  const every = Math.ceil(lines.length / MOST_NUMBERS);
  const numbers = lines.filter((line, at) => (at + 1) % every === 0 && line <= extent * LAST_NUMBER);
  const turned = point.collimator ?? 0;
  return (
    <svg
      className={styles.field}
      viewBox={`${-extent} ${-extent} ${2 * extent} ${2 * extent}`}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an SVG of React elements cannot be the source of an img
      role="img"
      aria-label={label}
      data-leaves={leaves.length}
      data-jaws={jaws.length}
    >
      <g className={styles.grid}>
        {lines.flatMap((at) =>
          [at, -at].map((place) => (
            <path key={place} d={`M${place} ${-extent}V${extent}M${-extent} ${place}H${extent}`} />
          )),
        )}
      </g>
      <g transform={`rotate(${-turned})`}>
        <SpotMap point={point} points={points} />
        <g className={styles.leaves}>{leaves.map(drawBox)}</g>
        <g className={styles.jaws}>{jaws.map(drawBox)}</g>
      </g>
      <path className={styles.axes} d={`M0 ${-extent}V${extent}M${-extent} 0H${extent}`} />
      <g className={styles.ticks} fontSize={extent / 14}>
        {numbers.map((at) => (
          <text key={at} x={at} y={-extent / 60} textAnchor="middle">
            {at}
          </text>
        ))}
        <text x={-extent * 0.97} y={-extent * 0.92}>
          mm at the isocentre
        </text>
      </g>
    </svg>
  );
}

/** y of a drawing points down. */
function drawBox({ x, y, width, height }: FieldBox, at: number) {
  // oxlint-disable-next-line react/no-array-index-key -- a leaf is known by its place in the bank
  return <rect key={at} x={x} y={-y - height} width={width} height={height} />;
}

type SpotProps = { readonly point: WireControlPoint; readonly points: readonly WireControlPoint[] };

/** Spots as circles whose area is their weight, on the scale of the whole beam. One path, because there may be thousands. */
function SpotMap({ point: { spots }, points }: SpotProps) {
  const scale = useMemo(() => {
    let heaviest = 0;
    for (const one of points) for (const weight of one.spots?.weights ?? []) heaviest = Math.max(heaviest, weight);
    return heaviest;
  }, [points]);
  const path = useMemo(() => {
    if (spots === null || scale === 0) return '';
    const largest = Math.min(Math.min(...(spots.size ?? [4])) / 2, spacingOf(spots) * 0.6);
    return spots.x
      .map((x, at) => {
        const r = Math.max(0.15, largest * Math.sqrt((spots.weights[at] ?? 0) / scale));
        return `M${x - r} ${-(spots.y[at] ?? 0)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
      })
      .join('');
  }, [spots, scale]);
  return path === '' ? null : <path className={styles.spots} d={path} data-spots={spots?.x.length} />;
}

/** The usual distance between spots: the smallest between two that follow each other. */
function spacingOf({ x, y }: NonNullable<WireControlPoint['spots']>): number {
  let spacing = Infinity;
  for (let at = 1; at < x.length; at += 1) {
    const distance = Math.hypot((x[at] ?? 0) - (x[at - 1] ?? 0), (y[at] ?? 0) - (y[at - 1] ?? 0));
    if (distance > 0.01) spacing = Math.min(spacing, distance);
  }
  return spacing;
}
