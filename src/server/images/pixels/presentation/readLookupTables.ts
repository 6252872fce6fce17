import type { DeclaredVoi } from '../../../../shared/chooseVoi.ts';
import { type LookupTable, parseLookupTable } from '../../../../shared/lookupTable.ts';
import { isSignedModality, type ModalityTransform, NO_RESCALE, toRescale } from '../../../../shared/modality.ts';
import { parseVoiShape } from '../../../../shared/voiWindow.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { attributesOfFrame } from '../../../standard/dicom/eachFrame.ts';
import { MOST_BYTES, MOST_VALUES } from '../../../standard/dicom/mostValues.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import type { ImagePixel } from '../imagePixel.ts';
import { wordBytes } from './valueBytes.ts';
import { type Palette, type PaletteChannel, parsePalette } from '../../../../shared/palette.ts';

const X_RAY_ANGIOGRAPHIC = '1.2.840.10008.5.1.4.1.1.12.1';
const X_RAY_RADIOFLUOROSCOPIC = '1.2.840.10008.5.1.4.1.1.12.2';

/** The pixel attributes that the lookup tables of an image depend on. */
export type TableInput = Pick<ImagePixel, 'pixelRepresentation' | 'bitsStored'>;

/** The modality LUT of a frame, otherwise its rescale. */
export function readModality(dataSet: DataSet, pixel: TableInput, frame: number): ModalityTransform {
  if (isIntensityTransform(dataSet)) return NO_RESCALE;
  const [item] = dataSet.items(Tag.ModalityLUTSequence);
  const table = item === undefined ? undefined : readLookupTable(item, pixel.pixelRepresentation === 1);
  if (table !== undefined) return { kind: 'lut', table };
  const attributes = attributesOfFrame(dataSet, frame, Tag.PixelValueTransformationSequence);
  return toRescale(attributes.number(Tag.RescaleSlope), attributes.number(Tag.RescaleIntercept));
}

/**
 * In angiography, the modality LUT of logarithmic or display values restores the beam intensity; the picture is
 * rendered without it. PS3.3 C.8.7.1.1.2.
 */
function isIntensityTransform(dataSet: DataSet): boolean {
  // Checked first, because most images do not have this attribute.
  const relationship = dataSet.string(Tag.PixelIntensityRelationship);
  if (relationship !== 'LOG' && relationship !== 'DISP') return false;
  const sopClass = dataSet.string(Tag.SOPClassUID);
  return sopClass === X_RAY_ANGIOGRAPHIC || sopClass === X_RAY_RADIOFLUOROSCOPIC;
}

/** Windows and VOI LUTs of a frame, in the order in which the file declares them. */
export function readVoi(dataSet: DataSet, pixel: TableInput, frame: number, modality: ModalityTransform): DeclaredVoi {
  return parseVoi(attributesOfFrame(dataSet, frame, Tag.FrameVOILUTSequence), pixel, modality);
}

/** Windows and VOI LUTs among the attributes of a frame, or of an item of a presentation state. */
export function parseVoi(attributes: DataSet, pixel: TableInput, modality: ModalityTransform): DeclaredVoi {
  const widths = attributes.numbers(Tag.WindowWidth, MOST_VALUES.windows);
  const term = attributes.string(Tag.VOILUTFunction);
  return {
    windows: attributes
      .numbers(Tag.WindowCenter, MOST_VALUES.windows)
      .map((center, i) => ({ center, width: widths[i] ?? Number.NaN })),
    shape: term === undefined ? undefined : parseVoiShape(term),
    tables: readVoiTables(attributes, pixel, modality).map(({ table }) => table),
  };
}

/** `attributes` are those of the frame. Invalid tables are left out. */
export function readVoiTables(attributes: DataSet, pixel: TableInput, modality: ModalityTransform): VoiTable[] {
  const signed = isSignedModality(modality, pixel.pixelRepresentation, pixel.bitsStored);
  return attributes.items(Tag.VOILUTSequence).flatMap((item) => {
    const table = readLookupTable(item, signed);
    return table === undefined ? [] : [{ table, explanation: item.string(Tag.LUTExplanation) }];
  });
}

export type VoiTable = { readonly table: LookupTable; readonly explanation: string | undefined };

/** Undefined if the item holds no valid table. */
export function readLookupTable(item: DataSet, signedInput: boolean): LookupTable | undefined {
  const data = wordBytes(item, Tag.LUTData, MOST_BYTES.lookupTable);
  if (data === undefined) return undefined;
  return parseLookupTable({ descriptor: item.numbers(Tag.LUTDescriptor, 3), data, signedInput });
}

const PIXEL_PRESENTATION = 0x00089205;

const RED = {
  descriptor: Tag.RedPaletteColorLookupTableDescriptor,
  data: Tag.RedPaletteColorLookupTableData,
  segmented: Tag.SegmentedRedPaletteColorLookupTableData,
};
const GREEN = {
  descriptor: Tag.GreenPaletteColorLookupTableDescriptor,
  data: Tag.GreenPaletteColorLookupTableData,
  segmented: Tag.SegmentedGreenPaletteColorLookupTableData,
};
const BLUE = {
  descriptor: Tag.BluePaletteColorLookupTableDescriptor,
  data: Tag.BluePaletteColorLookupTableData,
  segmented: Tag.SegmentedBluePaletteColorLookupTableData,
};

export function readPalette(dataSet: DataSet, pixel: ImagePixel): Palette | undefined {
  return pixel.photometricInterpretation === 'PALETTE COLOR' ? parseChannels(dataSet, pixel) : undefined;
}

/** The palette of a gray image whose higher values are colors. A merely recommended palette is not used. */
export function readSupplementalPalette(dataSet: DataSet, pixel: ImagePixel): Palette | undefined {
  if (pixel.photometricInterpretation !== 'MONOCHROME2') return undefined;
  const presentation = dataSet.string(PIXEL_PRESENTATION);
  return presentation === 'COLOR' || presentation === 'MIXED' ? parseChannels(dataSet, pixel) : undefined;
}

/** The three tables of a palette. */
export function parseChannels(dataSet: DataSet, pixel: Pick<ImagePixel, 'pixelRepresentation'>): Palette | undefined {
  const [red, green, blue] = [RED, GREEN, BLUE].map((tags) => readChannel(dataSet, tags));
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return parsePalette({ red, green, blue, signedInput: pixel.pixelRepresentation === 1 });
}

function readChannel(dataSet: DataSet, tags: typeof RED): PaletteChannel | undefined {
  const plain = wordBytes(dataSet, tags.data, MOST_BYTES.lookupTable);
  const data = plain ?? wordBytes(dataSet, tags.segmented, MOST_BYTES.segmentedTable);
  if (data === undefined) return undefined;
  return { descriptor: dataSet.numbers(tags.descriptor, 3), data, segmented: plain === undefined };
}
