import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isArchiveName, listArchive } from './archives/listArchive.ts';
import type { ListedEntry, ReadMediaDirectory } from './listing.ts';
import { type FileRef, sealRef } from './origin.ts';
import { type FileState, isSameState, stateOfEntry, type WatchedFolder } from './watchedFolder.ts';

export type SettlingFile = {
  readonly folder: WatchedFolder;
  readonly name: string;
  /** Whether it may be a file that the catalog has: it is reported as gone together with its new state. */
  readonly isListed: boolean;
  readonly state: FileState;
};

export type SettledFiles = {
  readonly entries: readonly ListedEntry[];
  /** Paths of files that may be in the catalog as they were before. */
  readonly replaced: readonly string[];
  /** Folders of files that are not there any more. */
  readonly changed: readonly WatchedFolder[];
};

/** A file that was not written to for this long is complete. */
const REST_MS = 1_000;

/** Files that may still be written to, and since when they are as they are. */
export function createSettlingFiles(options: {
  readonly archives: boolean;
  readonly readMediaDirectory: ReadMediaDirectory;
}) {
  const files = new Map<string, SettlingFile & { state: FileState; sinceMs: number }>();
  return {
    add: (file: SettlingFile) => void files.set(join(file.folder.path, file.name), { ...file, sinceMs: Date.now() }),
    find: (path: string): Pick<SettlingFile, 'isListed'> | undefined => files.get(path),
    delete: (path: string) => void files.delete(path),
    /** Those that were not written to for a while, and are not among these any more. One that was moved here is complete at once. */
    take(): SettledFiles {
      const entries: ListedEntry[] = [];
      const replaced: string[] = [];
      const changed: WatchedFolder[] = [];
      for (const [path, waiting] of files) {
        const { folder, name, state } = waiting;
        const current = stateOfEntry(join(folder.realPath, name));
        if (current === undefined || current === 'folder') {
          changed.push(folder);
        } else if (!isSameState(current, state)) {
          waiting.state = current;
          waiting.sinceMs = Date.now();
          folder.files.set(name, current);
        } else if (Date.now() - Math.min(waiting.sinceMs, Math.max(state.mtimeMs, 0)) >= REST_MS) {
          files.delete(path);
          if (waiting.isListed) replaced.push(path);
          entries.push(...listEntries(path, join(folder.realPath, name), options));
        }
      }
      return { entries, replaced, changed };
    },
  };
}

function listEntries(
  path: string,
  found: string,
  { archives, readMediaDirectory }: Parameters<typeof createSettlingFiles>[0],
): Iterable<ListedEntry> {
  let ref: FileRef;
  try {
    ref = { kind: 'file', realPath: realpathSync.native(found) };
  } catch {
    return [];
  }
  if (!archives || !isArchiveName(path)) return [{ path, ref: sealRef(ref) }];
  return listArchive({ path, ref }, { isNamed: false, readFileIds: readMediaDirectory });
}
