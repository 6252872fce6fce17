import { addTo } from '../../../shared/addTo.ts';
import { isInArchive, keyOfSource, placeOf } from '../../bytes/origins/origins.ts';
import type { PackedFile } from './packedFile.ts';

/** Which of the listed files have vanished or been replaced, and which file is the one at a path now. */
export function createGoneFiles() {
  const gone = new Set<number>();
  let changes = 0;
  const latest = new Map<string, PackedFile>();
  /** The same by the place to which the path leads: as in the walk, a file is listed once, whatever links lead to it. */
  const latestAt = new Map<string, PackedFile>();
  /** The paths of the files in an archive, by its path. */
  const inArchives = new Map<string, string[]>();

  /** This one has vanished or been replaced. */
  const add = ({ index }: Pick<PackedFile, 'index'>): void => {
    if (gone.has(index)) return;
    gone.add(index);
    changes += 1;
  };

  const remember = (path: string): void => {
    for (const archive of archivesAround(path)) addTo(inArchives, archive, path);
  };

  return {
    /** Their indices. */
    files: gone as ReadonlySet<number>,
    /** How often they have changed. */
    changes: () => changes,
    add,
    /** Those at a path have vanished: a file, or an archive with everything in it. */
    addPath(path: string) {
      for (const one of [path, ...(inArchives.get(path) ?? [])]) {
        const file = latest.get(one);
        if (file !== undefined) add(file);
      }
    },
    /**
     * To be asked before a file of a watched folder is listed: what was listed at its path is gone. False for a file that
     * is in the list already, such as one that appeared between the start of watch and scan.
     */
    follow(file: PackedFile): boolean {
      const before = latest.get(file.path);
      const place = placeOf(file.source);
      const same = latestAt.get(place);
      if (same !== undefined && same.path !== file.path && !gone.has(same.index)) {
        if (keyOfSource(same.source) === keyOfSource(file.source)) return false;
      }
      if (before !== undefined && keyOfSource(before.source) === keyOfSource(file.source)) {
        // It may have been moved away and back.
        if (gone.delete(before.index)) changes += 1;
        latestAt.set(place, before);
        return false;
      }
      if (before !== undefined) add(before);
      else if (isInArchive(file.source)) remember(file.path);
      latest.set(file.path, file);
      latestAt.set(place, file);
      return true;
    },
  };
}

/** The paths of the archives that a file is in, one inside of the other. */
function* archivesAround(path: string): Generator<string, void> {
  for (let at = path.indexOf('!/'); at >= 0; at = path.indexOf('!/', at + 1)) yield path.slice(0, at);
}
