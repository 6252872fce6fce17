import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addTo } from '../../../shared/addTo.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { isMasked } from '../masking/masker.ts';
import { createPathMask } from '../masking/maskPaths.ts';
import type { SkipReason } from '../../../shared/contract/skipReasons.ts';
import { archiveMembers } from './archives/archiveMembers.ts';
import { isArchiveName } from './archives/listArchive.ts';
import { ArchiveProblem } from './archives/archiveProblem.ts';
import type { Inputs, ListedEntry, ListOptions } from './listing.ts';
import { localFiles } from './localFiles.ts';
import { getAsyncClient } from './remote/remoteClient.ts';
import { LOST, type NamedPlace, UNSEEN } from './remote/remoteMessages.ts';
import { isRemoteInput } from './remote/remoteInput.ts';
import { remoteObjects } from './remote/remoteObjects.ts';
import {
  type Identity,
  type Known,
  type OpenSource,
  type AnyOrigin,
  type Ref,
  type Seen,
  sealKnown,
  sealRef,
  unsealKnown,
  unsealRef,
} from './origin.ts';
import { type Redaction, type Redactions, redactionsOf, redactionStateOf, writeRedactions } from './redactions.ts';
import type { KnownSource, SourceRef } from './sourceRef.ts';

export type { Inputs, ListedEntry, ListedFile, ReadMediaDirectory } from './listing.ts';
export { orderOfPath } from './naturalOrder.ts';
export { startSpool } from './archives/spool.ts';
export { type FolderNews, watchFolders } from './watchFolders.ts';
export type { OpenSource } from './origin.ts';
export type { NamedPlace } from './remote/remoteMessages.ts';
export {
  NotHereYet,
  readForScan,
  RemoteFailure,
  remoteWaitMs,
  useRemoteLink,
  withoutWaiting,
} from './remote/remoteClient.ts';
export type { KnownSource, SourceRef } from './sourceRef.ts';
export { holdPixels, type Redaction, redactionsVersion } from './redactions.ts';

/** The registry. The first origin that recognizes an input lists it, so an origin that accepts any input comes last. */
const ORIGINS: Readonly<Record<Ref['kind'], AnyOrigin>> = {
  object: remoteObjects,
  member: archiveMembers,
  file: localFiles,
};

function originOf({ kind }: Ref): AnyOrigin {
  return ORIGINS[kind];
}

/** All files of the inputs, in the order of the inputs. Their paths are labels, which a masked run replaces. */
export function* listInputs({ inputs, ...options }: Inputs & ListOptions): Generator<ListedEntry, void, void> {
  const listers = Object.values(ORIGINS).map((origin) => origin.createLister(options));
  const maskPath = isMasked() ? createPathMask() : undefined;
  for (const input of inputs) {
    for (const list of listers) {
      const entries = list(input);
      if (entries === undefined) continue;
      if (maskPath === undefined) yield* entries;
      else for (const entry of entries) yield { ...entry, path: maskPath(entry.path, resolve(input)) };
      break;
    }
  }
}

/** A file that was not listed but has just been written, at a path without symbolic links. */
export function localFile(realPath: string): SourceRef {
  return sealRef({ kind: 'file', realPath });
}

/** A source that is listed by what its server has told of it. `size` is an estimate that is not too small. */
export function unseenSource(ref: SourceRef, size: number): KnownSource | undefined {
  const inside = unsealRef(ref);
  if (inside.kind !== 'object') return undefined;
  return sealKnown({ ref: inside, identity: { kind: 'object', mark: UNSEEN, size } });
}

/** The same source, of which nothing can be read any more. */
export function loseSource(source: KnownSource): KnownSource {
  const { ref, identity } = unsealKnown(source);
  return identity.kind === 'object' ? sealKnown({ ref, identity: { ...identity, mark: LOST } }) : source;
}

/**
 * A source that another run has known. A file on another machine is found by its label in the places of this run;
 * undefined if it is in none of them.
 */
export function findInPlaces(source: KnownSource, places: readonly NamedPlace[]): KnownSource | undefined {
  const { ref, identity } = unsealKnown(source);
  if (ref.kind !== 'object') return source;
  const place = places.find(
    ({ label, folder }) => ref.label === label || (folder !== undefined && ref.label.startsWith(folder)),
  );
  return place && sealKnown({ ref: { ...ref, origin: place.origin }, identity });
}

