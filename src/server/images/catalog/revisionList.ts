import type { PackedFile } from './packedFile.ts';

type Revised = Pick<PackedFile, 'index' | 'revised'>;

/**
 * In which order files were listed and read. Most records never change once they are listed, so that as long as none was
 * read later, the position in the list is the revision.
 */
export function createRevisionList<File extends Revised>(files: readonly File[]) {
  /** Indices; undefined as long as all were read when they were listed. */
  let revisions: number[] | undefined;
  const readLater: number[] = [];
  const revise = (file: File, all: number[]): void => {
    file.revised = all.push(file.index);
  };
  return {
    get length() {
      return revisions?.length ?? files.length;
    },
    /** A file was listed. */
    add(file: File) {
      if (revisions !== undefined) revise(file, revisions);
    },
    /** A file that was listed by what its server has told of it was read. */
    addRead(file: File) {
      readLater.push(file.index);
      revisions ??= [...files.keys()];
      revise(file, revisions);
    },
    /** Indices of the files that were read after they were listed, in the order in which they were. */
    readLater: readLater as readonly number[],
    /** The files from a revision up to another one, each once and in the order of the list. */
    slice(from: number, to: number): readonly File[] {
      if (revisions === undefined) return files.slice(from, to);
      const indices = new Set(revisions.slice(from, to));
      return [...indices].toSorted((a, b) => a - b).map((index) => files[index]!);
    },
  };
}
