import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder that is removed after the test. Its path contains no symbolic link. */
export function createTempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'negato-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** By what they hold. */
const sharedFolders = new Map<string, string>();

/**
 * A folder of files that tests only read. Each process writes it once, when a test needs it, and it is removed at the end
 * of the run.
 */
export function getSharedFolder(content: string, write: (folder: string) => void): string {
  const known = sharedFolders.get(content);
  if (known !== undefined) return known;
  const folder = realpathSync(mkdtempSync(join(process.env['NEGATO_TEST_RUN'] ?? tmpdir(), 'shared-')));
  write(folder);
  sharedFolders.set(content, folder);
  return folder;
}

/** Writes a file below a folder, creates missing folders, and returns the path of the file. */
export function writeBelow(folder: string, name: string, bytes: Uint8Array | string = ''): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

/** Runs as a user who is subject to permissions: tests in a container often run as root, who may read everything. */
export function asOrdinaryUser<T>(action: () => T): T {
  if (process.getuid?.() !== 0) return action();
  const nobody = 65534;
  process.seteuid?.(nobody);
  try {
    return action();
  } finally {
    process.seteuid?.(0);
  }
}
