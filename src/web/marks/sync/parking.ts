import type { FileRecord } from '../../../shared/contract/files.ts';
import { libraryOf, type LibraryState } from '../../state/library.ts';
import { definePart } from '../../state/page.ts';

/** Identifies a file over runs of the server, in which its index differs. */
export type FileName = Pick<FileRecord, 'path'> & Partial<Pick<FileRecord, 'sop_instance_uid'>>;

export type FoundWork<Work, File> = {
  readonly work: Work;
  /** Those that the work names, in the same order. */
  readonly files: readonly File[];
};

/**
 * Finds the files of work from before a restart of the server. What names a file that is not open, or that is another
 * object at the same path, is lost.
 */
export function findParked<Work, File extends FileName>(
  parked: readonly Work[],
  namesOf: (work: Work) => readonly FileName[],
  files: readonly File[],
): { readonly found: readonly FoundWork<Work, File>[]; readonly lost: readonly Work[] } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found: FoundWork<Work, File>[] = [];
  const lost: Work[] = [];
  for (const work of parked) {
    const names = namesOf(work);
    const known = names.flatMap((name) => {
      const file = byPath.get(name.path);
      return file !== undefined && isSameObject(name, file) ? [file] : [];
    });
    if (known.length === names.length) found.push({ work, files: known });
    else lost.push(work);
  }
  return { found, lost };
}

function isSameObject(name: FileName, file: FileName): boolean {
  return (
    [name, file].some((one) => one.sop_instance_uid === undefined) || name.sop_instance_uid === file.sop_instance_uid
  );
}

/** Whether a file that is not in the list is not open. */
export function areAllFilesKnown({ summary, connection }: LibraryState): boolean {
  return connection === 'live' && summary?.scan_complete === true && !summary.more;
}

/** The files of this run of the server, and, while a restart is told of, still those of the run before. */
export const filesOfRunOf = definePart((page) => {
  let { files } = libraryOf(page).getState();
  // The library tells of a restart before it tells of the new files.
  libraryOf(page).subscribe((state) => {
    ({ files } = state);
  });
  return () => files;
});
