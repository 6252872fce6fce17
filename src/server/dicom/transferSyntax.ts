export const ImplicitVrLittleEndian = '1.2.840.10008.1.2';
export const ExplicitVrLittleEndian = '1.2.840.10008.1.2.1';
export const ExplicitVrBigEndian = '1.2.840.10008.1.2.2';
export const DeflatedExplicitVrLittleEndian = '1.2.840.10008.1.2.1.99';
const JpipReferencedDeflate = '1.2.840.10008.1.2.4.95';
const JpipHtj2kReferencedDeflate = '1.2.840.10008.1.2.4.205';

/** How the elements of a data set are laid out in bytes. */
export type Encoding = { readonly explicit: boolean; readonly littleEndian: boolean; readonly deflated: boolean };

/** Every syntax but four encodes elements as Explicit VR Little Endian. PS3.5 A.4. */
export function encodingOf(transferSyntaxUid: string): Encoding {
  switch (transferSyntaxUid) {
    case ImplicitVrLittleEndian:
      return { explicit: false, littleEndian: true, deflated: false };
    case ExplicitVrBigEndian:
      return { explicit: true, littleEndian: false, deflated: false };
    case DeflatedExplicitVrLittleEndian:
    case JpipReferencedDeflate:
    case JpipHtj2kReferencedDeflate:
      return { explicit: true, littleEndian: true, deflated: true };
    default:
      return { explicit: true, littleEndian: true, deflated: false };
  }
}
