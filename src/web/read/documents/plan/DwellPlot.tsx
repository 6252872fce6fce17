import type { WireDwell } from '../../../../shared/contract/plans.ts';
import styles from './PlanView.module.css';

const WIDTH = 640;
const HEIGHT = 180;
const LEFT = 44;
const BELOW = 30;
const TOP = 16;

type Props = { readonly dwells: readonly WireDwell[]; readonly label: string };

/** How long the source stays at each place of a channel: a bar for each dwell position, by its distance from the tip. */
export function DwellPlot({ dwells, label }: Props) {
  const bars = dwells.flatMap(({ relative_mm: place, time_s: time }) =>
    place === null || time === null ? [] : [{ place, time }],
  );
  if (bars.length === 0) return null;
  const longest = Math.max(...bars.map(({ time }) => time)) || 1;
  const places = bars.map(({ place }) => place);
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const toX = (place: number) => LEFT + ((place - first) / (last - first || 1)) * (WIDTH - LEFT - 20) + 8;
  const toY = (time: number) => TOP + (1 - time / longest) * (HEIGHT - TOP - BELOW);
  const width = Math.max(1, Math.min(14, (WIDTH - LEFT) / bars.length - 2));
  return (
    <svg
      className={styles.plot}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an SVG of React elements cannot be the source of an img
      role="img"
      aria-label={label}
      data-bars={bars.length}
    >
      <path className={styles.axes} d={`M${LEFT} ${TOP}V${HEIGHT - BELOW}H${WIDTH}`} />
      <g className={styles.bars}>
        {bars.map(({ place, time }, at) => (
          <rect
            // oxlint-disable-next-line react/no-array-index-key -- several positions may be in one place
            key={at}
            x={toX(place) - width / 2}
            y={toY(time)}
            width={width}
            height={HEIGHT - BELOW - toY(time)}
          >
            <title>{`${round(place)} mm from the tip: ${round(time)} s`}</title>
          </rect>
        ))}
      </g>
      <g className={styles.ticks} fontSize={11}>
        <text x={4} y={TOP + 4}>
          {round(longest)} s
        </text>
        <text x={4} y={HEIGHT - BELOW}>
          0 s
        </text>
        <text x={toX(first) - 4} y={HEIGHT - 12}>
          {round(first)} mm
        </text>
        <text x={toX(last) - 40} y={HEIGHT - 12}>
          {round(last)} mm
        </text>
        <text x={WIDTH / 2 - 60} y={HEIGHT - 12}>
          distance from the tip
        </text>
      </g>
    </svg>
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
