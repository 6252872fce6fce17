import type { ReactNode } from 'react';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { InfoResponse } from '../../../shared/contract/info.ts';
import type { Code, WireRealWorldMapping, RtDoseContext } from '../../../shared/contract/semantics.ts';
import { evenSpacingOf } from '../../../shared/evenSpacing.ts';
import { toDoseUnit } from '../../../shared/modalityUnit.ts';
import { SCALE_TERMS } from '../../../shared/pixelScale.ts';
import { toUcumSymbol } from '../../../shared/unitSymbol.ts';
import { formatValue } from '../../kit/ui/formatNumbers.ts';
import { formatCount } from '../../show/series/describeFile.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';

/** A name and its value. A fact whose value is undefined is not shown. */
export type Fact = readonly [name: string, value: ReactNode];

/** What the attributes of an image say about its frames. */
export function imageFacts(file: FileRecord, info: InfoResponse): Fact[] {
  return [
    ['Size', `${file.columns} × ${file.rows}`],
    ['Frames', groupDigits(file.frame_count)],
    ['Frame time', info.frame_time_ms === null ? undefined : `${formatValue(info.frame_time_ms)} ms`],
    ['Pixel', describeBits(info)],
    ['Photometric', file.photometric_interpretation],
    ['Spacing', describeSpacing(file)],
    ['Pixel aspect', file.pixel_aspect_ratio === 1 ? undefined : (file.pixel_aspect_ratio ?? undefined)],
    ['Rescale', info.samples_per_pixel === 1 ? describeRescale(info) : undefined],
    ['Windows', describeWindows(info)],
    ['VOI function', info.voi_lut_function === 'LINEAR' ? undefined : info.voi_lut_function],
    ['Transfer syntax', file.transfer_syntax_name],
    ['Lossy', info.lossy ? 'yes, at some point' : 'not declared'],
    ['Frame of ref.', file.frame_of_reference_uid ?? undefined],
  ];
}

function describeBits({ bits_allocated, bits_stored, samples_per_pixel, pixel_representation }: InfoResponse): string {
  const samples = samples_per_pixel === 1 ? '' : `${samples_per_pixel} samples of `;
  // Floating point values have no Bits Stored.
  const isAllUsed = bits_stored === bits_allocated || bits_stored === 0;
  const bits = isAllUsed ? formatCount(bits_allocated, 'bit') : `${bits_stored} of ${bits_allocated} bits`;
  return `${samples}${bits}${pixel_representation === 1 ? ', signed' : ''}`;
}

function describeSpacing({ pixel_spacing_mm, pixel_spacing_source }: FileRecord): string {
  if (pixel_spacing_mm === null) return 'unknown';
  const source = pixel_spacing_source === null ? '' : ` (${SCALE_TERMS[pixel_spacing_source].title})`;
  return `${pixel_spacing_mm.map(formatValue).join(' × ')} mm${source}`;
}

function describeRescale({ rescale: { slope, intercept, type } }: InfoResponse): string | undefined {
  // US: unspecified.
  const unit = type === null || type === 'US' ? '' : ` ${type}`;
  return slope === 1 && intercept === 0 && unit === '' ? undefined : describeLinear(slope, intercept) + unit;
}

/** `stored × 2 − 1024`. */
export function describeLinear(slope: number, intercept: number): string {
  const sign = intercept < 0 ? '−' : '+';
  const shift = intercept === 0 ? '' : ` ${sign} ${formatValue(Math.abs(intercept))}`;
  return `stored × ${formatValue(slope)}${shift}`;
}

function describeWindows({ windows }: InfoResponse): string | undefined {
  const texts = windows.map(({ center, width, explanation }) =>
    [`W ${formatValue(width)} L ${formatValue(center)}`, explanation ?? ''].filter((part) => part !== '').join(' '),
  );
  return texts.length === 0 ? undefined : texts.join(', ');
}

/** How stored values are mapped to real-world values, and what those mean. */
export function mappingFacts(mapping: WireRealWorldMapping): Fact[] {
  return [
    ['Quantity', describeCode(mapping.quantity)],
    ['Units', describeUnits(mapping.units)],
    ['Derivation', describeCode(mapping.derivation)],
    ['Stored range', describeRange(mapping)],
    ['Real value', describeTransform(mapping)],
  ];
}

/** `Apparent Diffusion Coefficient (113041, DCM)`. */
function describeCode(code: Code | null): string | undefined {
  if (code === null) return undefined;
  const { value, scheme, meaning } = code;
  return meaning === '' || meaning === value ? `${value} (${scheme})` : `${meaning} (${value}, ${scheme})`;
}

/** `µm²/s, square micrometers per second (um2/s, UCUM)`. */
function describeUnits(units: Code | null): string | undefined {
  const symbol = units?.scheme === 'UCUM' ? toUcumSymbol(units.value) : '';
  if (units === null || symbol === '' || symbol === units.value) return describeCode(units);
  const { value, scheme, meaning } = units;
  const isSaid = ['', value, symbol].includes(meaning);
  return `${symbol}${isSaid ? '' : `, ${meaning}`} (${value}, ${scheme})`;
}

function describeRange({
  first_value_mapped: first,
  last_value_mapped: last,
}: WireRealWorldMapping): string | undefined {
  return first === null || last === null ? undefined : `${formatValue(first)} to ${formatValue(last)}`;
}

function describeTransform({
  slope,
  intercept,
  lut_data,
  lut_data_truncated,
}: WireRealWorldMapping): string | undefined {
  if (slope !== null) return describeLinear(slope, intercept ?? 0);
  const [first, last] = [lut_data[0], lut_data.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const count = `${lut_data_truncated ? 'more than ' : ''}${groupDigits(lut_data.length)} values`;
  return `table of ${count}, from ${formatValue(first)}${lut_data_truncated ? '' : ` to ${formatValue(last)}`}`;
}

export function doseFacts(context: RtDoseContext): Fact[] {
  const { dose_grid_scaling: scaling, dose_units, dose_type, dose_summation_type, displayed_value_kind } = context;
  const unit = toDoseUnit({ doseUnits: dose_units ?? undefined, doseType: dose_type ?? undefined });
  return [
    ['Units', unit === '' ? 'not declared' : unit],
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

/** `15, 5 mm apart`: the planes lie along the normal of the first one. */
export function describeOffsets(offsets: readonly number[]): string {
  const [first] = offsets;
  if (first === undefined || offsets.length < 2) return offsets.length === 0 ? 'not declared' : '1';
  const step = evenSpacingOf(offsets);
  const count = groupDigits(offsets.length);
  if (step !== undefined) return `${count}, ${formatValue(Math.abs(step))} mm apart`;
  return `${count}, unevenly spaced from ${formatValue(first)} to ${formatValue(offsets.at(-1) ?? first)} mm`;
}
