import { writeDicom } from '../../../src/server/standard/dicom/writeDicom.ts';
import { AXIAL, FRAME_OF_REFERENCE, placedImage } from '../../support/placedElements.ts';
import { motion, registrationElements } from '../../support/registrationElements.ts';
import { circle, structureSetElements } from '../../support/structureSetElements.ts';

/** Equal items deflate to almost nothing: 256 of them take a kilobyte. */
const DEFLATED = '1.2.840.10008.1.2.1.99';
/** As many as one registration is read of. */
const ITEMS = 256;
const [NEAR, HUB, ELSEWHERE] = ['2.25.601', '2.25.602', '2.25.603'] as const;

/** Small files that are harmless one by one: the image is file 0, the structure set is file 1. */
export const REGISTRATION_SETS: Readonly<Record<string, () => readonly Uint8Array[]>> = {
  // 16 ways, then 256 for each, then 8,192 for each of these: 33 million ways, in 53 files of 60 kB.
  'parallel registrations before a hub': () => [
    ...imageAndSet(ELSEWHERE),
    ...parallel(16, NEAR, FRAME_OF_REFERENCE),
    ...many(3, HUB, () => NEAR),
    ...many(32, HUB, (at) => `2.25.7${at}`),
  ],
  // 8,192 frames of reference can be reached, each in thousands of ways.
  'very many frames of reference that can be reached': () => [
    ...imageAndSet('2.25.70.1'),
    ...parallel(16, NEAR, FRAME_OF_REFERENCE),
    ...parallel(16, HUB, NEAR),
    ...many(32, HUB, (at, file) => `2.25.7${at}.${file}`),
  ],
  // Few enough to be followed: 16 ways, then 16 for each, then 768 others.
  'as many registrations as are followed': () => [
    ...imageAndSet('2.25.70.1'),
    ...parallel(16, NEAR, FRAME_OF_REFERENCE),
    ...parallel(16, HUB, NEAR),
    ...many(3, HUB, (at, file) => `2.25.7${at}.${file}`),
  ],
};

function imageAndSet(space: string): Uint8Array[] {
  const plane = { uid: '2.25.900', rows: 8, columns: 8, plane: AXIAL };
  const contours = [{ points: circle([3, 3, 0], 2, 12) }];
  return [
    writeDicom(placedImage(plane, { FrameOfReferenceUID: space })),
    writeDicom(structureSetElements([{ number: 1, name: 'Disc', contours }])),
  ];
}

/** Registrations of the same frames of reference that lead to different places. */
function parallel(count: number, into: string, from: string): Uint8Array[] {
  return Array.from({ length: count }, (_, at) =>
    write(`${into}.${at}`, into, [{ from, matrices: [motion(at, [at, 0, 0])] }]),
  );
}

/** Registrations of as many frames of reference, or of one as often, as one object may name. */
function many(count: number, into: string, name: (at: number, file: number) => string): Uint8Array[] {
  return Array.from({ length: count }, (_, file) =>
    write(
      `${into}.9${file}`,
      into,
      Array.from({ length: ITEMS }, (_none, at) => ({ from: name(at, file), matrices: [motion(0, [0, at, file])] })),
    ),
  );
}

function write(uid: string, into: string, items: Parameters<typeof registrationElements>[0]['items']): Uint8Array {
  return writeDicom(registrationElements({ uid, into, items }), { transferSyntaxUid: DEFLATED });
}
