import type { SpacingSource } from '../../shared/contract/files.ts';
import type { Attributes } from '../dicom/dataSet.ts';
import * as Tag from '../dicom/tag.ts';

export type PixelSpacing = {
  /** Between rows, between columns. */
  readonly spacingMm: readonly [number, number] | undefined;
  readonly source: SpacingSource | undefined;
  /** Height of a pixel over its width. */
  readonly aspectRatio: number | undefined;
};

/** Top-level tags that `readPixelSpacing` asks for. */
export const PIXEL_SPACING_TAGS: readonly number[] = [
  Tag.PixelSpacing,
  Tag.ImagerPixelSpacing,
  Tag.NominalScannedPixelSpacing,
  Tag.PixelAspectRatio,
];

/**
 * Distances in the patient before distances at the detector before those of a scanned film, as PS3.3 10.7 ranks them.
 * Nothing is guessed where a file declares none. `pixelMeasures` is the functional group of the first frame.
 */
export function readPixelSpacing(header: Attributes, pixelMeasures: Attributes | undefined): PixelSpacing {
  const declared: readonly (readonly [SpacingSource, readonly number[] | undefined])[] = [
    ['pixel_spacing', pixelMeasures?.numbers(Tag.PixelSpacing, 2)],
    ['pixel_spacing', header.numbers(Tag.PixelSpacing, 2)],
    ['imager', header.numbers(Tag.ImagerPixelSpacing, 2)],
    ['nominal', header.numbers(Tag.NominalScannedPixelSpacing, 2)],
  ];
  for (const [source, numbers] of declared) {
    const spacingMm = toPositivePair(numbers);
    if (spacingMm !== undefined) return { spacingMm, source, aspectRatio: spacingMm[0] / spacingMm[1] };
  }
  const ratio = toPositivePair(header.numbers(Tag.PixelAspectRatio, 2));
  const aspectRatio = ratio === undefined ? undefined : ratio[0] / ratio[1];
  return { spacingMm: undefined, source: undefined, aspectRatio };
}

function toPositivePair(numbers: readonly number[] | undefined): readonly [number, number] | undefined {
  const [vertical, horizontal] = numbers ?? [];
  if (vertical === undefined || horizontal === undefined) return undefined;
  return isPositive(vertical) && isPositive(horizontal) ? [vertical, horizontal] : undefined;
}

function isPositive(number: number): boolean {
  return Number.isFinite(number) && number > 0;
}
