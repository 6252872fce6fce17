import type { RtDoseContext } from '../../shared/contract/semantics.ts';
import { formatValue } from '../overlays/formatNumbers.ts';
import type { Fact } from './fact.ts';
import { describeLinear } from './imageFacts.ts';
import { groupDigits } from '../ui/groupDigits.ts';

/** Dose Units (3004,0002). */
const UNITS: Readonly<Record<string, string>> = { GY: 'Gy', RELATIVE: 'relative to a reference' };

export function doseFacts(context: RtDoseContext): Fact[] {
  const { dose_grid_scaling: scaling, dose_units, dose_type, dose_summation_type, displayed_value_kind } = context;
  return [
    ['Units', dose_units === null ? 'not declared' : (UNITS[dose_units] ?? dose_units)],
    ['Dose', scaling === null ? 'unknown: Dose Grid Scaling is missing or not a number' : describeLinear(scaling, 0)],
    ['Type', dose_type?.toLowerCase()],
    ['Summation type', dose_summation_type?.toLowerCase().replaceAll('_', ' ')],
    ['Shown values', displayed_value_kind.replaceAll('_', ' ')],
  ];
}

export function gridFacts(geometry: RtDoseContext['geometry']): Fact[] {
  const { pixel_spacing, image_position_patient, image_orientation_patient, grid_frame_offsets } = geometry;
  return [
    ['Spacing', pixel_spacing === null ? 'unknown' : `${pixel_spacing.map(formatValue).join(' × ')} mm`],
    ['Planes', describeOffsets(grid_frame_offsets)],
    ['Position', image_position_patient?.map(formatValue).join(', ')],
    ['Orientation', image_orientation_patient?.map(formatValue).join(', ')],
  ];
}

/** Differences below this are rounding errors. */
const EVEN_MM = 1e-3;

/** `15, 5 mm apart`: the planes lie along the normal of the first one. */
export function describeOffsets(offsets: readonly number[]): string {
  const [first, second] = offsets;
  if (first === undefined || second === undefined) return offsets.length === 0 ? 'not declared' : '1';
  const step = second - first;
  const isEven = offsets.every((offset, i) => Math.abs(offset - (first + i * step)) < EVEN_MM);
  const count = groupDigits(offsets.length);
  if (isEven) return `${count}, ${formatValue(Math.abs(step))} mm apart`;
  return `${count}, unevenly spaced from ${formatValue(first)} to ${formatValue(offsets.at(-1) ?? first)} mm`;
}
