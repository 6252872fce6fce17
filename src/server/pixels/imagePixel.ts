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
  /** What was missing or wrong and had to be taken from something else, in words for people. */
  readonly warnings: readonly string[];
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
  };
  return isAcrNema(description)
    ? { ...description, samplesPerPixel: 1, photometricInterpretation: 'MONOCHROME2' }
    : addImplied(description);
}

const THREE_SAMPLES = ['RGB', 'YBR_FULL', 'YBR_FULL_422', 'YBR_PARTIAL_422', 'YBR_PARTIAL_420', 'YBR_ICT', 'YBR_RCT'];
const ONE_SAMPLE = ['MONOCHROME1', 'MONOCHROME2', 'PALETTE COLOR'];

/** What is absent, though other attributes leave no choice for it. */
function addImplied(description: PixelDescription): PixelDescription {
  const { photometricInterpretation: name = '', bitsAllocated, highBit, pixelData } = description;
  const warnings = [...description.warnings];
  let { samplesPerPixel, bitsStored } = description;
  if (samplesPerPixel === undefined && (ONE_SAMPLE.includes(name) || THREE_SAMPLES.includes(name))) {
    samplesPerPixel = ONE_SAMPLE.includes(name) ? 1 : 3;
    warnings.push(`Samples per Pixel is missing: taken to be ${samplesPerPixel}, as ${name} implies.`);
  }
  const isInteger = pixelData === undefined || sampleKindOf(pixelData.tag) === 'integer';
  if (bitsStored === undefined && bitsAllocated !== undefined && isInteger) {
    // The current standard leaves no other High Bit than Bits Stored - 1.
    const isPlausible = highBit !== undefined && highBit >= 0 && highBit < bitsAllocated;
    bitsStored = isPlausible ? highBit + 1 : bitsAllocated;
    warnings.push(
      `Bits Stored is missing: taken to be ${bitsStored}, as ${isPlausible ? 'High Bit' : 'Bits Allocated'} implies.`,
    );
  }
  return { ...description, samplesPerPixel, bitsStored, warnings };
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

function parseNumberOfFrames(text: string | undefined): { count: number | undefined; warnings: readonly string[] } {
  const trimmed = text?.trim() ?? '';
  // Some writers of single images put 0.
  if (/^0*$/.test(trimmed)) return { count: 1, warnings: [] };
  const [, digits = '0', rest = ''] = /^\+?(\d{1,10})(?!\d)(.*)$/s.exec(trimmed) ?? [];
  const frames = Number(digits);
  if (frames === 0) return { count: undefined, warnings: [] };
  // A decimal fraction or an exponent is another number than its first digits are.
  if (/^\s*[.,eE]/.test(rest)) return { count: undefined, warnings: [] };
  const warning = `Number of Frames is "${trimmed.slice(0, 16)}": its leading number, ${frames}, is used.`;
  return { count: frames, warnings: rest === '' ? [] : [warning] };
}

/** Of another VR than it should be, such an attribute can be 3.2, which is as good as none. */
export function findInteger(attributes: { number(tag: number): number | undefined }, tag: number): number | undefined {
  const value = attributes.number(tag);
  return Number.isSafeInteger(value) ? value : undefined;
}
