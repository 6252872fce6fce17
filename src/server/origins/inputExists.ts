import { stat } from 'node:fs/promises';

/**
 * Whether there is anything at an input that a user has named. In a file of its own, because it is asked before the server
 * listens, and the code of the origins is loaded after that.
 */
export async function inputExists(input: string): Promise<boolean> {
  try {
    await stat(input);
    return true;
  } catch (error) {
    // What cannot be looked at, for lack of permission or because of a failing disk, does exist.
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return !ABSENT.has(code);
  }
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);
