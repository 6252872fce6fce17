import { isMasked } from '../../bytes/masking/masker.ts';
import type { Redaction } from '../../bytes/origins/origins.ts';
import * as Tag from '../../standard/dicom/tag.ts';

/** The type of the samples, determined by the tag of the pixel data element. */
export type SampleKind = 'integer' | 'float32' | 'float64';

/**
 * The image pixel attributes (PS3.3 C.7.6.3) and the pixel data element as a file declares them. Undefined means absent
 * or unreadable; `assessSupport` determines which descriptions can be shown.
 */
export type PixelDescription = {
  readonly transferSyntaxUid: string;
  readonly rows: number | undefined;
  readonly columns: number | undefined;
  readonly samplesPerPixel: number | undefined;
  readonly bitsAllocated: number | undefined;
  readonly bitsStored: number | undefined;
  readonly highBit: number | undefined;
  readonly pixelRepresentation: number | undefined;
  readonly photometricInterpretation: string | undefined;
  readonly planarConfiguration: number | undefined;
  /** Number of Frames (0028,0008): 1 if absent, empty or 0, undefined if it is not a positive integer. */
  readonly numberOfFrames: number | undefined;
  readonly hasPalette: boolean;
  /** In a masked run: whether the picture shows the label of a slide, which has the name of the patient. */
  readonly isMaskedLabel?: boolean;
  readonly pixelData: PixelDataShape | undefined;
  /** User-readable warnings about attributes that were missing or wrong and had to be inferred. */
  readonly warnings: readonly string[];
};

/** The properties of the pixel data element that a description needs. */
export type PixelDataShape = {
  readonly tag: number;
  readonly vr: string;
  readonly encapsulated: boolean;
  /** Bytes of the value that the file actually holds. */
  readonly length: number;
};

/** The same attributes after `assessSupport` has found them complete and consistent. */
export type ImagePixel = {
  readonly transferSyntaxUid: string;
  readonly rows: number;
  readonly columns: number;
  readonly samplesPerPixel: number;
  readonly bitsAllocated: number;
  readonly bitsStored: number;
  readonly highBit: number;
  /** 1 means two's complement integers. Float samples have 0. */
  readonly pixelRepresentation: 0 | 1;
  readonly photometricInterpretation: string;
  readonly planarConfiguration: 0 | 1;
  readonly numberOfFrames: number;
  readonly sampleKind: SampleKind;
  readonly pixelDataVr: string;
  readonly encapsulated: boolean;
  /** Parts of its frames that are filled when they are decoded. */
  readonly redactions?: readonly Redaction[];
};

/** The interface of a data set, complete or limited to the needed tags. */
export type PixelAttributes = {
  has(tag: number): boolean;
  number(tag: number): number | undefined;
  string(tag: number): string | undefined;
  strings(tag: number, most: number): readonly string[];
};

/** Top-level tags that `describePixels` reads. */
export const PIXEL_DESCRIPTION_TAGS: readonly number[] = [
  Tag.SamplesPerPixel,
  Tag.PhotometricInterpretation,
  Tag.PlanarConfiguration,
  Tag.NumberOfFrames,
  Tag.Rows,
  Tag.Columns,
  Tag.BitsAllocated,
  Tag.BitsStored,
  Tag.HighBit,
  Tag.PixelRepresentation,
  Tag.RedPaletteColorLookupTableDescriptor,
  Tag.ImageType,
  Tag.SpecimenLabelInImage,
];

export function describePixels(
  attributes: PixelAttributes,
  transferSyntaxUid: string,
  pixelData: PixelDataShape | undefined,
): PixelDescription {
  const integer = (tag: number) => findInteger(attributes, tag);
  const frames = parseNumberOfFrames(attributes.string(Tag.NumberOfFrames));
  const description: PixelDescription = {
    transferSyntaxUid,
    rows: integer(Tag.Rows),
    columns: integer(Tag.Columns),
    samplesPerPixel: integer(Tag.SamplesPerPixel),
    bitsAllocated: integer(Tag.BitsAllocated),
    bitsStored: integer(Tag.BitsStored),
    highBit: integer(Tag.HighBit),
    pixelRepresentation: integer(Tag.PixelRepresentation),
    photometricInterpretation: attributes.string(Tag.PhotometricInterpretation)?.trim().toUpperCase() || undefined,
    planarConfiguration: integer(Tag.PlanarConfiguration),
    numberOfFrames: frames.count,
    hasPalette: attributes.has(Tag.RedPaletteColorLookupTableDescriptor),
    pixelData,
    warnings: frames.warnings,
    ...(isMasked() && { isMaskedLabel: showsSlideLabel(attributes) }),
  };
  const old = { samplesPerPixel: 1, photometricInterpretation: 'MONOCHROME2' };
  return addImplied(isAcrNema(description) ? { ...description, ...old } : description);
}

