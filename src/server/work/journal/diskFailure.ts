import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isMasked } from '../../bytes/masking/masker.ts';

/** Why something could not be written, in words for users. */
export function describeDiskFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known: Readonly<Record<string, string>> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    EROFS: 'the disk is read-only',
    EACCES: 'permission to write to the folder was denied',
    EPERM: 'permission to write to the folder was denied',
    EIO: 'the disk reported an error',
    EFBIG: 'the file has reached its maximum size',
  };
  // Messages of the system have the path.
  if (isMasked()) return known[code] ?? `the system reported ${code === '' ? 'an error' : code}`;
  return known[code] ?? (error instanceof Error ? error.message : String(error));
}

/**
 * Without this, the name of a new file can be lost in a power failure. Windows does not support it and does not need
 * it.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
