import { ViewerError } from '../../shared/contract/errors.ts';
import { type FileIdentity, type FileSource, isSameFile, openFileSource } from './byteSource.ts';

export type KnownFile = { readonly path: string; readonly identity: FileIdentity };

/** Works on a file that was scanned before; throws `file_gone` where the path leads to something else by now. */
export function withSameFile<Result>(file: KnownFile, use: (source: FileSource) => Result): Result {
  const source = openSameFile(file);
  try {
    return use(source);
  } finally {
    source.close();
  }
}

/** To be closed by the caller. */
export function openSameFile({ path, identity }: KnownFile): FileSource {
  const source = openAgain(path);
  if (isSameFile(source.identity, identity)) return source;
  source.close();
  throw new ViewerError('file_gone', 'the file has changed since it was scanned');
}

function openAgain(path: string): FileSource {
  try {
    return openFileSource(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EACCES' || code === 'EIO' || code === 'EMFILE' || code === 'ENFILE') {
      throw new ViewerError('file_read_failed', `the file cannot be read (${code})`, { cause: error });
    }
    // No longer there, or a folder, a link or a device in its place.
    throw new ViewerError('file_gone', 'the file is no longer there', { cause: error });
  }
}
