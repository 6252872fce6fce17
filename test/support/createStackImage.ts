import type { DicomFile } from '../../src/server/images/catalog/dicomFile.ts';
import type { Placement } from '../../src/server/images/catalog/placement.ts';
import { createFileDescription } from './createFileDescription.ts';

export const AXIAL = [1, 0, 0, 0, 1, 0];
export const SAGITTAL = [0, 1, 0, 0, 0, -1];

/** One image of a series as the catalog holds it: axial, at a height in millimetres equal to its index. */
export function createStackImage(
  index: number,
  { placement, ...different }: Partial<Omit<DicomFile, 'placement'>> & { readonly placement?: Partial<Placement> } = {},
): DicomFile {
  const description = createFileDescription({
    path: `/data/${index}.dcm`,
    sopInstanceUid: `1.2.826.9.${index}`,
    instanceNumber: String(index + 1),
    frameOfReferenceUid: '1.2.826.8',
    placement: {
      imageType: 'ORIGINAL\\PRIMARY\\AXIAL',
      echoNumber: undefined,
      bValue: undefined,
      time: undefined,
      position: [0, 0, index],
      orientation: AXIAL,
      sliceThicknessMm: undefined,
      sliceSpacingMm: undefined,
      hasFrameGeometry: false,
      concatenation: undefined,
      slide: undefined,
      ...placement,
    },
  });
  return { ...description, index, revision: index + 1, ...different };
}
