import { traitsOf } from '../../../../shared/markTraits.ts';
import { boxVolumeMl } from '../../../../shared/coverBox.ts';
import type { Quantity, QuantityName } from '../../../../shared/markMeasures.ts';
import { formatValue } from '../../../kit/ui/formatNumbers.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import {
  type BoxInPatient,
  isInterpolated,
  type MeasuredValues,
  type Measurement,
  volumeOfShape,
} from './measurement.ts';
import { chooseScale, type Scale, SCALE_TERMS } from '../../../../shared/pixelScale.ts';

/** What an arrow says, and the numbers of a measurement, as lines of the label on the image. */
export function describeMeasurement(item: Measurement): readonly string[] {
  const { place } = item;
  if (place.type === 'volume') return describeBox(place.box);
  const { quantitiesOf, regionOf, noteOf } = MEASURE_KINDS[item.kind];
  const { text } = item.words;
  const said = text === '' ? [] : text.split('\n');
  const values = regionOf === undefined || place.type === 'stack' ? [] : describeValues(item.values);
  if (quantitiesOf === undefined) return [...said, ...values];
  if (item.scale === undefined) return [...values, WAITING];
  const scale = chooseScale(item.scale, item.points);
  const sizes = quantitiesOf(item.points, scale).map((quantity) => describeQuantity(quantity, item, scale));
  const volumeMl = volumeOfShape(item);
  const volume = volumeMl === undefined ? undefined : `Volume ${formatSize(volumeMl)} ml`;
  const notes = [volume, noteOf?.(item.points), isInterpolated(item) ? 'Interpolated' : undefined];
  return [...values, ...sizes, ...notes.filter((note) => note !== undefined)];
}

export function describeBox(box: BoxInPatient): readonly string[] {
  return [
    `${box.sizeMm.map((length) => Number(length.toFixed(1))).join(' × ')} mm`,
    `Volume ${formatSize(boxVolumeMl(box.sizeMm))} ml`,
  ];
}

/** Written before the number, where a kind has several of them. */
const TITLES: Readonly<Partial<Record<QuantityName, string>>> = {
  length: 'Long',
  short_axis: 'Short',
  area: 'Area',
  time: 'Time',
  velocity: 'Velocity',
  distance: 'Distance',
  frequency: 'Frequency',
  velocity_time_integral: 'Velocity-time integral',
};

function describeQuantity({ name, value, unit }: Quantity, item: Measurement, { source }: Scale): string {
  const { place } = item;
  const isProjected = place.type === 'plane' ? place.grid.slabMm > 0 : place.type === 'cut' && place.cut.isProjected;
  const ending = isProjected ? ' projected' : '';
  if (name === 'angle') return `${value.toFixed(1)}°${ending}`;
  const shown = place.type === 'slide' ? formatSlideSize(value, unit) : `${formatSize(value)} ${unit}`;
  const { note } = SCALE_TERMS[source ?? 'none'];
  const size = `${shown}${note === '' ? '' : ` ${note}`}${ending}`;
  const heading = name === 'length' && traitsOf(item.kind).measures !== 'axes' ? undefined : TITLES[name];
  return heading === undefined ? size : `${heading} ${size}`;
}

/** A size on a slide, with its unit. Small ones are given in micrometres. */
export function formatSlideSize(value: number, unit: string): string {
  if (unit === 'mm' && value < 1) return `${formatSize(value * 1e3)} µm`;
  return unit === 'mm²' && value < 0.1 ? `${formatSize(value * 1e6)} µm²` : `${formatSize(value)} ${unit}`;
}

/** Large numbers are rounded to integers and not written as powers of ten. */
function formatSize(value: number): string {
  return formatValue(value >= 1e6 ? Math.round(value) : value);
}

export function describeValues(values: MeasuredValues | undefined): readonly string[] {
  if (values === undefined) return [WAITING];
  if (values.kind === 'none') return [`No values: ${values.reason}`];
  if (values.kind === 'channels') return describeChannels(values.channels);
  if (values.kind === 'color')
    return [values.rgb === undefined ? 'Color: no single value' : `RGB ${values.rgb.join(' ')}`];
  const { count, mean, sd, min, max, paddingCount, unmappedCount } = values.statistics;
  const unit = values.unit === '' ? '' : ` ${values.unit}`;
  const leftOut = [
    ...(values.made === undefined ? [] : [`Values ${values.made}`]),
    ...(paddingCount > 0 ? [`${paddingCount} px of padding excluded`] : []),
    ...(unmappedCount > 0 ? [`${unmappedCount} px without a value excluded`] : []),
  ];
  if (count === 0) return [paddingCount + unmappedCount === 0 ? 'No pixel center is inside' : 'No values', ...leftOut];
  if (count === 1 && paddingCount + unmappedCount === 0) return [`${formatValue(mean)}${unit}`, ...leftOut];
  return [
    `Mean ${formatValue(mean)}${unit}  SD ${formatValue(sd)}`,
    `Min ${formatValue(min)}  Max ${formatValue(max)}  ${count} px`,
    ...leftOut,
  ];
}

function describeChannels(channels: Extract<MeasuredValues, { kind: 'channels' }>['channels']): readonly string[] {
  const [first] = channels;
  if (first === undefined || first.statistics.count === 0) return ['No pixel center is inside'];
  if (first.statistics.count === 1) {
    return [
      `${channels.map(({ name }) => name).join('')} ${channels.map(({ statistics }) => statistics.mean).join(' ')}`,
    ];
  }
  return [
    ...channels.map(({ name, statistics: { mean, sd, min, max } }) =>
      [`${name} mean ${formatValue(mean)}`, `SD ${formatValue(sd)}`, `${formatValue(min)}–${formatValue(max)}`].join(
        '  ',
      ),
    ),
    `${first.statistics.count} px`,
  ];
}

/** The source of the pixel size. */
export function nameScaleSource({ source }: Scale): string {
  return SCALE_TERMS[source ?? 'none'].title;
}

const WAITING = '…';
