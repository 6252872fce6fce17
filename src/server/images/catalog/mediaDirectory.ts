import { MOST_VALUES } from '../../standard/dicom/mostValues.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import type { ReadMediaDirectory } from '../../bytes/origins/origins.ts';

/** The SOP class of a DICOMDIR. */
export const MEDIA_DIRECTORY_STORAGE = '1.2.840.10008.1.3.10';

const HEAD_BYTES = 1024;
/** A DICOMDIR is never deflated (PS3.10 8.6); if one claims to be, only this much of it is inflated. */
const INFLATED_DIRECTORY = { maxBytes: 4 * 1024 * 1024, maxRatio: 200 };

/** The files that a DICOMDIR references, in the order of its records. */
export const readMediaDirectory: ReadMediaDirectory = (source) => {
  if (!isMediaDirectory(source.read(0, HEAD_BYTES))) return undefined;
  try {
    const fileIds = readDicom(source, { inflateLimits: INFLATED_DIRECTORY, isOriginal: true })
      .dataSet.items(Tag.DirectoryRecordSequence)
      .map((record) => record.strings(Tag.ReferencedFileID, MOST_VALUES.fileId));
    return fileIds.filter((fileId) => fileId.length > 0);
  } catch {
    return 'damaged';
  }
};

/**
 * Checks only the file meta information, which comes first, so that thousands of files given by name are tested
 * quickly.
 */
function isMediaDirectory(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // The UID has an even length: it is followed by the next element of group 2, or by the padding that some writers add.
  const ends = ['\x02\x00', '\x00'];
  return (
    head.toString('latin1', 128, 132) === 'DICM' &&
    ends.some((end) => head.includes(MEDIA_DIRECTORY_STORAGE + end, 132, 'latin1'))
  );
}
