import { stat } from 'node:fs/promises';
import { ViewerError } from '../../shared/contract/errors.ts';
import { isSameFile } from './byteSource.ts';
import type { KnownFile } from './openSameFile.ts';

/** Before something that was kept of a file is used: throws `file_gone` where the file is another one by now. */
export async function checkSameFile({ path, identity }: KnownFile): Promise<void> {
  try {
    const { dev, ino, size, mtimeMs } = await stat(path);
    if (isSameFile({ dev, ino, size, mtimeMs }, identity)) return;
  } catch (error) {
    throw new ViewerError('file_gone', 'the file is no longer there', { cause: error });
  }
  throw new ViewerError('file_gone', 'the file has changed since it was scanned');
}

/** Differs between two files, and between two states of one. */
export function keyOfFile({ path, identity: { dev, ino, size, mtimeMs } }: KnownFile): string {
  return [path, dev, ino, size, mtimeMs].join('\0');
}
