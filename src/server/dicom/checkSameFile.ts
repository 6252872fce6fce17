import { lstatSync } from 'node:fs';
import { lstat, statfs } from 'node:fs/promises';
import { ViewerError } from '../../shared/contract/errors.ts';
import { type FileIdentity, isSameFile } from './byteSource.ts';
import { explainMissing, type KnownFile } from './openSameFile.ts';

/**
 * Before something is kept of a file, or what was kept of it is used: answers under which key. Throws `file_gone` where
 * the file is another one by now.
 */
export async function checkSameFile(file: KnownFile): Promise<string> {
  return keyOfState(file, await lstat(file.path).catch(refuseMissing));
}

/** Linux's numbers of file systems that wait for no other machine: ext, XFS, Btrfs, F2FS, ZFS, tmpfs and overlays. */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630,
]);

/**
 * `checkSameFile` for those who ask often. A disk of this machine answers in less time than it takes to hand the
 * question to a thread; one behind a network may take for ever, and would hold up everybody.
 */
export function createFileCheck(): (file: KnownFile) => Promise<string> {
  const localDevices = new Map<number, boolean>();

  const learn = async ({ path, identity }: KnownFile): Promise<void> => {
    localDevices.set(identity.dev, false);
    const { type } = await statfs(path);
    localDevices.set(identity.dev, process.platform === 'linux' && LOCAL_TYPES.has(type));
  };

  return async (file) => {
    const isLocal = localDevices.get(file.identity.dev);
    if (isLocal) return keyOfState(file, statAtOnce(file.path));
    if (isLocal === undefined) void learn(file).catch(() => undefined);
    return checkSameFile(file);
  };
}

function statAtOnce(path: string): FileState {
  try {
    return lstatSync(path);
  } catch (error) {
    return refuseMissing(error);
  }
}

function refuseMissing(error: unknown): never {
  throw explainMissing(error);
}

type FileState = FileIdentity & { readonly ctimeMs: number };

/** Who writes to a file and then puts its time back cannot put back the time of that. */
function keyOfState(file: KnownFile, found: FileState): string {
  if (isSameFile(found, file.identity)) return `${keyOfFile(file)}\0${found.ctimeMs}`;
  throw new ViewerError('file_gone', 'the file has changed since it was scanned');
}

/** Differs between two files. */
export function keyOfFile({ path, identity: { dev, ino, size, mtimeMs } }: KnownFile): string {
  return `${path}\0${dev}\0${ino}\0${size}\0${mtimeMs}`;
}
