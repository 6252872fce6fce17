import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { longWork } from '../hostile/files/longWork.ts';
import { REGISTRATION_SETS } from '../hostile/sets/registrationSets.ts';
import { AXIAL, placedImage, segmentationElements } from '../support/placedElements.ts';
import { circle, structureSetElements } from '../support/structureSetElements.ts';

/** Files that are opened together. The limits of one file apply to each set. */
export type SurveySet = { readonly name: string; readonly write: () => readonly Uint8Array[] };

const DEFLATED = '1.2.840.10008.1.2.1.99';
const FINE = { ...AXIAL, spacing: [0.5, 0.5] as const };
const BLANK = new Uint16Array(1024 * 1024);

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
  ...['500 segments', '2,000 frames', '60 fractions'].map((many) => ({
    name: `an image under a segmentation of ${many}`,
    write: () => [
      writeDicom(placedImage({ uid: '2.25.830', rows: 1024, columns: 1024, plane: FINE }, { PixelData: BLANK }), {
        transferSyntaxUid: DEFLATED,
      }),
      longWork.find(({ name }) => name.startsWith(`a segmentation of ${many} `))!.write(),
    ],
  })),
  ...Object.entries(REGISTRATION_SETS).map(([name, write]) => ({ name, write })),
];

function slices(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, z) =>
    writeDicom(placedImage({ uid: `2.25.80${z}`, rows: 8, columns: 8, plane: { ...AXIAL, position: [0, 0, z] } })),
  );
}
