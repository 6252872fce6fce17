import { chmod, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, parse } from 'node:path';

/**
 * Makes a folder that only this user can enter. Throws where one is there that another user has a say in, or could put
 * another one in its place.
 */
export async function createPrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await checkOwner(folder);
  await refuseForeignAncestors(await realpath(folder));
}

/**
 * The same for a folder that belongs to this program by its name: where it is open to others, it is closed. Folders above
 * it may belong to a group, as in many homes: whoever opens files in it must check their owner, and follow no links.
 */
export async function createOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  const isOurs = found.isDirectory() && found.uid === process.getuid?.();
  if (isOurs && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
  await checkOwner(folder);
}

async function checkOwner(folder: string): Promise<void> {
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new Error(`the folder is a link or no folder: ${folder}`);
  // Windows has no such numbers: there the folder is private because the user's profile is.
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) throw new Error(`the folder belongs to another user: ${folder}`);
  if ((found.mode & 0o077) !== 0) throw new Error(`the folder is open to others; chmod 700 ${folder}`);
}

/** Whoever may rename a folder above ours could put another one in its place. */
async function refuseForeignAncestors(folder: string): Promise<void> {
  const { root } = parse(folder);
  for (let ancestor = dirname(folder); ; ancestor = dirname(ancestor)) {
    const { uid, mode } = await stat(ancestor);
    const isOthers = uid !== 0 && uid !== process.getuid?.();
    // In a sticky folder, such as /tmp, nobody renames what belongs to someone else.
    const isOpen = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
    if (isOthers || isOpen) throw new Error(`another user controls a folder above ${folder}: ${ancestor}`);
    if (ancestor === root) return;
  }
}
