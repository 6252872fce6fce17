import { isAbsolute } from 'node:path';
import { parseJson } from '../../machine/workers/parseJson.ts';
import { type Known, type MemberMethod, sealKnown, unsealKnown } from './origin.ts';
import { LOST, UNSEEN } from './remote/remoteMessages.ts';
import type { KnownSource } from './sourceRef.ts';

/**
 * The form in which the catalog stores sources in columns: one text, which is absent for most files, and these numbers.
 */
export const SOURCE_NUMBERS = ['dev', 'ino', 'mtimeMs'] as const;

type SourceNumber = (typeof SOURCE_NUMBERS)[number];

export type PackedSource = { readonly text: string | undefined } & Readonly<Record<SourceNumber, number>>;

/** Prefix of the text of a source that has no short form. No path contains NUL. */
const LONG_FORM = '\0';

/** `path` is the label of the file, which equals the path of nearly all local files. The caller stores the size. */
export function packSource(source: KnownSource, path: string): PackedSource {
  const known = unsealKnown(source);
  return (
    packLocalFile(known, path) ?? {
      text: LONG_FORM + packKnown(source),
      dev: NaN,
      ino: NaN,
      mtimeMs: NaN,
    }
  );
}

export function unpackSource(
  { text, dev, ino, mtimeMs }: PackedSource,
  { path, size }: { readonly path: string; readonly size: number },
): KnownSource {
  if (text?.startsWith(LONG_FORM) === true) return unpackKnown(text.slice(LONG_FORM.length));
  const ref = { kind: 'file', realPath: text ?? path } as const;
  return sealKnown({ ref, identity: { kind: 'inode', dev, ino, size, mtimeMs } });
}

/** The form of a source in one text, for the few that have no columns. */
export function packKnown(source: KnownSource): string {
  return JSON.stringify(unsealKnown(source));
}

/** The source that `packKnown` has packed in this run. */
export function unpackKnown(text: string): KnownSource {
  const known: Known = JSON.parse(text);
  return sealKnown(known);
}

/**
 * A source that another run has packed, which may have been changed since. Undefined if it is none.
 */
export function parseSource(
  packed: PackedSource,
  file: { readonly path: string; readonly size: number },
): KnownSource | undefined {
  const { text } = packed;
  if (text?.startsWith(LONG_FORM) !== true) {
    const numbers = [packed.dev, packed.ino, packed.mtimeMs];
    const isLocal = isPlace(text ?? file.path) && isAbsolute(text ?? file.path) && numbers.every(Number.isFinite);
    return isLocal ? unpackSource(packed, file) : undefined;
  }
  let known: unknown;
  try {
    known = parseJson(text.slice(LONG_FORM.length), { bytes: MOST_BYTES });
  } catch {
    return undefined;
  }
  const { ref, identity }: Json = Object(known);
  const isWhole =
    isRef(Object(ref)) && isIdentity(Object(identity), file.size) && hasKind(ref, Object(identity)['kind']);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its parts were checked
  return isWhole ? sealKnown(known as Known) : undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Of the text of one source, with its archives. */
const MOST_BYTES = 256 * 1024;
const LONGEST_PLACE = 16_384;
const METHODS: readonly unknown[] = ['stored', 'deflated', 'bare', 'gzip'] satisfies MemberMethod[];

function isRef(ref: Json): boolean {
  if (ref['kind'] === 'file') return isPlace(ref['realPath']) && isAbsolute(ref['realPath']);
  if (ref['kind'] === 'object') return isPlace(ref['label']) && isPlace(ref['key']) && isCount(ref['origin']);
  return (
    ref['kind'] === 'member' &&
    isPlace(ref['name']) &&
    [ref['at'], ref['room'], ref['packed'], ref['size']].every(isCount) &&
    METHODS.includes(ref['method']) &&
    (ref['crc'] === undefined || isCount(ref['crc'])) &&
    Object(ref['of'])['kind'] !== 'object' &&
    isRef(Object(ref['of']))
  );
}

function isIdentity(identity: Json, size: unknown): boolean {
  if (identity['size'] !== size) return false;
  // An object without a known state would be read whatever it is now.
  if (identity['kind'] === 'object') return isText(identity['mark']) && ![UNSEEN, LOST].includes(identity['mark']);
  if (identity['kind'] === 'member') return isCount(identity['at']) && isInode(Object(identity['of']));
  return isInode(identity);
}

function isInode({ kind, dev, ino, size, mtimeMs }: Json): boolean {
  return kind === 'inode' && isCount(size) && [dev, ino, mtimeMs].every(Number.isFinite);
}

/** A file is known by its inode, and everything else by an identity of its own kind. */
function hasKind(ref: unknown, identity: unknown): boolean {
  const { kind }: Json = Object(ref);
  return kind === 'file' ? identity === 'inode' : identity === kind;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_PLACE;
}

function isPlace(value: unknown): value is string {
  return isText(value) && value !== '' && !value.includes('\0');
}

function packLocalFile({ ref, identity }: Known, path: string): PackedSource | undefined {
  if (ref.kind !== 'file' || identity.kind !== 'inode') return undefined;
  const { dev, ino, mtimeMs } = identity;
  return { text: ref.realPath === path ? undefined : ref.realPath, dev, ino, mtimeMs };
}
