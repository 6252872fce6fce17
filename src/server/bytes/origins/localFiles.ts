import { lstatSync, type Stats } from 'node:fs';
import { lstat, open, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { identityOf, isSameFile, keyOfFile, OPEN_FLAGS, openFile, stateKey } from './openFile.ts';
import type { FileRef, InodeIdentity, OpenStream, Origin, Seen } from './origin.ts';
import { createWalk } from './walk.ts';

/** Files in folders of this machine. */
export const localFiles: Origin<FileRef, InodeIdentity> = {
  createLister: createWalk,
  open: (ref, options) => openFile(ref, options?.window),
  see: seeFile,
  openStream,
  look,
  isSame: isSameFile,
  keyOf: keyOfFile,
  beside: ({ realPath }, name) =>
    isPlainName(name) ? { kind: 'file', realPath: join(dirname(realPath), name) } : undefined,
  placeOf: ({ realPath }) => realPath,
  changeMarkOf: ({ mtimeMs }) => mtimeMs,
  explain: explainMissing,
};

/**
 * Linux magic numbers of file systems that do not depend on another machine: ext, XFS, Btrfs, F2FS, ZFS, tmpfs,
 * overlay.
 */
export const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630,
]);

/** Known devices, and whether each is a local disk. */
const localDevices = new Map<number, boolean>();

/**
 * A local disk answers faster than the call could be handed to a thread. A disk behind a network may never answer, and
 * a synchronous call would block all clients.
 */
function look(ref: FileRef, { dev }: InodeIdentity): Seen | Promise<Seen> {
  const isLocal = localDevices.get(dev);
  if (isLocal) return toSeen(ref, lstatSync(ref.realPath));
  if (isLocal === undefined) void learnDevice(ref, dev).catch(() => undefined);
  return lstat(ref.realPath).then((stats) => toSeen(ref, stats));
}

export function seeFile({ realPath }: FileRef): InodeIdentity {
  const stats = lstatSync(realPath);
  if (!stats.isFile()) throw new Error('not a regular file');
  return identityOf(stats);
}

async function learnDevice({ realPath }: FileRef, dev: number): Promise<void> {
  localDevices.set(dev, false);
  const { type } = await statfs(realPath);
  localDevices.set(dev, process.platform === 'linux' && LOCAL_FILE_SYSTEMS.has(type));
}

async function openStream(ref: FileRef): Promise<OpenStream> {
  const handle = await open(ref.realPath, OPEN_FLAGS);
  return {
    async look() {
      const stats = await handle.stat();
      return stats.isFile() ? toSeen(ref, stats) : undefined;
    },
    async read(position, buffer) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
      return bytesRead;
    },
    close: () => handle.close(),
  };
}

function toSeen(ref: FileRef, stats: Stats): Seen {
  const identity = identityOf(stats);
  return { identity, state: stateKey(ref, identity, stats.ctimeMs) };
}

/** A name without a folder, on any system. */
function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\:\0]/.test(name);
}

function explainMissing(error: unknown): ViewerError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EIO' || code === 'EMFILE' || code === 'ENFILE') {
    return new ViewerError('file_read_failed', `the file cannot be read (${code})`, { cause: error });
  }
  // The file no longer exists, or a folder, a link or a device has replaced it.
  return new ViewerError('file_gone', 'the file no longer exists', { cause: error });
}
