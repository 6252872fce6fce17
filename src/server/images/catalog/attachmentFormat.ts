import type { AttachmentFormat } from '../../../shared/contract/attachments.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';

/** A name and the first bytes of such a file. Both must agree, because names like `.hdr` have other meanings too. */
type Sign = {
  readonly format: AttachmentFormat;
  readonly name: RegExp;
  readonly begins: (bytes: Uint8Array) => boolean;
};

const HEADER_1 = 348;
const HEADER_2 = 540;

function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  return Array.from(text, (character) => character.charCodeAt(0)).every((byte, i) => bytes[at + i] === byte);
}

function isNiftiHeader(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < HEADER_1) return false;
  return [true, false].some((isLittle) => {
    const size = view.getInt32(0, isLittle);
    return size === HEADER_1 || size === HEADER_2;
  });
}

const SIGNS: readonly Sign[] = [
  { format: 'nifti', name: /\.(?:nii|hdr)$/i, begins: isNiftiHeader },
  { format: 'nifti', name: /\.(?:nii|hdr)\.gz$/i, begins: (bytes) => bytes[0] === 0x1f && bytes[1] === 0x8b },
  { format: 'nrrd', name: /\.(?:nrrd|nhdr)$/i, begins: (bytes) => hasText(bytes, 0, 'NRRD000') },
  { format: 'npy', name: /\.npy$/i, begins: (bytes) => bytes[0] === 0x93 && hasText(bytes, 1, 'NUMPY') },
  { format: 'npz', name: /\.npz$/i, begins: (bytes) => hasText(bytes, 0, 'PK\u0003\u0004') },
  { format: 'png', name: /\.png$/i, begins: (bytes) => bytes[0] === 0x89 && hasText(bytes, 1, 'PNG\r\n\u001a\n') },
];

/** The format of a file that is no DICOM file; undefined if it is not model output. */
export function findAttachmentFormat(path: string, source: ByteSource): AttachmentFormat | undefined {
  const named = SIGNS.find(({ name }) => name.test(path));
  return named?.begins(source.read(0, HEADER_1)) === true ? named.format : undefined;
}