/** Value 3 of Image Type says what a picture of a slide shows. PS3.3 C.8.12.4.1.1. */
const MOST_IMAGE_TYPES = 3;

/** A label image does, and an overview unless it says that it does not. */
export function showsSlideLabel(attributes: PixelAttributes): boolean {
  const role = attributes.strings(Tag.ImageType, MOST_IMAGE_TYPES)[MOST_IMAGE_TYPES - 1]?.toUpperCase();
  const hasLabel = attributes.string(Tag.SpecimenLabelInImage)?.toUpperCase();
  return role === 'LABEL' || hasLabel === 'YES' || (role === 'OVERVIEW' && hasLabel !== 'NO');
}

const THREE_SAMPLES = ['RGB', 'YBR_FULL', 'YBR_FULL_422', 'YBR_PARTIAL_422', 'YBR_PARTIAL_420', 'YBR_ICT', 'YBR_RCT'];
const ONE_SAMPLE = ['MONOCHROME1', 'MONOCHROME2', 'PALETTE COLOR'];

/** Adds absent attributes that follow from others. */
function addImplied(description: PixelDescription): PixelDescription {
  const { photometricInterpretation: name = '', bitsAllocated, highBit, pixelData } = description;
  const warnings = [...description.warnings];
  let { samplesPerPixel, bitsStored, pixelRepresentation } = description;
  if (samplesPerPixel === undefined && (ONE_SAMPLE.includes(name) || THREE_SAMPLES.includes(name))) {
    samplesPerPixel = ONE_SAMPLE.includes(name) ? 1 : 3;
    warnings.push(`Samples per Pixel is missing; ${samplesPerPixel} is assumed because of ${name}.`);
  }
  const isInteger = pixelData === undefined || sampleKindOf(pixelData.tag) === 'integer';
  if (bitsStored === undefined && bitsAllocated !== undefined && isInteger) {
    // The current standard allows no High Bit other than Bits Stored - 1.
    const isPlausible = highBit !== undefined && highBit >= 0 && highBit < bitsAllocated;
    bitsStored = isPlausible ? highBit + 1 : bitsAllocated;
    warnings.push(
      `Bits Stored is missing; ${bitsStored} is assumed because of ${isPlausible ? 'High Bit' : 'Bits Allocated'}.`,
    );
  }
  if (pixelRepresentation === undefined && bitsAllocated !== undefined && isInteger) {
    pixelRepresentation = 0;
    warnings.push('Pixel Representation is missing; the samples are taken for unsigned numbers.');
  }
  return { ...description, samplesPerPixel, bitsStored, pixelRepresentation, warnings };
}

/**
 * ACR-NEMA images, which predate DICOM, were gray and had neither attribute; an exactly matching length of the value
 * confirms it.
 */
function isAcrNema(description: PixelDescription): boolean {
  const { rows = 0, columns = 0, bitsAllocated = 0, numberOfFrames: frames = 0, pixelData } = description;
  if (description.samplesPerPixel !== undefined || description.photometricInterpretation !== undefined) return false;
  if (pixelData === undefined || pixelData.encapsulated) return false;
  const bytes = Math.ceil((rows * columns * frames * bitsAllocated) / 8);
  return pixelData.length === bytes + (bytes % 2);
}

export function sampleKindOf(pixelDataTag: number): SampleKind {
  if (pixelDataTag === Tag.FloatPixelData) return 'float32';
  return pixelDataTag === Tag.DoubleFloatPixelData ? 'float64' : 'integer';
}

function parseNumberOfFrames(text: string | undefined): { count: number | undefined; warnings: readonly string[] } {
  const trimmed = text?.trim() ?? '';
  // Some writers put 0 for a single image.
  if (/^0*$/.test(trimmed)) return { count: 1, warnings: [] };
  const [, digits = '0', rest = ''] = /^\+?(\d{1,10})(?!\d)(.*)$/s.exec(trimmed) ?? [];
  const frames = Number(digits);
  if (frames === 0) return { count: undefined, warnings: [] };
  // With a decimal fraction or an exponent, the number differs from its leading digits.
  if (/^\s*[.,eE]/.test(rest)) return { count: undefined, warnings: [] };
  const warning = `Number of Frames is "${trimmed.slice(0, 16)}": its leading number, ${frames}, is used.`;
  return { count: frames, warnings: rest === '' ? [] : [warning] };
}

/** With the wrong VR such an attribute can be a fraction like 3.2, which is treated as absent. */
export function findInteger(attributes: { number(tag: number): number | undefined }, tag: number): number | undefined {
  const value = attributes.number(tag);
  return Number.isSafeInteger(value) ? value : undefined;
}
