import { type Known, sealKnown, unsealKnown } from './origin.ts';
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
      text: LONG_FORM + JSON.stringify(known),
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
  if (text?.startsWith(LONG_FORM) === true) {
    const known: Known = JSON.parse(text.slice(LONG_FORM.length));
    return sealKnown(known);
  }
  const ref = { kind: 'file', realPath: text ?? path } as const;
  return sealKnown({ ref, identity: { kind: 'inode', dev, ino, size, mtimeMs } });
}

function packLocalFile({ ref, identity }: Known, path: string): PackedSource | undefined {
  if (ref.kind !== 'file' || identity.kind !== 'inode') return undefined;
  const { dev, ino, mtimeMs } = identity;
  return { text: ref.realPath === path ? undefined : ref.realPath, dev, ino, mtimeMs };
}
