import { stat } from 'node:fs/promises';
import { isRemoteInput } from './remote/remoteInput.ts';

/**
 * Whether an input named by the user exists. In a separate file, because it is called before the server listens, and
 * the code of the origins is loaded after that.
 */
export async function inputExists(input: string): Promise<boolean> {
  // Another machine is asked when the server runs; the scan reports what it does not have.
  if (isRemoteInput(input)) return true;
  try {
    await stat(input);
    return true;
  } catch (error) {
    // An input that cannot be inspected because of missing permission or a failing disk does exist.
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return !ABSENT.has(code);
  }
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);
