import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { lifeOf, STAMP_PATTERN, stampOfThisProcess, toStamp, writeStamp } from '../../machine/system/processStamp.ts';

/**
 * A file that says which process writes another one. Whoever dies leaves it behind, so the next one finds out whether that
 * process still runs.
 */
export interface FileLock {
  /** Takes the lock, unless a process that runs has it: then it resolves to the id of that process. Throws the system's error. */
  acquire(): Promise<'held' | { readonly pid: number }>;
  /** Whether it is still the file that was made: somebody may have removed it. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Where the system cannot tell whether a process runs, it is taken for dead after four missed signs of life. */
const SIGN_OF_LIFE_MS = 20_000;
const SILENT_MS = 90_000;
const MOST_TRIES = 20;
const LONGEST_STAMP = 256;

export function createFileLock(path: string): FileLock {
  let handle: FileHandle | undefined;
  const own = `${writeStamp(stampOfThisProcess())} ${randomBytes(8).toString('hex')}\n`;
  const signOfLife = setInterval(() => {
    const now = new Date();
    handle?.utimes(now, now).catch(() => undefined);
  }, SIGN_OF_LIFE_MS);
  signOfLife.unref();

  const isHeld = async () => {
    if (handle === undefined) return false;
    const [ours, found] = await Promise.all([handle.stat(), lstat(path).catch(() => undefined)]);
    return ours.ino === found?.ino && ours.dev === found.dev;
  };

  /** False if there is a lock already. */
  const create = async (): Promise<boolean> => {
    // Windows has no O_NOFOLLOW: it is undefined there and counts as 0.
    const { O_CREAT, O_EXCL, O_RDWR, O_NOFOLLOW } = constants;
    let created: FileHandle;
    try {
      created = await open(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, 0o644);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
    try {
      await created.writeFile(own);
    } catch (error) {
      await created.close();
      await rm(path, { force: true });
      throw error;
    }
    handle = created;
    return true;
  };

  return {
    isHeld,
    async acquire() {
      if (await isHeld()) return 'held';
      await handle?.close().catch(() => undefined);
      handle = undefined;
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        if (await create()) return 'held';
        const found = await readLock(path);
        if (found === undefined) continue;
        if (found.isAlive) return { pid: found.pid };
        await removeStale(path, found.text);
      }
      throw new Error('the lock changes all the time');
    },
    async release() {
      clearInterval(signOfLife);
      if (await isHeld().catch(() => false)) await rm(path, { force: true }).catch(() => undefined);
      await handle?.close().catch(() => undefined);
      handle = undefined;
    },
  };
}

/** Undefined if it is gone. */
async function readLock(path: string) {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return undefined;
  const text = stats.isFile() ? await readStart(path) : '';
  const groups = new RegExp(`^${STAMP_PATTERN} [0-9a-f]{16}\\n$`).exec(text)?.slice(1, 6);
  const isSilent = Date.now() - stats.mtimeMs >= SILENT_MS;
  // One that is being written has no stamp yet.
  if (groups === undefined) return { text, pid: 0, isAlive: !isSilent };
  const stamp = toStamp(groups);
  const life = lifeOf(stamp);
  return { text, pid: stamp.pid, isAlive: life === 'running' || (life === 'unknown' && !isSilent) };
}

async function readStart(path: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(LONGEST_STAMP), 0, LONGEST_STAMP, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Removes the lock of a dead process. Another process may do the same and have its own lock there a moment later; that one
 * is put back.
 */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readStart(aside)) !== stale) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
