import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { enhancedElements } from '../../test/support/enhancedElements.ts';
import { grayElements } from './frameFiles.ts';

/** A kind of folder: its share of the wanted number of files, and the function that writes them. */
export type FolderKind = {
  readonly name: string;
  readonly share: number;
  readonly write: (folder: string, count: number) => void;
};

const DEFLATED = '1.2.840.10008.1.2.1.99';
const EDGE = 16;

export const FOLDER_KINDS: readonly FolderKind[] = [
  { name: 'small', share: 1, write: writeSmallFiles },
  {
    name: 'large header',
    share: 0.2,
    write: (folder, count) =>
      writeAll(folder, count, (at) => writeDicom({ ...smallElements(at), ...manyReferences() })),
  },
  {
    name: 'enhanced multi-frame',
    share: 0.2,
    write: (folder, count) =>
      writeAll(folder, count, (at) => writeDicom(enhancedElements(frames(200), { SOPInstanceUID: `2.25.7.${at}` }))),
  },
  {
    name: 'deflated',
    share: 1,
    write: (folder, count) =>
      writeAll(folder, count, (at) => writeDicom(smallElements(at), { transferSyntaxUid: DEFLATED })),
  },
  {
    name: '99 % not DICOM',
    share: 1,
    write: (folder, count) =>
      writeAll(folder, count, (at) =>
        at % 100 === 0 ? writeDicom(smallElements(at)) : Buffer.alloc(4096, `note ${at}\n`),
      ),
  },
];

export function writeSmallFiles(folder: string, count: number): void {
  writeAll(folder, count, (at) => writeDicom(smallElements(at)));
}

function writeAll(folder: string, count: number, toBytes: (at: number) => Uint8Array): void {
  mkdirSync(folder);
  for (let at = 0; at < count; at += 1) writeFileSync(join(folder, `${at}.dcm`), toBytes(at));
}

function smallElements(instance: number) {
  return { ...grayElements(EDGE, EDGE, instance), PixelData: new Uint16Array(EDGE * EDGE) };
}

/** Some 250 KB before the pixels. */
function manyReferences() {
  return {
    ReferencedImageSequence: Array.from({ length: 2_000 }, (_, item) => ({
      ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
      ReferencedSOPInstanceUID: `2.25.77167267688692684862549894335621004186.${item}`,
    })),
  };
}

function frames(count: number) {
  return Array.from({ length: count }, (_, at) => ({ position: [0, 0, at], dimensions: [1, at + 1] }));
}
