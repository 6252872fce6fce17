import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { AXIAL, placedImage, segmentationElements } from '../support/placedElements.ts';
import { circle, structureSetElements } from '../support/structureSetElements.ts';

/** Files that are opened together. Each set has less than 64 KiB in all, so that the limits of one file apply to it. */
export type SurveySet = { readonly name: string; readonly write: () => readonly Uint8Array[] };

/** Sets whose cost is that of their files together. Another set is registered here. */
export const SURVEY_SETS: readonly SurveySet[] = [
  {
    name: '30 segmentations of one series',
    write: () => [
      ...slices(4),
      ...Array.from({ length: 30 }, (_, at) =>
        writeDicom(
          segmentationElements(
            {
              rows: 8,
              columns: 8,
              type: 'BINARY',
              frames: [0, 1, 2, 3].map((z) => ({
                samples: Array.from({ length: 64 }, () => 1),
                plane: { ...AXIAL, position: [0, 0, z] },
                source: { uid: `2.25.80${z}` },
              })),
            },
            { SOPInstanceUID: `2.25.81${at}` },
          ),
        ),
      ),
    ],
  },
  {
    name: '7 structure sets of one series',
    write: () => [
      ...slices(4),
      ...Array.from({ length: 7 }, (_, at) => {
        const contours = [0, 1, 2, 3].map((z) => ({ points: circle([4, 4, z], 3) }));
        return writeDicom(
          structureSetElements([{ number: 1, name: 'Target', contours }], { SOPInstanceUID: `2.25.82${at}` }),
        );
      }),
    ],
  },
];

function slices(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, z) =>
    writeDicom(placedImage({ uid: `2.25.80${z}`, rows: 8, columns: 8, plane: { ...AXIAL, position: [0, 0, z] } })),
  );
}
