import { closeSync, constants, openSync, readdirSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openFileSource } from '../dicom/byteSource.ts';
import { MOST_VALUES } from '../dicom/mostValues.ts';
import { readDicom } from '../dicom/readDataSet.ts';
import * as Tag from '../dicom/tag.ts';

/** The SOP class of a DICOMDIR. */
export const MEDIA_DIRECTORY_STORAGE = '1.2.840.10008.1.3.10';

const HEAD_BYTES = 1024;

/** Looks at the file meta information only, which comes first, so that thousands of named files are told apart fast. */
export function isMediaDirectory(path: string): boolean {
  try {
    const head = readHead(path);
    // The UID is of even length: what follows is the next element of group 2, or the padding that some writers add.
    const ends = ['\x02\x00', '\x00'];
    return (
      head.toString('latin1', 128, 132) === 'DICM' &&
      ends.some((end) => head.includes(MEDIA_DIRECTORY_STORAGE + end, 132, 'latin1'))
    );
  } catch {
    return false;
  }
}

export type MediaReference = {
  /** Relative to the folder of the DICOMDIR. */
  readonly path: string;
  /** False where the folders hold no such name, which is also true of `..`. */
  readonly isPresent: boolean;
};

/** The files that a DICOMDIR refers to, in the order of its records. */
export function readMediaDirectory(path: string): MediaReference[] {
  const source = openFileSource(path);
  try {
    const findReference = createReferenceFinder(dirname(path));
    const fileIds = readDicom(source)
      .dataSet.items(Tag.DirectoryRecordSequence)
      .map((record) => record.strings(Tag.ReferencedFileID, MOST_VALUES.fileId));
    return fileIds.filter((fileId) => fileId.length > 0).map(findReference);
  } finally {
    source.close();
  }
}

/**
 * File IDs are upper case, but a copied medium often has lower case names, and some systems keep the version number
 * of ISO 9660 (`IM1.;1`). The exact name wins.
 */
function createReferenceFinder(root: string): (fileId: readonly string[]) => MediaReference {
  const listings = new Map<string, ReadonlyMap<string, string>>();

  function list(folder: string): ReadonlyMap<string, string> {
    const known = listings.get(folder) ?? listNames(join(root, folder));
    listings.set(folder, known);
    return known;
  }

  return (fileId) => {
    let path = '';
    for (const component of fileId) {
      const names = list(path);
      const name = names.get(component) ?? names.get(looseName(component));
      if (name === undefined) return { path: fileId.join('/'), isPresent: false };
      path = join(path, name);
    }
    return { path, isPresent: true };
  };
}

/** Names of a folder by themselves and by their loose form. */
function listNames(folder: string): ReadonlyMap<string, string> {
  try {
    const names = readdirSync(folder);
    return new Map([
      ...names.map((name) => [looseName(name), name] as const),
      ...names.map((name) => [name, name] as const),
    ]);
  } catch {
    return new Map();
  }
}

function looseName(name: string): string {
  return name.toLowerCase().replace(/\.?(;\d+)?$/, '');
}

function readHead(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}
