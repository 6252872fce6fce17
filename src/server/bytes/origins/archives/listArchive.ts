import { basename } from 'node:path';
import type { ListedEntry, ReadMediaDirectory } from '../listing.ts';
import { openFile } from '../openFile.ts';
import { type FileRef, type MemberRef, type OpenSource, sealRef } from '../origin.ts';
import { ArchiveProblem, type ArchiveReason } from './archiveProblem.ts';
import type { FoundMember } from './foundMember.ts';
import { inOrderOfFolders } from './memberOrder.ts';
import { measureGzip, openMember, wholeGzip } from './openMember.ts';
import { hasTarChecksum, listTar } from './tarMembers.ts';
import { beginsZip, listZip } from './zipMembers.ts';

type Container<Ref = FileRef | MemberRef> = {
  readonly path: string;
  readonly ref: Ref;
  /** Counts from 1. */
  readonly level: number;
  readonly readFileIds: ReadMediaDirectory;
};

/** An archive in an archive is opened, one in that is not. */
const MOST_LEVELS = 2;
/** A compressed archive inside of another one takes room on the disk. */
const LARGEST_INNER = 256 * 2 ** 20;

const OPENED = /\.(?:zip|tar|tgz|(?:tar|dcm)\.gz)$/i;
const UNSUPPORTED = /\.(?:7z|rar|tar\.(?:bz2|xz|zst|lz|lzma|z)|tbz2?|txz|tzst)$/i;
/** These are read as model output. */
const NO_ARCHIVE = /\.(?:npz|(?:nii|hdr)\.gz)$/i;

const LAST_PARTS: ReadonlySet<string> = new Set(
  'zip tar tgz gz 7z rar bz2 xz zst lz lzma z tbz tbz2 txz tzst'.split(' '),
);

/** Whether the name is that of an archive. Files in folders are not opened to find out. */
export function isArchiveName(name: string): boolean {
  // Two expressions for each of a hundred thousand names would slow the walk down.
  const last = name.slice(name.lastIndexOf('.') + 1);
  return last.length <= 4 && LAST_PARTS.has(last.toLowerCase()) && (OPENED.test(name) || UNSUPPORTED.test(name));
}

/**
 * The files in an archive, at any depth that is opened. A file that is no archive is listed as it is. `isNamed` says
 * that the user named the file, so that its content decides.
 */
export function* listArchive(
  file: { readonly path: string; readonly ref: FileRef },
  { isNamed, readFileIds }: { readonly isNamed: boolean; readonly readFileIds: ReadMediaDirectory },
): Generator<ListedEntry, void, void> {
  const isCandidate = isNamed ? !NO_ARCHIVE.test(file.path) : isArchiveName(file.path);
  if (!isCandidate) yield listed(file);
  else yield* listContainer({ ...file, level: 1, readFileIds });
}

function* listContainer(container: Container): Generator<ListedEntry, void, void> {
  let opened: OpenSource;
  try {
    opened = container.ref.kind === 'file' ? openFile(container.ref) : openMember(container.ref);
  } catch (error) {
    if (error instanceof ArchiveProblem) yield { path: container.path, reason: error.reason };
    // The scan reports files that cannot be read.
    else yield listed(container);
    return;
  }
  try {
    const format = findFormat(container.path, opened);
    if (format === undefined) yield listed(container);
    else if (format === 'unsupported') yield { path: container.path, reason: 'archive_unsupported' };
    else if (format === 'gzip') yield* listCompressed(container, opened.size);
    else yield* listMembers(container, format === 'zip' ? listZip(opened) : listTar(opened));
  } finally {
    opened.close();
  }
}

function listed({ path, ref }: Pick<Container, 'path' | 'ref'>): ListedEntry {
  return { path, ref: sealRef(ref) };
}

type ArchiveFormat = 'zip' | 'tar' | 'gzip' | 'unsupported';

const BLOCK = 512;
const UNSUPPORTED_MAGIC = ['377abcaf271c', '526172211a07', '425a68', 'fd377a585a00', '28b52ffd', '1f9d'];

function findFormat(path: string, opened: OpenSource): ArchiveFormat | undefined {
  const head = opened.read(0, BLOCK).slice();
  if (beginsZip(head)) return 'zip';
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (beginsTar(head)) return 'tar';
  const magic = Buffer.from(head.subarray(0, 6)).toString('hex');
  if (UNSUPPORTED.test(path) && UNSUPPORTED_MAGIC.some((known) => magic.startsWith(known))) return 'unsupported';
  // Other bytes may come before an archive, such as the program that unpacks it.
  return /\.zip$/i.test(path) && !hasDicomPrefix(head) ? 'zip' : undefined;
}

/** A block of zeros ends a tar archive, and is all of an empty one. */
function beginsTar(head: Uint8Array): boolean {
  return head[0] !== 0 && hasTarChecksum(head);
}

function hasDicomPrefix(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(128, 132)).toString('latin1') === 'DICM';
}

/** A tar archive or a DICOM file that is compressed as a whole; any other gzip file is listed as it is. */
function* listCompressed(container: Container, packed: number): Generator<ListedEntry, void, void> {
  const { path, ref } = container;
  let whole: MemberRef;
  let unpacked: OpenSource;
  try {
    whole = wholeGzip(ref, { start: 0, end: packed }, measureGzip(ref));
    unpacked = openMember(whole);
  } catch (error) {
    yield { path, reason: reasonOf(error) };
    return;
  }
  try {
    const head = unpacked.read(0, BLOCK).slice();
    const name = basename(path).replace(/\.gz$/i, '');
    if (beginsTar(head)) yield* listMembers({ ...container, ref: whole }, listTar(unpacked));
    else if (hasDicomPrefix(head)) yield listed({ path: `${path}!/${name}`, ref: { ...whole, name } });
    else yield listed({ path, ref });
  } finally {
    unpacked.close();
  }
}

function reasonOf(error: unknown): ArchiveReason {
  return error instanceof ArchiveProblem ? error.reason : 'archive_damaged';
}

function* listMembers(container: Container, members: Iterable<FoundMember>): Generator<ListedEntry, void, void> {
  const { path, ref: of, readFileIds } = container;
  try {
    for (const member of inOrderOfFolders(members, (one) => readMedium({ kind: 'member', of, ...one }, readFileIds))) {
      if ('ended' in member) {
        yield { path, reason: member.ended };
        continue;
      }
      const label = `${path}!/${member.name}`;
      if ('reason' in member) yield { path: label, reason: member.reason };
      else yield* listMember({ ...container, path: label, ref: { kind: 'member', of, ...member } });
    }
  } catch (error) {
    yield { path, reason: reasonOf(error) };
  }
}

/** A damaged DICOMDIR is listed by the scan, and hides no file. */
function readMedium(ref: MemberRef, readFileIds: ReadMediaDirectory) {
  try {
    const opened = openMember(ref);
    try {
      const fileIds = readFileIds(opened);
      return fileIds === 'damaged' ? undefined : fileIds;
    } finally {
      opened.close();
    }
  } catch {
    return undefined;
  }
}

function* listMember(member: Container<MemberRef>): Generator<ListedEntry, void, void> {
  const { path, ref, level } = member;
  if (!isArchiveName(ref.name)) yield listed(member);
  else if (level >= MOST_LEVELS) yield { path, reason: 'archive_limit' };
  else if (ref.method === 'deflated' && ref.size > LARGEST_INNER) yield { path, reason: 'archive_limit' };
  else yield* listContainer({ ...member, level: level + 1 });
}
