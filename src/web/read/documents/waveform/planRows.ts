import type { WireWaveformGroup } from '../../../../shared/contract/waveforms.ts';
import type { TraceValues } from './traceValues.ts';
import { nameOfChannel } from './planPaper.ts';
import type { Strip } from './strips.ts';

const ROWS_LEFT_PX = 132;
const RIGHT_PX = 12;
const AXIS_PX = 26;
const LEAST_ROW_PX = 56;
/** Of a row, so that traces do not touch. */
const FILL = 0.84;

export type RowsOptions = {
  readonly groups: readonly WireWaveformGroup[];
  /** The channels that are shown, from top to bottom. */
  readonly rows: readonly { readonly group: number; readonly channel: number }[];
  /** Lowest and highest value of each row. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly startS: number;
  readonly seconds: number;
  readonly widthPx: number;
  readonly heightPx: number;
};

export type RowsPlan = { readonly strips: readonly Strip[]; readonly width: number; readonly height: number };

/** Rows of equal height over one time axis. Each fills its row. */
export function planRows({ groups, rows, ranges, startS, seconds, widthPx, heightPx }: RowsOptions): RowsPlan {
  const rowPx = Math.max(LEAST_ROW_PX, Math.floor((heightPx - AXIS_PX) / Math.max(1, rows.length)));
  const width = Math.max(40, widthPx - ROWS_LEFT_PX - RIGHT_PX);
  const strips = rows.map(({ group, channel }, at): Strip => {
    const one = groups[group]?.channels[channel];
    const [low, high] = ranges[at] ?? [-1, 1];
    const pxPerUnit = (FILL * rowPx) / (high - low);
    return {
      name: one === undefined ? '' : nameOfChannel(one),
      note: one?.unit === null ? 'not calibrated' : '',
      terms: [{ group, channel, factor: 1 }],
      left: ROWS_LEFT_PX,
      width,
      top: at * rowPx,
      height: rowPx,
      startS,
      pxPerS: width / seconds,
      zeroY: (at + 0.5) * rowPx + ((low + high) / 2) * pxPerUnit,
      pxPerUnit,
      unit: one?.unit ?? '',
    };
  });
  return { strips, width: widthPx, height: rows.length * rowPx + AXIS_PX };
}

/** Lowest and highest value; a flat line gets room on both sides. */
export function rangeOf(values: TraceValues | undefined): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values?.values ?? []) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!(low <= high)) return [-1, 1];
  if (low < high) return [low, high];
  const room = Math.abs(low) || 1;
  return [low - room, high + room];
}
