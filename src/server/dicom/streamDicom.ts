import { ViewerError } from '../../shared/contract/errors.ts';
import { bufferSource } from '../origins/byteSource.ts';
import { type FileStream, type KnownSource, sizeOf, streamSame } from '../origins/origins.ts';
import { isDicom } from './findDataSet.ts';

/** More than the first elements of a file without a preamble take. */
const BEGINNING = 4096;

/**
 * Opens a file to send it as stored, as `streamSame` does, if its bytes show that it is DICOM. A row of an index may name
 * any file of the user, and nothing has read it before.
 */
export async function streamDicom(source: KnownSource): Promise<FileStream> {
  const stream = await streamSame(source);
  try {
    const pieces: Uint8Array[] = [];
    for await (const piece of stream.bytes({ start: 0, end: Math.min(BEGINNING, sizeOf(source)) })) pieces.push(piece);
    if (isDicom(bufferSource(Buffer.concat(pieces)))) return stream;
    throw new ViewerError('malformed_content', 'the file is not DICOM, so it is not sent');
  } catch (error) {
    await stream.close();
    throw error;
  }
}
