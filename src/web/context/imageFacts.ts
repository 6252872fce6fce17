import type { FileRecord, SpacingSource } from '../../shared/contract/files.ts';
import type { InfoResponse } from '../../shared/contract/info.ts';
import { formatValue } from '../overlays/formatNumbers.ts';
import { formatCount } from '../series/describeFile.ts';
import type { Fact } from './fact.ts';
import { groupDigits } from '../ui/groupDigits.ts';

const SPACING_SOURCES: Readonly<Record<SpacingSource, string>> = {
  pixel_spacing: 'Pixel Spacing',
  imager: 'Imager Pixel Spacing, at the detector',
  nominal: 'Nominal Scanned Pixel Spacing',
};

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
  const source = pixel_spacing_source === null ? '' : ` (${SPACING_SOURCES[pixel_spacing_source]})`;
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
