import { explicit, implicit, join, part10, UNDEFINED } from '../../support/rawElements.ts';
import { writeDicom } from '../../../src/server/standard/dicom/writeDicom.ts';
import { ctRow } from '../../support/imageElements.ts';
import { type HostileFile, imageAround, PIXELS, refused, shown } from '../hostileFile.ts';

/** VRs with a 32-bit length in explicit VR, which can declare any size. */
const LONG_VRS = ['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'SQ', 'SV', 'UC', 'UN', 'UR', 'UT', 'UV'];

/** The other VRs have a 32-bit length only in implicit VR, with tags whose VR is in the dictionary. */
const SHORT_VRS: Readonly<Record<string, number>> = {
  AE: 0x00400001,
  AS: 0x00101010,
  AT: 0x00720026,
  CS: 0x00402001,
  DA: 0x00400002,
  DS: 0x0040030e,
  DT: 0x0040a120,
  FD: 0x00409224,
  FL: 0x00460064,
  IS: 0x00400301,
  LO: 0x00400007,
  LT: 0x00400400,
  PN: 0x00400006,
  SH: 0x00400009,
  SL: 0x00480303,
  SS: 0x00720480,
  ST: 0x00400280,
  TM: 0x00400003,
  UI: 0x0040a171,
  UL: 0x0040a132,
  US: 0x0040a0b0,
};

/** A private element, which is not in any dictionary. */
const PRIVATE_TAG = 0x00411010;

/** Lengths 0, odd, one more than there is, 2^31, 2^32-2 and undefined, for every VR. */
export const lengths: readonly HostileFile[] = [
  ...LONG_VRS.flatMap((vr) =>
    ofEveryLength(vr, (value, declared) => explicitImage(explicit(PRIVATE_TAG, vr, value, declared))),
  ),
  ...Object.entries(SHORT_VRS).flatMap(([vr, tag]) =>
    ofEveryLength(vr, (value, declared) => implicitImage(implicit(tag, value, declared))),
  ),
];

type Write = (value: string, declared: number) => Uint8Array;

function ofEveryLength(vr: string, write: Write): HostileFile[] {
  const isExplicit = LONG_VRS.includes(vr);
  const rest = (isExplicit ? PIXELS() : implicit(0x7fe00010, new Uint8Array(6))).length;
  const toTheEnd = (name: string, declared: number) =>
    // The value extends to the end of the file and covers the pixels.
    refused(`${vr} of length ${name}`, 'no_pixel_data', () => write('', declared));
  // Only these VRs may have an undefined length. For the others, nothing marks the end of the value.
  const mayBeUndefined = !isExplicit || ['OB', 'OW', 'SQ', 'UN'].includes(vr);
  return [
    shown(`${vr} of length 0`, () => write('', 0)),
    shown(`${vr} of odd length`, () => write('123', 3)),
    toTheEnd('one more than there is', rest + 1),
    toTheEnd('2^31', 2 ** 31),
    toTheEnd('2^32-2', 2 ** 32 - 2),
    (mayBeUndefined ? shown : (name: string, of: () => Uint8Array) => refused(name, 'no_pixel_data', of))(
      `${vr} of undefined length`,
      () => write('', UNDEFINED),
    ),
  ];
}

function explicitImage(element: Uint8Array): Uint8Array {
  return imageAround(element);
}

function implicitImage(element: Uint8Array): Uint8Array {
  const header = writeDicom(ctRow({ PixelData: undefined }), { meta: false, transferSyntaxUid: '1.2.840.10008.1.2' });
  const pixels = implicit(0x7fe00010, new Uint8Array(Int16Array.of(863, 1064, 1264).buffer));
  return part10(join(header, element, pixels), '1.2.840.10008.1.2');
}
