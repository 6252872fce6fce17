import { writeDicom } from '../../../src/server/standard/dicom/writeDicom.ts';
import { FRAME_OF_REFERENCE } from '../../support/placedElements.ts';
import { motion, registrationElements } from '../../support/registrationElements.ts';
import { circle, structureSetElements } from '../../support/structureSetElements.ts';
import { type HostileFile, layer, refused } from '../hostileFile.ts';

const DEFORMABLE = '1.2.840.10008.5.1.4.1.1.66.3';
const MANY = 300;

/** Registrations in circles, to themselves, of very many frames of reference, and with vectors that are not there. */
export const registrations: readonly HostileFile[] = [
  layer('a structure set', { layer: 'shown', plane: 'shown' }, () =>
    writeDicom(structureSetElements([{ number: 1, name: 'Disc', contours: [{ points: circle([5, 5, 0], 4, 12) }] }])),
  ),
  registration('a circle of three', () => write('1', FRAME_OF_REFERENCE, ['2.25.511'])),
  registration('a circle of three, second', () => write('2', '2.25.511', ['2.25.512'])),
  registration('a circle of three, third', () => write('3', '2.25.512', [FRAME_OF_REFERENCE])),
  registration('a registration with itself', () => write('4', FRAME_OF_REFERENCE, [FRAME_OF_REFERENCE])),
  // Each of them is connected with all: ways of three steps would be millions.
  ...Array.from({ length: 4 }, (_, at) =>
    registration(`${MANY} frames of reference, ${at}`, () =>
      write(
        `5${at}`,
        `2.25.8${at}`,
        Array.from({ length: MANY }, (_none, i) => `2.25.9${i}`).concat(FRAME_OF_REFERENCE),
      ),
    ),
  ),
  registration('20,000 matrices', () =>
    writeDicom(
      registrationElements({
        uid: '2.25.760',
        into: '2.25.513',
        items: [{ from: FRAME_OF_REFERENCE, matrices: Array.from({ length: 20_000 }, () => motion(1, [1e6, 0, 0])) }],
      }),
    ),
  ),
  registration('vectors that are not there', () =>
    writeDicom({
      ...registrationElements({ uid: '2.25.761', into: FRAME_OF_REFERENCE, items: [] }),
      SOPClassUID: DEFORMABLE,
      RegistrationSequence: undefined,
      DeformableRegistrationSequence: [
        {
          SourceFrameOfReferenceUID: '2.25.514',
          DeformableRegistrationGridSequence: [
            {
              ImagePositionPatient: ['0', '0', '0'],
              ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
              GridDimensions: [4_000_000, 4_000_000, 4_000_000],
              GridResolution: [1, 1, 1],
              VectorGridData: new Float32Array(3),
            },
          ],
        },
      ],
    }),
  ),
];

/** A registration has neither pixels nor a layer of its own. */
function registration(name: string, content: () => Uint8Array): HostileFile {
  return refused(name, 'no_pixel_data', content);
}

function write(uid: string, into: string, from: readonly string[]): Uint8Array {
  const items = from.map((one) => ({ from: one, matrices: [motion(3, [1, 2, 3])] }));
  return writeDicom(registrationElements({ uid: `2.25.77${uid}`, into, items }));
}
