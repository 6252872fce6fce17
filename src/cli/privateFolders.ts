import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../server/machine/system/isRunning.ts';
import type { Leftovers } from './leftovers.ts';

export type PrivateFolder = { readonly path: string; readonly remove: () => void };

/** A temporary folder that only this user may enter (mkdtemp creates it with mode 0700, regardless of the umask). */
export function createTemporaryFolder(leftovers: Leftovers): PrivateFolder {
  const path = mkdtempSync(join(tmpdir(), `negato-${nameOfPlace()}-${process.pid}-`));
  const remove = leftovers.add(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  return { path, remove };
}

const FOLDER_NAME = /^negato-([0-9a-f]{12})-(\d+)-\w{6}$/;

/** Removes private folders of this user that were left behind by killed processes. */
export async function removeAbandonedFolders(): Promise<void> {
  const place = nameOfPlace();
  for (const name of await readdir(tmpdir())) {
    const [, owningPlace, pid] = FOLDER_NAME.exec(name) ?? [];
    if (owningPlace !== place || isRunning(Number(pid))) continue;
    const path = join(tmpdir(), name);
    const found = await lstat(path).catch(() => undefined);
    const isOurs = found?.isDirectory() === true && found.uid === process.getuid?.();
    if (isOurs) await rm(path, { recursive: true, force: true });
  }
}

/** Identifies the scope of process ids, because machines and containers may share a temporary folder. */
function nameOfPlace(): string {
  return createHash('sha256').update(describePlace()).digest('hex').slice(0, 12);
}

function describePlace(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
