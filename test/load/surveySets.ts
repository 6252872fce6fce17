import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { longWork } from '../hostile/files/longWork.ts';
import { REGISTRATION_SETS } from '../hostile/sets/registrationSets.ts';
import { writeDose } from '../support/fieldFiles.ts';
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
      longSegmentation(many),
    ],
  })),
  {
    name: 'two segmentations of large frames',
    write: () => [...slices(2), longSegmentation('one frame of 80 million bits'), longSegmentation('one frame of 28')],
  },
  {
    name: 'a dose and structures that fill it',
    write: () => [...slices(2), dose(), structures(40, 60)],
  },
  ...['500 segments', 'one frame of 80 million bits'].map((many) => ({
    name: `a dose and a segmentation of ${many}`,
    write: () => [...slices(2), dose(), longSegmentation(many)],
  })),
  ...Object.entries(REGISTRATION_SETS).map(([name, write]) => ({ name, write })),
];

function longSegmentation(many: string): Uint8Array {
  return longWork.find(({ name }) => name.startsWith(`a segmentation of ${many}`))!.write();
}

/** 120 planes of 400 x 400 samples: 38 MB. */
function dose(): Uint8Array {
  const [size, planes] = [400, 120];
  return writeDose({
    transferSyntaxUid: DEFLATED,
    different: {
      Rows: size,
      Columns: size,
      PixelSpacing: ['1', '1'],
      ImagePositionPatient: ['-200', '-200', '0'],
      NumberOfFrames: String(planes),
      GridFrameOffsetVector: Array.from({ length: planes }, (_, at) => String(at)),
      PixelData: new Uint16Array(size * size * planes).fill(500),
    },
  });
}

const SQUARE = [
  [-150, -150],
  [150, -150],
  [150, 150],
  [-150, 150],
] as const;

/** Squares of 300 mm, in as many planes for each ROI. */
function structures(rois: number, planes: number): Uint8Array {
  const contours = Array.from({ length: planes }, (_, at) => ({ points: SQUARE.map(([x, y]) => [x, y, 2 * at]) }));
  const all = Array.from({ length: rois }, (_, at) => ({ number: at + 1, name: `Square ${at}`, contours }));
  return writeDicom(structureSetElements(all, { SOPInstanceUID: '2.25.840' }), { transferSyntaxUid: DEFLATED });
}

function slices(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, z) =>
    writeDicom(placedImage({ uid: `2.25.80${z}`, rows: 8, columns: 8, plane: { ...AXIAL, position: [0, 0, z] } })),
  );
}
