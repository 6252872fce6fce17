import { type Palette, type PaletteChannel, parsePalette } from '../../../../shared/palette.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { MOST_BYTES } from '../../../standard/dicom/mostValues.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import type { ImagePixel } from '../imagePixel.ts';
import { wordBytes } from './valueBytes.ts';

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

/** The palette of a PALETTE COLOR image. */
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
