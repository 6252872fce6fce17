import { ViewerError } from '../../shared/contract/errors.ts';
import { type FileIdentity, type FileSource, isSameFile, openFileSource } from './byteSource.ts';

export type KnownFile = { readonly path: string; readonly identity: FileIdentity };

/** Works on a file that was scanned before; throws `file_gone` where the path leads to something else by now. */
export function withSameFile<Result>(file: KnownFile, use: (source: FileSource) => Result): Result {
  const source = openSameFile(file);
  try {
    const result = use(source);
    requireUnchanged(source);
    return result;
  } finally {
    source.close();
  }
}

/** What was read while somebody wrote to the file is of no state that the file was ever in. Throws `file_gone`. */
export function requireUnchanged(source: FileSource): void {
  if (!source.isUnchanged()) throw new ViewerError('file_gone', 'the file has changed since it was scanned');
}

/** To be closed by the caller. Sources that share a `window` must not be used at the same time. */
export function openSameFile({ path, identity }: KnownFile, window?: Uint8Array): FileSource {
  const source = openAgain(path, window);
  if (isSameFile(source.identity, identity)) return source;
  source.close();
  throw new ViewerError('file_gone', 'the file has changed since it was scanned');
}

function openAgain(path: string, window?: Uint8Array): FileSource {
  try {
    return openFileSource(path, window);
  } catch (error) {
    throw explainMissing(error);
  }
}

export function explainMissing(error: unknown): ViewerError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EIO' || code === 'EMFILE' || code === 'ENFILE') {
    return new ViewerError('file_read_failed', `the file cannot be read (${code})`, { cause: error });
  }
  // No longer there, or a folder, a link or a device in its place.
  return new ViewerError('file_gone', 'the file is no longer there', { cause: error });
}
