import type { FileRecord } from '../../../../shared/contract/files.ts';
import type { Quantity } from '../../../../shared/markMeasures.ts';
import { type CsvCell, formatCsvRows } from '../../../kit/ui/formatCsv.ts';
import { orderOf } from '../../../kit/state/frameOrder.ts';
import { stackOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { isMultiFrame } from '../../../kit/state/stacks.ts';
import { describeMeasurement, nameScaleSource } from './describeMeasurement.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import { type Measurement, volumeOfShape } from './measurement.ts';
import { describePlane } from './planeMarks.ts';
import type { RegionStatistics } from '../../../../shared/regionStatistics.ts';
import { chooseScale } from '../../../../shared/pixelScale.ts';
import { findRange } from './throughStack.ts';

export type MeasuredFile = { readonly item: Measurement; readonly file: FileRecord };

/** One row for each measurement, below a header. */
export function formatCsv(measured: readonly MeasuredFile[]): string {
  const rows = measured.map((one) => COLUMNS.map(([, cellOf]) => cellOf(toRow(one))));
  return formatCsvRows([COLUMNS.map(([name]) => name), ...rows]);
}

/** Plain text with one line for each measurement, for a note or an email. */
export function formatText(page: Page, measured: readonly MeasuredFile[]): string {
  return measured
    .map(({ item, file }) => {
      const lines = [MEASURE_KINDS[item.kind].title, describeMeasurement(item).join('; ')].filter(Boolean);
      return `${lines.join(': ')} (${describeImage(page, file, item)})\n`;
    })
    .join('');
}

/** The image of a measurement in words that users know. */
export function describeImage(page: Page, file: FileRecord, item: Measurement): string {
  const name = titleOfSeries(file);
  if (item.place.type === 'slide') return `${name}, whole slide`;
  const plane = namePlane(item);
  if (plane !== undefined) return `${name}, ${plane}`;
  const range = findRange(page, item);
  if (range !== undefined) return `${name}, images ${range.from + 1} to ${range.to + 1} as shown`;
  return nameFrame(page, file, item.frame);
}

export function titleOfSeries({ series_number, series_description, label }: FileRecord): string {
  const series = [series_number === '' ? '' : `#${series_number}`, series_description].filter(Boolean);
  return series.length > 0 ? series.join(' ') : label;
}

export function nameFrame(page: Page, file: FileRecord, frame: number): string {
  const image = file.instance_number === '' ? '' : `, image ${file.instance_number}`;
  return `${titleOfSeries(file)}${image}${isMultiFrame(file) ? `, ${describeFrame(page, file, frame)}` : ''}`;
}

/** The frame number in the file, and the position where it is shown if that differs. */
function describeFrame(page: Page, file: FileRecord, frame: number): string {
  const { positions, isAsStored, imageCount } = orderOf(stackOf(page, file), file);
  const position = positions.get(frame);
  const place = isAsStored || position === undefined ? '' : ` (${position + 1} / ${imageCount} as shown)`;
  return `frame ${frame + 1}${place}`;
}

type Row = ReturnType<typeof toRow>;

function toRow({ item, file }: MeasuredFile) {
  const { quantitiesOf } = MEASURE_KINDS[item.kind];
  // A 3-D box has a volume, and no points of which an area would follow.
  const scale =
    item.place.type === 'volume' ? undefined : quantitiesOf && item.scale && chooseScale(item.scale, item.points);
  const quantities = (scale && quantitiesOf?.(item.points, scale)) ?? [];
  const numbers = item.values?.kind === 'numbers' ? item.values : undefined;
  const channels = item.values?.kind === 'channels' ? item.values : undefined;
  return { item, file, scale, quantities, numbers, channels };
}

/** The quantities whose unit has a column. */
const SIZES: readonly Quantity['name'][] = ['length', 'short_axis', 'area'];

const COLUMNS: readonly (readonly [name: string, cellOf: (row: Row) => CsvCell])[] = [
  ['file_path', ({ file }) => file.path],
  ['sop_instance_uid', ({ file }) => file.sop_instance_uid],
  ['frame_number', ({ item }) => (isOnOneFrame(item) ? item.frame + 1 : undefined)],
  ['kind', ({ item }) => item.kind],
  ['points_xy', ({ item }) => item.points.map(({ x, y }) => `${round(x)} ${round(y)}`).join('; ')],
  ['length', ({ quantities }) => findQuantity(quantities, 'length')],
  ['angle_degrees', ({ quantities }) => findQuantity(quantities, 'angle')],
  ['area', ({ quantities }) => findQuantity(quantities, 'area')],
  ['size_unit', ({ quantities }) => quantities.find(({ name }) => SIZES.includes(name))?.unit],
  ['spacing_source', ({ scale }) => scale && nameScaleSource(scale)],
  ['mean', ({ numbers }) => numbers?.statistics.mean],
  ['sd_population', ({ numbers }) => numbers?.statistics.sd],
  ['min', ({ numbers }) => numbers?.statistics.min],
  ['max', ({ numbers }) => numbers?.statistics.max],
  ['pixel_count', ({ numbers, channels }) => (numbers ?? channels?.channels[0])?.statistics.count],
  ['padding_count', ({ numbers }) => numbers?.statistics.paddingCount],
  ['unmapped_count', ({ numbers }) => numbers?.statistics.unmappedCount],
  ['channel_means', ({ channels }) => channels && listChannels(channels, ({ mean }) => mean)],
  ['channel_sds', ({ channels }) => channels && listChannels(channels, ({ sd }) => sd)],
  ['value_unit', ({ numbers }) => numbers?.unit],
  ['value_origin', ({ numbers, channels }) => (numbers ?? channels)?.origin],
  // Points on a plane are pixels of that plane, and the file is the first one of its volume.
  ['plane', ({ item }) => namePlane(item)],
  ['short_axis', ({ quantities }) => findQuantity(quantities, 'short_axis')],
  ['volume_ml', ({ item }) => volumeOfShape(item)],
  ['class', ({ item }) => item.words.class ?? undefined],
  ['label', ({ item }) => item.words.label],
  ['text', ({ item }) => item.words.text],
  ['comment', ({ item }) => item.words.comment],
  ['time_s', ({ quantities }) => findQuantity(quantities, 'time')],
  ['velocity_cm_s', ({ quantities }) => findQuantity(quantities, 'velocity')],
  ['distance_mm', ({ quantities }) => findQuantity(quantities, 'distance')],
  ['frequency_hz', ({ quantities }) => findQuantity(quantities, 'frequency')],
  ['velocity_time_integral_cm', ({ quantities }) => findQuantity(quantities, 'velocity_time_integral')],
];

function isOnOneFrame(item: Measurement): boolean {
  return item.place.type === 'frame';
}

/** Where it is, if that is no stored frame. */
function namePlane({ place }: Measurement): string | undefined {
  if (place.type === 'volume') return '3-D box';
  if (place.type === 'plane') return describePlane(place.grid);
  return place.type === 'cut' ? place.cut.name : undefined;
}

function findQuantity(quantities: readonly Quantity[], wanted: Quantity['name']): number | undefined {
  return quantities.find(({ name }) => name === wanted)?.value;
}

type Channels = Extract<NonNullable<Measurement['values']>, { kind: 'channels' }>;

function listChannels({ channels }: Channels, valueOf: (statistics: RegionStatistics) => number): string {
  return channels.map(({ name, statistics }) => `${name} ${Number(valueOf(statistics).toPrecision(10))}`).join('; ');
}

function round(position: number): number {
  return Number(position.toFixed(3));
}