/** The file of a source that was never read, so that its size and state are not known; undefined for all others. */
export function findUnseen(source: KnownSource): SourceRef | undefined {
  const { ref, identity } = unsealKnown(source);
  return identity.kind === 'object' && identity.mark === UNSEEN ? sealRef(ref) : undefined;
}

/**
 * These files, which were never read, will be opened by `openListed` of other threads. `isUrgent`: that was said before,
 * and they come first now.
 */
export function expectUnseen(refs: readonly SourceRef[], { isUrgent = false } = {}): void {
  const keys = new Map<number, string[]>();
  for (const ref of refs) {
    const inside = unsealRef(ref);
    if (inside.kind !== 'object') continue;
    addTo(keys, inside.origin, inside.key);
  }
  for (const [origin, those] of keys) getAsyncClient({ origin }).expect({ origin, keys: those, isUrgent });
}

/** This file will be opened by `openListed`, after those that were expected before. */
export function expectListed(entry: ListedEntry): void {
  const inside = entry.ref && !('told' in entry) ? unsealRef(entry.ref) : undefined;
  if (inside !== undefined) originOf(inside).expect?.(inside);
}

/** Opens a file that was listed but not scanned yet. The caller closes it. Throws the system's error. */
export function openListed(ref: SourceRef, window?: Uint8Array): OpenSource {
  const inside = unsealRef(ref);
  return originOf(inside).open(inside, { window });
}

/** A listed file as it is now, which is not opened for that. Undefined if that cannot be known here. */
export function seeListed(ref: SourceRef): KnownSource | undefined {
  const inside = unsealRef(ref);
  try {
    const identity = originOf(inside).see?.(inside);
    return identity && sealKnown({ ref: inside, identity });
  } catch {
    // Opening it will say why.
    return undefined;
  }
}

/** Why a listed file cannot be opened or read, if its origin knows a better reason than that it is unreadable. */
export function skipReasonOf(error: unknown): SkipReason | undefined {
  return error instanceof ArchiveProblem ? error.reason : undefined;
}

/**
 * Opens a file that a scanned file names, in the same folder. The name comes from the content of a file: it must be a
 * plain name, and a link is not followed, so that nothing outside of the folder is opened. Undefined if there is none.
 */
export function openBeside(source: KnownSource, name: string): OpenSource | undefined {
  const { ref } = unsealKnown(source);
  const origin = originOf(ref);
  const beside = origin.beside(ref, name);
  if (beside === undefined) return undefined;
  try {
    return origin.open(beside);
  } catch {
    return undefined;
  }
}

/** Works on a file that was scanned before; throws `file_gone` if the source now leads to a different file. */
export function withSame<Result>(source: KnownSource, use: (opened: OpenSource) => Result): Result {
  const opened = openSame(source);
  try {
    const result = use(opened);
    requireUnchanged(opened);
    return result;
  } finally {
    opened.close();
  }
}

/** Data read while the file was being written belongs to no state of the file. Throws `file_gone`. */
export function requireUnchanged(opened: OpenSource): void {
  if (!opened.isUnchanged()) throw changed();
}

/** The caller closes the source. Sources that share a `window` must not be used at the same time. */
export function openSame(source: KnownSource, window?: Uint8Array): OpenSource {
  const known = unsealKnown(source);
  const opened = openAgain(known, window);
  if (isStill(known, unsealKnown(opened.known).identity)) return opened;
  opened.close();
  throw changed();
}

/** Less than the time limit of any task, because a thread that exceeds it is ended. */
const TASK_PATIENCE_MS = 3_000;

function openAgain({ ref, identity }: Known, window: Uint8Array | undefined): OpenSource {
  const origin = originOf(ref);
  try {
    return origin.open(ref, { window, expected: identity, patienceMs: TASK_PATIENCE_MS });
  } catch (error) {
    throw origin.explain(error);
  }
}

/**
 * The key for cached data of a file in its current state. Call it before data is cached or cached data is used. Throws
 * `file_gone` if the file has been replaced or changed.
 */
export async function stateOf(source: KnownSource): Promise<string> {
  const known = unsealKnown(source);
  const origin = originOf(known.ref);
  let seen: Seen;
  try {
    seen = await origin.look(known.ref, known.identity);
  } catch (error) {
    throw origin.explain(error);
  }
  const { state } = requireSame(known, seen);
  return `${state}${redactionStateOf(keyOfSource(source))}`;
}

