import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { stat } from 'node:fs/promises';
import { isRemoteInput } from '../../server/bytes/origins/remote/remoteInput.ts';
import { OutputFailure } from '../export/outputFolder.ts';

/** The folder for copies, without links in its path. Nothing of it is made. */
export async function realFolder(given: string): Promise<string> {
  const path = resolve(given);
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realFolder(parent), basename(path));
  }
}

/** Copies are never among the files that are read. Throws OutputFailure. */
export async function refuseSources(out: string, inputs: readonly string[]): Promise<void> {
  for (const input of inputs) {
    if (isRemoteInput(input)) continue;
    const real = await realFolder(input);
    const isFolder = await stat(real).then(
      (found) => found.isDirectory(),
      () => false,
    );
    const isSource = isFolder ? isInFolder(out, real) : dirname(real) === out;
    if (isSource) throw new OutputFailure('it is a folder that is read, or in one');
    if (isInFolder(real, out)) throw new OutputFailure('what is read is in it');
  }
}

/** The same for files that are found through links or an index. */
export function refuseSourceFiles(out: string, paths: Iterable<string>): void {
  for (const path of paths) {
    if (isInFolder(path, out)) throw new OutputFailure('what is read is in it');
  }
}

export function isInFolder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
