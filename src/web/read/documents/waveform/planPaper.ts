import type { WireWaveformChannel } from '../../../../shared/contract/waveforms.ts';
import type { Strip, TraceTerm } from './strips.ts';

export const ECG_LAYOUTS = {
  '3x4': '3 × 4 and rhythm II',
  '6x2': '6 × 2',
  '12x1': '12 × 1',
  cabrera: '6 × 2, Cabrera order',
  stored: 'As recorded',
} as const;
export type EcgLayout = keyof typeof ECG_LAYOUTS;

const LIMB = ['I', 'II', 'III', 'aVR', 'aVL', 'aVF'] as const;
const CHEST = ['V1', 'V2', 'V3', 'V4', 'V5', 'V6'] as const;
/** The limb leads in the order of their angles. */
const CABRERA = ['aVL', 'I', '-aVR', 'II', 'aVF', 'III'] as const;

/** Columns of leads that share the width, and leads below them that have all of it. */
type Arrangement = { readonly columns: readonly (readonly string[])[]; readonly rhythm: readonly string[] };

const ARRANGEMENTS: Readonly<Record<Exclude<EcgLayout, 'stored'>, Arrangement>> = {
  '3x4': { columns: [LIMB.slice(0, 3), LIMB.slice(3), CHEST.slice(0, 3), CHEST.slice(3)], rhythm: ['II'] },
  '6x2': { columns: [LIMB, CHEST], rhythm: [] },
  '12x1': { columns: [[...LIMB, ...CHEST]], rhythm: [] },
  cabrera: { columns: [CABRERA, CHEST], rhythm: [] },
};

/** Twelve rows are closer to each other, as on paper. Rows begin and have their zero at a strong line. */
const ROW_MM: Readonly<Record<EcgLayout, number>> = { '3x4': 25, '6x2': 20, '12x1': 15, cabrera: 20, stored: 20 };
const STRONG_MM = 5;
/** Of the step of one millivolt at the left. */
export const STEP_MM = 5;
export const LEFT_MM = 10;
const TOP_MM = 5;

export type PaperOptions = {
  readonly group: number;
  readonly channels: readonly WireWaveformChannel[];
  readonly layout: EcgLayout;
  readonly startS: number;
  /** On the whole width. */
  readonly seconds: number;
  readonly mmPerS: number;
  readonly mmPerMv: number;
  readonly pxPerMm: number;
  /** Whether leads that were not recorded are computed from I and II. */
  readonly isDerived: boolean;
};

export type PaperPlan = {
  readonly strips: readonly Strip[];
  readonly width: number;
  readonly height: number;
  readonly pxPerMm: number;
  /** Where the rows begin, for their step of calibration. */
  readonly steps: readonly { readonly zeroY: number; readonly heightPx: number }[];
};

/** The seconds that each lead gets: a column of a layout shows the part of the time that follows the column before it. */
export function planPaper(options: PaperOptions): PaperPlan {
  const { layout, seconds, mmPerS, mmPerMv, pxPerMm, startS } = options;
  const { columns, rhythm } =
    layout === 'stored' ? { columns: [listStored(options.channels)], rhythm: [] } : ARRANGEMENTS[layout];
  // At 20 mm/mV the steps of calibration of rows would touch.
  const rowMm = ROW_MM[layout] + (mmPerMv > 10 ? 2 * STRONG_MM : 0);
  const rowPx = rowMm * pxPerMm;
  const zeroPx = Math.ceil(rowMm / 2 / STRONG_MM) * STRONG_MM * pxPerMm;
  const [left, top] = [LEFT_MM * pxPerMm, TOP_MM * pxPerMm];
  const pxPerS = mmPerS * pxPerMm;
  const pxPerUnit = mmPerMv * pxPerMm;
  const share = seconds / columns.length;
  const common = { height: rowPx, pxPerS, pxPerUnit, unit: 'mV' };
  const place = (name: string, row: number, at: number, length: number): Strip => ({
    ...common,
    ...findTrace(name, options),
    left: left + at * pxPerS,
    width: length * pxPerS,
    top: top + row * rowPx,
    startS: startS + at,
    zeroY: top + row * rowPx + zeroPx,
  });
  const rows = Math.max(1, ...columns.map((leads) => leads.length));
  const strips = [
    ...columns.flatMap((leads, column) => leads.map((name, row) => place(name, row, column * share, share))),
    ...rhythm.map((name, at) => place(name, rows + at, 0, seconds)),
  ];
  const count = rows + rhythm.length;
  return {
    strips,
    pxPerMm,
    width: Math.ceil(left + seconds * pxPerS + STEP_MM * pxPerMm),
    height: Math.ceil(2 * top + count * rowPx),
    steps: Array.from({ length: count }, (_, row) => ({ zeroY: top + row * rowPx + zeroPx, heightPx: pxPerUnit })),
  };
}

/** All channels in volts, in their order; channels without a lead have their label. */
function listStored(channels: readonly WireWaveformChannel[]): string[] {
  return channels.filter(({ unit }) => mvPerUnit(unit) !== undefined).map(nameOfChannel);
}

export function nameOfChannel({ lead, label }: WireWaveformChannel): string {
  return lead ?? label;
}

type Trace = Pick<Strip, 'name' | 'note' | 'terms'>;

/** The channel of a lead; -aVR is aVR upside down. Others are computed only if the user wants that. */
function findTrace(name: string, { group, channels, isDerived }: PaperOptions): Trace {
  const term = (lead: string, factor: number): TraceTerm[] => {
    const channel = channels.findIndex((one) => nameOfChannel(one) === lead && mvPerUnit(one.unit) !== undefined);
    return channel < 0 ? [] : [{ group, channel, factor: factor * (mvPerUnit(channels[channel]?.unit ?? null) ?? 1) }];
  };
  const own = term(name, 1);
  if (own.length > 0) return { name, note: '', terms: own };
  const turned = name === '-aVR' ? term('aVR', -1) : [];
  if (turned.length > 0) return { name, note: '', terms: turned };
  const [first, second] = FROM_LIMBS[name] ?? [];
  if (first !== undefined && second !== undefined && isDerived) {
    const terms = [...term('I', first), ...term('II', second)];
    const [one, two] = terms.map(({ channel }) => channels[channel]?.skew_s);
    if (terms.length === 2 && one === two) return { name, note: 'derived', terms };
  }
  return { name, note: 'not recorded', terms: [] };
}

/** Einthoven and Goldberger: factors of I and II. */
const FROM_LIMBS: Readonly<Record<string, readonly [number, number]>> = {
  III: [-1, 1],
  aVR: [-0.5, -0.5],
  '-aVR': [0.5, 0.5],
  aVL: [1, -0.5],
  aVF: [-0.5, 1],
};

/** Millivolts in a unit; undefined if it is not one of voltage. */
export function mvPerUnit(unit: string | null): number | undefined {
  return unit === null || !Object.hasOwn(MV, unit) ? undefined : MV[unit];
}

const MV: Readonly<Record<string, number>> = { V: 1_000, mV: 1, µV: 1e-3, uV: 1e-3, nV: 1e-6 };

/** The layout that leaves least empty. */
export function chooseLayout(channels: readonly WireWaveformChannel[]): EcgLayout {
  const names = new Set(channels.filter(({ unit }) => mvPerUnit(unit) !== undefined).map(nameOfChannel));
  return [...LIMB, ...CHEST].filter((lead) => names.has(lead)).length >= 8 ? '3x4' : 'stored';
}
