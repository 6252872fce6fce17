import { createHash, randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir, rename, rm, statfs, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFolder } from '../../../machine/system/privateFolder.ts';
import type { ByteSpan, ObjectState } from './remoteMessages.ts';

/** Ranges of objects on the disk, which later runs find again. The least recently used ones leave first. */
export interface DiskRanges {
  find(object: StoredObject, span: ByteSpan): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Writes a copy of the range later, if there is room. */
  add(object: StoredObject, from: number, bytes: Uint8Array): void;
  /** Resolves when nothing waits to be written. */
  settle(): Promise<void>;
}

/** An object in one state. Only its hash gets onto the disk. */
export type StoredObject = {
  /** Which machine and which place of it. */
  readonly place: string;
  readonly key: string;
  readonly state: ObjectState;
};

export type DiskRangesOptions = {
  /** The folder of the user; the ranges are in a private folder below it. */
  readonly folder: string;
  readonly mostBytes: number;
  /** Memory for ranges that wait to be written; others are not written. */
  readonly mostWaitingBytes: number;
  /** Called once, if the folder cannot be used. */
  readonly onTrouble: (message: string) => void;
};

/** Of the folder: a later form gets another name. */
const FOLDER = 'negato-ranges-1';
const NAME = /^([0-9a-f]{64})-(\d{1,15})-(\d{1,15})$/;
const DRAFT = /^draft-[0-9a-f-]{36}$/;
/** What another process has not finished after this time was left behind. */
const OLDEST_DRAFT_MS = 3_600_000;
/** A file begins with the hash of its name and its bytes. */
const HASH_BYTES = 32;
/** The time of use is written this often at most. */
const USE_STEP_MS = 60_000;
const LOOKED_AT_ONCE = 64;

type Kept = {
  readonly object: string;
  readonly from: number;
  readonly to: number;
  usedMs: number;
  /** The time of use as the file has it. */
  writtenMs: number;
};

