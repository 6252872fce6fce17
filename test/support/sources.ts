import { realpathSync } from 'node:fs';
import { sealKnown } from '../../src/server/bytes/origins/origin.ts';
import { type KnownSource, localFile, openListed, type OpenSource } from '../../src/server/bytes/origins/origins.ts';

/** The source of a file as the scan records it. */
export function sourceOf(path: string): KnownSource {
  const opened = openListed(localFile(realpathSync(path)));
  opened.close();
  return opened.known;
}

/** The source of a file that does not exist. */
export function pretendSource(
  realPath: string,
  { dev = 1, ino = 2, size = 526_000, mtimeMs = 1_700_000_000_000.25 } = {},
): KnownSource {
  return sealKnown({ ref: { kind: 'file', realPath }, identity: { kind: 'inode', dev, ino, size, mtimeMs } });
}

/** Opens a file as the scan does. */
export function openPath(path: string, window?: Uint8Array): OpenSource {
  return openListed(localFile(path), window);
}
