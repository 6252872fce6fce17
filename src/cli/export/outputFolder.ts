import { rmSync } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Leftovers } from '../leftovers.ts';

/** A file, and what there is to know about it. */
export type OutputFile = {
  /** Path without an ending, below the folder. */
  readonly stem: string;
  /** Such as `.nii.gz`. */
  readonly ending: string;
  readonly pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Written beside it as JSON; undefined for none. */
  readonly sidecar: object | undefined;
};

/** The folder could not be written: nothing else will be written, either. */
export class OutputFailure extends Error {}

/** A folder in which files appear when they are complete, and replace none. */
export interface OutputFolder {
  /** The name of a file that exists already, of this file and its sidecar, if it has one. */
  findExisting(stem: string, ending: string, hasSidecar?: boolean): Promise<string | undefined>;
  /** Returns how long the file is, or the name of one that has appeared meanwhile. Throws OutputFailure. */
  write(
    file: OutputFile,
    onProgress: (bytes: number) => void,
  ): Promise<{ readonly bytes: number } | { readonly exists: string }>;
}

/** Creates the folder if it is not there. Throws OutputFailure. */
export async function openOutputFolder(given: string, leftovers: Leftovers): Promise<OutputFolder> {
  const root = resolve(given);
  await explain(async () => {
    await makeFolder(root);
    if (!(await stat(root)).isDirectory()) throw new OutputFailure('it is no folder');
  });

  async function findExisting(stem: string, ending: string, hasSidecar = true): Promise<string | undefined> {
    const names = [`${stem}${ending}`, ...(hasSidecar ? [`${stem}.json`] : [])];
    for (const name of names) if (await isThere(join(root, name))) return name;
    return undefined;
  }

  /** Folders below the root are made one by one, and never entered through a link. */
  async function makeFolders(stem: string): Promise<void> {
    const names = stem.split('/').slice(0, -1);
    for (const at of names.keys()) {
      const path = join(root, ...names.slice(0, at + 1));
      await mkdir(path).catch(ignore('EEXIST'));
      if (!(await lstat(path)).isDirectory()) {
        throw new OutputFailure(`${names.slice(0, at + 1).join('/')} is a link or a file`);
      }
    }
  }

  return {
    findExisting,
    async write({ stem, ending, pieces, sidecar }, onProgress) {
      await explain(() => makeFolders(stem));
      const [path, about] = [join(root, `${stem}${ending}`), join(root, `${stem}.json`)];
      const parts = [`${path}.${process.pid}.part`, `${about}.${process.pid}.part`] as const;
      const remove = leftovers.add(() => {
        for (const one of parts) rmSync(one, { force: true });
      });
      try {
        const bytes = await writeAll(parts[0], pieces, onProgress);
        const words = Buffer.from(`${JSON.stringify(sidecar, undefined, 2)}\n`);
        if (sidecar !== undefined) await writeAll(parts[1], [words], () => undefined);
        return await explain(async () => {
          // Whoever finds the file finds the sidecar, too.
          if (sidecar !== undefined && !(await appear(parts[1], about))) return { exists: `${stem}.json` };
          if (await appear(parts[0], path)) return { bytes };
          if (sidecar !== undefined) await unlink(about);
          return { exists: `${stem}${ending}` };
        });
      } finally {
        remove();
      }
    },
  };
}

/** With the folders above it. (`recursive` never ends in folders such as /proc, where nobody can make one.) */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path).catch(ignore('EEXIST'));
  }
}

async function writeAll(
  path: string,
  pieces: OutputFile['pieces'],
  onProgress: (bytes: number) => void,
): Promise<number> {
  // Never through a link that another user has put there.
  const file = await explain(() => open(path, 'wx'));
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      await explain(() => writePiece(file, piece));
      bytes += piece.length;
      onProgress(bytes);
    }
  } finally {
    await file.close();
  }
  return bytes;
}

async function writePiece(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length;) at += (await file.write(piece, at)).bytesWritten;
}

/** Gives a file its name, unless there is one of that name. */
async function appear(part: string, path: string): Promise<boolean> {
  try {
    await link(part, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // Some file systems have no links.
    if (await isThere(path)) return false;
    await rename(part, path);
    return true;
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(ignore('ENOENT'))) !== undefined;
}

/** What the system says of the folder, in words that name no path, which a masked run must not show. */
async function explain<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || error instanceof OutputFailure) throw error;
    throw new OutputFailure(REASONS[code] ?? code, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'the file is larger than is allowed',
  EROFS: 'the disk is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'it is no folder',
  EEXIST: 'it is no folder',
  ENOENT: 'it is not there',
  ENAMETOOLONG: 'the path is too long',
};

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

function ignore(code: string) {
  return (error: unknown) => {
    if (codeOf(error) !== code) throw error;
    return undefined;
  };
}
