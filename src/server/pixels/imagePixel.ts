import * as Tag from '../dicom/tag.ts';

/** How the samples of the pixel data element are to be read: its tag says it. */
export type SampleKind = 'integer' | 'float32' | 'float64';

/**
 * The image pixel attributes (PS3.3 C.7.6.3) and the pixel data element as a file declares them. Undefined is
 * absent or unreadable; `assessSupport` says which of these can be shown.
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
  /** Number of Frames (0028,0008): 1 where it is absent or empty, undefined where it is no positive integer. */
  readonly numberOfFrames: number | undefined;
  readonly hasPalette: boolean;
  readonly pixelData: PixelDataShape | undefined;
};

/** What a description needs to know of the pixel data element. */
export type PixelDataShape = {
  readonly tag: number;
  readonly vr: string;
  readonly encapsulated: boolean;
  /** Bytes of the value that the file really holds. */
  readonly length: number;
};

/** The same attributes once `assessSupport` has found them whole and consistent. */
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
};

/** What a data set, whole or of the wanted tags only, must answer. */
export type PixelAttributes = {
  has(tag: number): boolean;
  number(tag: number): number | undefined;
  string(tag: number): string | undefined;
};

/** Top-level tags that `describePixels` asks for. */
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
];

export function describePixels(
  attributes: PixelAttributes,
  transferSyntaxUid: string,
  pixelData: PixelDataShape | undefined,
): PixelDescription {
  const integer = (tag: number) => findInteger(attributes, tag);
  const description = {
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
    numberOfFrames: numberOfFrames(attributes.string(Tag.NumberOfFrames)),
    hasPalette: attributes.has(Tag.RedPaletteColorLookupTableDescriptor),
    pixelData,
  };
  return isAcrNema(description)
    ? { ...description, samplesPerPixel: 1, photometricInterpretation: 'MONOCHROME2' }
    : description;
}

/** Before DICOM images were gray and said neither; that the value is just as long is the proof. */
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

function numberOfFrames(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return 1;
  const frames = /^\+?\d{1,10}$/.test(trimmed) ? Number(trimmed) : 0;
  // Some writers of single images put 0.
  if (/^0+$/.test(trimmed)) return 1;
  return frames > 0 ? frames : undefined;
}

/** Of another VR than it should be, such an attribute can be 3.2, which is as good as none. */
export function findInteger(attributes: { number(tag: number): number | undefined }, tag: number): number | undefined {
  const value = attributes.number(tag);
  return Number.isSafeInteger(value) ? value : undefined;
}
