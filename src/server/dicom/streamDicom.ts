import { ViewerError } from '../../shared/contract/errors.ts';
import { bufferSource } from '../origins/byteSource.ts';
import { type FileStream, type KnownSource, sizeOf, streamSame } from '../origins/origins.ts';
import { isDicom } from './findDataSet.ts';

/** The first elements of a file without a preamble are seldom longer. The next length is read only if they may be. */
const BEGINNINGS = [4096, 256 * 1024];

/**
 * Opens a file to send it as stored, as `streamSame` does, if its bytes show that it is DICOM. A row of an index may name
 * any file of the user, and nothing has read it before.
 */
export async function streamDicom(source: KnownSource): Promise<FileStream> {
  const stream = await streamSame(source);
  try {
    for (const length of BEGINNINGS) {
      const pieces: Uint8Array[] = [];
      for await (const piece of stream.bytes({ start: 0, end: Math.min(length, sizeOf(source)) })) pieces.push(piece);
      if (isDicom(bufferSource(Buffer.concat(pieces)))) return stream;
      if (sizeOf(source) <= length) break;
    }
    throw new ViewerError('malformed_content', 'the file is not DICOM, so it is not sent');
  } catch (error) {
    await stream.close();
    throw error;
  }
}
