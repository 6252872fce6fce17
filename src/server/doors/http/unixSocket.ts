import { randomUUID } from 'node:crypto';
import { chmod, link, lstat, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname, resolve } from 'node:path';
import { isRunning } from '../../machine/system/isRunning.ts';
import { createPrivateFolder } from '../../machine/system/privateFolder.ts';

/** Linux's sun_path holds 108 bytes including the terminator, that of macOS 104. */
const MAX_PATH_BYTES = 103;

/**
 * Listens on a socket that only this user can reach: the folder has mode 0700 and belongs to the user, the socket has
 * mode 0600. A socket left by a dead server is replaced, under a lock. Anything else at the path is left alone, and the
 * call fails.
 */
export async function listenOnUnixSocket(server: Server, path: string): Promise<string> {
  const socketPath = resolve(path);
  if (Buffer.byteLength(socketPath) > MAX_PATH_BYTES) {
    throw new Error(`the socket path is longer than ${MAX_PATH_BYTES} bytes: ${socketPath}`);
  }
  await createPrivateFolder(dirname(socketPath));
  const release = await takeLock(`${socketPath}.lock`);
  try {
    await removeDeadSocket(socketPath);
    await listenPrivately(server, socketPath);
    await chmod(socketPath, 0o600);
  } finally {
    await release();
  }
  return socketPath;
}

/** The lock is a file with the owner's process id. It is held only while the socket is replaced and bound. */
async function takeLock(lockPath: string): Promise<() => Promise<void>> {
  const content = `${process.pid} ${randomUUID()}`;
  if (!(await createExclusively(lockPath, content))) {
    await removeDeadLock(lockPath);
    if (!(await createExclusively(lockPath, content)))
      throw new Error(`another negato process is starting: ${lockPath}`);
  }
  return () => unlink(lockPath);
}

async function createExclusively(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function removeDeadLock(lockPath: string): Promise<void> {
  const seen = await readFile(lockPath, 'utf8').catch(() => undefined);
  if (seen === undefined) return;
  if (isRunning(Number(seen.split(' ')[0]))) throw new Error(`another negato process is starting: ${lockPath}`);
  // Renamed before it is removed: another process may have replaced the lock since it was read, and a live lock must
  // not be removed.
  const moved = `${lockPath}.${randomUUID()}`;
  await rename(lockPath, moved).catch(() => undefined);
  const taken = await readFile(moved, 'utf8').catch(() => undefined);
  if (taken !== undefined && taken !== seen) await link(moved, lockPath).catch(() => undefined);
  await unlink(moved).catch(() => undefined);
}

async function removeDeadSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`not a socket: ${path}`);
  if (found.uid !== process.getuid?.()) throw new Error(`the socket belongs to another user: ${path}`);
  if (await answers(path)) throw new Error(`another server is listening on ${path}`);
  await unlink(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((settle, reject) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      settle(true);
    });
    probe.once('error', (error) => {
      if (hasCode(error, 'ECONNREFUSED') || hasCode(error, 'ENOENT')) settle(false);
      else reject(error);
    });
  });
}

function listenPrivately(server: Server, path: string): Promise<void> {
  return new Promise((settle, reject) => {
    server.once('error', reject);
    // The socket must never exist with a wider mode, not even until chmod. Binding happens inside this call.
    const before = process.umask(0o177);
    try {
      server.listen(path, () => {
        server.off('error', reject);
        settle();
      });
    } finally {
      process.umask(before);
    }
  });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