export function createDiskRanges(options: DiskRangesOptions): DiskRanges {
  const { mostBytes, mostWaitingBytes, onTrouble } = options;
  const folder = join(options.folder, FOLDER);
  /** By the names of their files, in the order of use. */
  const kept = new Map<string, Kept>();
  const namesOf = new Map<string, Set<string>>();
  let keptBytes = 0;
  let waitingBytes = 0;
  let bytesSinceLook = 0;
  let lastUseMs = 0;
  let isUsable = true;

  const stop = (error: unknown) => {
    if (isUsable) onTrouble(`the folder of --cache-dir is not used: ${explain(error)}`);
    isUsable = false;
  };
  const ready = look().catch(stop);
  let writing: Promise<void> = ready;

  /** Never the same twice. */
  function nextUse(): number {
    lastUseMs = Math.max(Date.now(), lastUseMs + 0.001);
    return lastUseMs;
  }

  function remember(name: string, entry: Kept): void {
    forget(name);
    kept.set(name, entry);
    namesOf.set(entry.object, (namesOf.get(entry.object) ?? new Set<string>()).add(name));
    keptBytes += sizeOfFile(entry);
  }

  function forget(name: string): void {
    const entry = kept.get(name);
    if (entry === undefined) return;
    kept.delete(name);
    keptBytes -= sizeOfFile(entry);
    const names = namesOf.get(entry.object);
    names?.delete(name);
    if (names?.size === 0) namesOf.delete(entry.object);
  }

  /** Learns what is there: of earlier runs, and of other processes that use the same folder. */
  async function look(): Promise<void> {
    await createPrivateFolder(folder);
    const names = await readdir(folder);
    const found: [string, Kept][] = [];
    for (let at = 0; at < names.length; at += LOOKED_AT_ONCE) {
      const some = names.slice(at, at + LOOKED_AT_ONCE);
      const looked = await Promise.all(some.map(async (name) => [name, await statsOf(join(folder, name))] as const));
      for (const [name, stats] of looked) {
        const entry = stats && parseName(name, stats.mtimeMs);
        if (entry !== undefined) found.push([name, kept.get(name) ?? entry]);
        else if (stats !== undefined && DRAFT.test(name) && Date.now() - stats.mtimeMs > OLDEST_DRAFT_MS) {
          await rm(join(folder, name), { force: true });
        }
      }
    }
    for (const name of kept.keys()) forget(name);
    for (const [name, entry] of found.toSorted(([, a], [, b]) => a.usedMs - b.usedMs)) remember(name, entry);
    bytesSinceLook = 0;
  }

  async function remove(name: string): Promise<void> {
    forget(name);
    await rm(join(folder, name), { force: true });
  }

  /** The bytes of a file if they are those that were written. */
  async function readFile(name: string, entry: Kept): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const handle = await open(join(folder, name), READ_FLAGS).catch(() => undefined);
    if (handle === undefined) return undefined;
    try {
      const stats = await handle.stat();
      if (!isOwn(stats) || stats.size !== sizeOfFile(entry)) return undefined;
      const file = new Uint8Array(stats.size);
      const { bytesRead } = await handle.read(file, 0, file.length, 0);
      if (bytesRead !== file.length) return undefined;
      const bytes = file.subarray(HASH_BYTES);
      return Buffer.compare(hashOf(name, bytes), file.subarray(0, HASH_BYTES)) === 0 ? bytes : undefined;
    } catch {
      return undefined;
    } finally {
      await handle.close();
    }
  }

  function use(name: string, entry: Kept): void {
    kept.delete(name);
    kept.set(name, entry);
    entry.usedMs = nextUse();
    const now = Date.now();
    if (now - entry.writtenMs < USE_STEP_MS) return;
    entry.writtenMs = now;
    utimes(join(folder, name), now / 1000, now / 1000).catch(() => undefined);
  }

  async function write(name: string, entry: Kept, bytes: Uint8Array): Promise<void> {
    if (!isUsable || kept.has(name)) return;
    if (bytesSinceLook > mostBytes / 8) await look();
    const size = sizeOfFile(entry);
    for (const oldest of kept.keys()) {
      if (keptBytes + size <= mostBytes) break;
      await remove(oldest);
    }
    const { bavail, bsize } = await statfs(folder);
    // Others need the disk as well.
    if (bavail * bsize < 4 * size) return;
    const draft = join(folder, `draft-${randomUUID()}`);
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writev([hashOf(name, bytes), bytes]);
      } finally {
        await handle.close();
      }
      await rename(draft, join(folder, name));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    remember(name, entry);
    bytesSinceLook += size;
  }

  return {
    async find(object, span) {
      await ready;
      if (!isUsable) return undefined;
      const to = Math.min(span.to, object.state.size);
      // A name that is removed on the way is not visited again.
      for (const name of namesOf.get(idOf(object)) ?? []) {
        const entry = kept.get(name);
        if (entry === undefined || entry.from > span.from || entry.to < to) continue;
        const bytes = await readFile(name, entry);
        if (bytes === undefined) {
          // Another process may have removed it.
          await remove(name);
          continue;
        }
        if (kept.has(name)) use(name, entry);
        // A copy, because what is found is transferred to the thread that asks.
        return bytes.slice(span.from - entry.from, to - entry.from);
      }
      return undefined;
    },
    add(object, from, bytes) {
      const { length } = bytes;
      if (!isUsable || length === 0 || length > mostBytes / 4 || waitingBytes + length > mostWaitingBytes) return;
      const entry: Kept = { object: idOf(object), from, to: from + length, usedMs: nextUse(), writtenMs: Date.now() };
      const name = `${entry.object}-${entry.from}-${entry.to}`;
      if (kept.has(name)) return;
      const copy = bytes.slice();
      waitingBytes += length;
      const before = writing;
      writing = (async () => {
        await before;
        await write(name, entry, copy).catch(stop);
        waitingBytes -= length;
      })();
    },
    settle: () => writing,
  };
}

const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

function isOwn(stats: Stats): boolean {
  return stats.isFile() && (process.getuid === undefined || stats.uid === process.getuid());
}

async function statsOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(() => undefined);
}

function sizeOfFile({ from, to }: Pick<Kept, 'from' | 'to'>): number {
  return HASH_BYTES + to - from;
}

function parseName(name: string, usedMs: number): Kept | undefined {
  const [, object, from, to] = NAME.exec(name) ?? [];
  if (object === undefined || Number(from) >= Number(to)) return undefined;
  return { object, from: Number(from), to: Number(to), usedMs, writtenMs: usedMs };
}

function idOf({ place, key, state }: StoredObject): string {
  return createHash('sha256')
    .update(JSON.stringify([place, key, state.mark, state.size]))
    .digest('hex');
}

function hashOf(name: string, bytes: Uint8Array): Buffer {
  return createHash('sha256').update(name).update(bytes).digest();
}

function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