/**
 * Parts of the pictures of a file that nobody may see; undefined if there are none. Throws `redactions_unknown` while
 * that is not known. Everything that shows pixels asks.
 */
export function findRedactions(source: KnownSource): Redactions | undefined {
  return redactionsOf(keyOfSource(source));
}

/**
 * Replaces them in all threads at once. Only the main thread calls it. Refused for a file that was not read yet, because
 * it is known by its state, and its parts would be shown as soon as that is known.
 */
export function redact(changes: Iterable<readonly [KnownSource, readonly Redaction[]]>): void {
  const byKey = new Map<string, readonly Redaction[]>();
  for (const [source, redactions] of changes) {
    if (findUnseen(source) !== undefined) throw new ViewerError('origin_busy', 'the file has not been read yet');
    byKey.set(keyOfSource(source), redactions);
  }
  writeRedactions(byKey);
}

/** Different for different files. Does not access the file. */
export function keyOfSource(source: KnownSource): string {
  const { ref, identity } = unsealKnown(source);
  return originOf(ref).keyOf(ref, identity);
}

/** Whether a file is in an archive, whose path comes before `!/` in its own. */
export function isInArchive(source: KnownSource): boolean {
  return unsealKnown(source).ref.kind === 'member';
}

/** Whether a file that is no DICOM file has the name of an archive on another machine, where archives are not opened. */
export function isRemoteArchive(source: KnownSource, path: string): boolean {
  return unsealKnown(source).ref.kind === 'object' && isArchiveName(path);
}

/** The location of a file as text; the same on every run for a file that is not moved. */
export function placeOf(source: KnownSource): string {
  const { ref } = unsealKnown(source);
  return originOf(ref).placeOf(ref);
}

/** Like `placeOf`, for what the user has named: a file or folder, without symbolic links, or an address. */
export async function placeOfInput(path: string): Promise<string> {
  // What does not exist holds no file.
  return isRemoteInput(path) ? path : realpath(path).catch(() => resolve(path));
}

export function sizeOf(source: KnownSource): number {
  return unsealKnown(source).identity.size;
}

/** A number that differs after the file changes and is the same on every run; the mtime for a local file. */
export function changeMarkOf(source: KnownSource): number {
  const { ref, identity } = unsealKnown(source);
  return originOf(ref).changeMarkOf(identity);
}

/** A part of a file; `end` is exclusive. */
export type ByteRange = { readonly start: number; readonly end: number };

export type FileStream = {
  /** The bytes in pieces, each read on demand. */
  bytes(range: ByteRange): AsyncGenerator<Uint8Array>;
  /** Must be called at the end, whether or not the bytes were read. */
  close(): Promise<void>;
};

const PIECE_BYTES = 64 * 1024;

/**
 * Opens a file that was scanned before, to send it as stored. Throws `file_gone` if the source now leads to a different
 * file. If the file is written to while it is read, reading fails before the piece that may have changed is returned,
 * because a mixture of two states would be a file that never existed. Throws `masked` for a file with redactions.
 */
export async function streamSame(source: KnownSource): Promise<FileStream> {
  const known = unsealKnown(source);
  if (findRedactions(source) !== undefined) {
    throw new ViewerError('masked', 'parts of the file are redacted, so it is not sent as it is stored');
  }
  const origin = originOf(known.ref);
  const opened = await origin.openStream(known.ref).catch((error: unknown) => {
    throw origin.explain(error);
  });
  const look = async () => requireSame(known, await opened.look()).state;
  try {
    const state = await look();
    const bytes = async function* ({ start, end }: ByteRange): AsyncGenerator<Uint8Array> {
      for (let at = start; at < end;) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at));
        const count = await opened.read(at, piece);
        if ((await look()) !== state) throw changed();
        if (count === 0) throw new ViewerError('file_gone', 'the file has become shorter');
        at += count;
        yield piece.subarray(0, count);
      }
    };
    return { bytes, close: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function requireSame(known: Known, seen: Seen | undefined): Seen {
  if (seen !== undefined && isStill(known, seen.identity)) return seen;
  throw changed();
}

/** The only place where a file is compared with the scanned one. */
function isStill({ ref, identity }: Known, found: Identity): boolean {
  return originOf(ref).isSame(found, identity);
}

function changed(): ViewerError {
  return new ViewerError('file_gone', 'the file has changed since it was scanned');
}
