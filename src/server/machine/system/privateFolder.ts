import { chmod, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, parse } from 'node:path';

/**
 * Creates a folder that only this user can enter. Throws if an existing folder is controlled by another user, or if
 * another user could replace it.
 */
export async function createPrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await checkOwner(folder);
  await refuseForeignAncestors(await realpath(folder), WRITABLE_BY_GROUP | WRITABLE_BY_ALL);
}

/**
 * Like `createPrivateFolder`, for a folder that belongs to this program by its name: if it is open to others, its
 * permissions are restricted. Parent folders may be writable by a group, as in many home directories, but not belong to
 * another user. Code that opens files in the folder must check their owner and must not follow links.
 */
export async function createOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  const isOurs = found.isDirectory() && found.uid === process.getuid?.();
  if (isOurs && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
  await checkOwner(folder);
  await refuseForeignAncestors(await realpath(folder), WRITABLE_BY_ALL);
}

const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_ALL = 0o002;

async function checkOwner(folder: string): Promise<void> {
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new Error(`not a folder, or a link: ${folder}`);
  // Windows has no user ids: there the folder is private because the user's profile is.
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) throw new Error(`the folder belongs to another user: ${folder}`);
  if ((found.mode & 0o077) !== 0) throw new Error(`other users can access the folder; run chmod 700 ${folder}`);
}

/** A user who may rename a parent folder could replace our folder with another one. */
async function refuseForeignAncestors(folder: string, writable: number): Promise<void> {
  if (process.getuid === undefined) return;
  const { root } = parse(folder);
  for (let ancestor = dirname(folder); ; ancestor = dirname(ancestor)) {
    const { uid, mode } = await stat(ancestor);
    const isOthers = uid !== 0 && uid !== process.getuid();
    // In a sticky folder, such as /tmp, users cannot rename what belongs to others.
    const isOpen = (mode & writable) !== 0 && (mode & 0o1000) === 0;
    if (isOthers || isOpen) throw new Error(`another user controls a folder above ${folder}: ${ancestor}`);
    if (ancestor === root) return;
  }
}
