import type { Attributes } from '../dicom/dataSet.ts';
import { MOST_VALUES } from '../dicom/mostValues.ts';
import * as Tag from '../dicom/tag.ts';

/** Whether Image Type says that an image shows several slices: MOSAIC of Siemens, VFRAME of United Imaging. */
export function isMosaicType(imageType: readonly string[]): boolean {
  return imageType.includes('MOSAIC') || imageType.includes('VFRAME');
}

export function isMosaicImage(header: Attributes): boolean {
  return isMosaicType(header.strings(Tag.ImageType, MOST_VALUES.imageType));
}
