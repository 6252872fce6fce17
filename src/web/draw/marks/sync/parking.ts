import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { libraryOf, type LibraryState } from '../../../kit/state/library.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';

/** Identifies a file over runs of the server, in which its index differs. */
export type FileName = Pick<FileRecord, 'path'> & Partial<Pick<FileRecord, 'sop_instance_uid'>>;

/** Work of a run of the server that has ended. */
export type ParkedWork<Work> = {
  readonly work: Work;
  /** The files that the work names, by their indices in that run. */
  readonly files: ReadonlyMap<number, FileName>;
};

/** The files of parked work in this run, by their indices in the run before. */
export type FoundWork<Work, File = FileRecord> = ParkedWork<Work> & { readonly found: ReadonlyMap<number, File> };

/** What has work that must survive a restart of the server. */
export interface WorkHolder<Work> {
  readonly what: 'ROIs' | 'marks';
  /** The work of the run that has ended, with the indices of the files that it names. */
  list(): readonly { readonly work: Work; readonly files: readonly number[] }[];
  /** Work replaces work that was parked before under the same name; undefined if it replaces none. */
  readonly nameOf: (parked: ParkedWork<Work>) => string | undefined;
  /** Whether the user would miss it. */
  isWorthNaming(work: Work): boolean;
  /** Whether this run has told what the work meets. */
  isReady(): boolean;
  /** Answers what must wait again, if that takes time. */
  readonly meet: (found: readonly FoundWork<Work>[]) => void | Promise<readonly ParkedWork<Work>[]>;
}

export interface Parking<Work> {
  /** Takes up the work again if everything is known that it needs. */
  check(): void;
  wait(parked: readonly ParkedWork<Work>[]): void;
  isEmpty(): boolean;
  readonly end: () => void;
}

export type LostWork = { readonly what: WorkHolder<unknown>['what']; readonly files: readonly FileName[] };

/** Work whose files are no longer open, which cannot be saved, until the user has dismissed it. */
export const lostWorkOf = definePart(() => createStore<{ readonly lost: readonly LostWork[] }>(() => ({ lost: [] })));

/** Keeps work over a restart of the server, until its files are found again. */
export function createParking<Work>(page: Page, holder: WorkHolder<Work>): Parking<Work> {
  const filesOfRun = filesOfRunOf(page);
  let waiting: readonly ParkedWork<Work>[] = [];
  /** How often work is meeting what the restarted server has. */
  let meetings = 0;
  const wait = (parked: readonly ParkedWork<Work>[]) => {
    const names = new Set(parked.map(holder.nameOf));
    const isReplaced = (one: ParkedWork<Work>) => names.has(holder.nameOf(one) ?? NO_NAME);
    waiting = [...waiting.filter((one) => !isReplaced(one)), ...parked];
  };
  const hold = async (again: Promise<readonly ParkedWork<Work>[]>) => {
    meetings += 1;
    wait(await again);
    meetings -= 1;
  };
  const check = () => {
    const library = libraryOf(page).getState();
    if (waiting.length === 0 || !areAllFilesKnown(library) || !holder.isReady()) return;
    const { found, lost } = findParked(waiting, library.files);
    waiting = [];
    const named = lost.filter(({ work }) => holder.isWorthNaming(work));
    if (named.length > 0) {
      const added = named.map(({ files }) => ({ what: holder.what, files: [...files.values()] }));
      lostWorkOf(page).setState((state) => ({ lost: [...state.lost, ...added] }));
    }
    const again = holder.meet(found);
    if (again !== undefined) void hold(again);
  };
  const stops = [
    page.onRestartFirst(() => {
      const files = filesOfRun();
      wait(
        holder.list().map(({ work, files: indices }) => ({
          work,
          files: new Map(indices.map((index) => [index, nameFile(files[index])])),
        })),
      );
    }),
    libraryOf(page).subscribe(check),
  ];
  return {
    check,
    wait,
    isEmpty: () => waiting.length + meetings === 0,
    end() {
      for (const stop of stops) stop();
    },
  };
}

/** Not the name of any work. */
const NO_NAME = ' ';

function nameFile(file: FileName | undefined): FileName {
  const { path, sop_instance_uid: uid } = file ?? { path: '' };
  return { path, ...(uid !== undefined && { sop_instance_uid: uid }) };
}

/**
 * Finds the files of work from before a restart of the server. What names a file that is not open, or that is another
 * object at the same path, is lost.
 */
export function findParked<Work, File extends FileName>(
  parked: readonly ParkedWork<Work>[],
  files: readonly File[],
): { readonly found: readonly FoundWork<Work, File>[]; readonly lost: readonly ParkedWork<Work>[] } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found: FoundWork<Work, File>[] = [];
  const lost: ParkedWork<Work>[] = [];
  for (const one of parked) {
    const known = new Map<number, File>();
    for (const [index, name] of one.files) {
      const file = byPath.get(name.path);
      if (file !== undefined && isSameObject(name, file)) known.set(index, file);
    }
    if (known.size === one.files.size) found.push({ ...one, found: known });
    else lost.push(one);
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
const filesOfRunOf = definePart((page) => {
  let { files } = libraryOf(page).getState();
  // The library tells of a restart before it tells of the new files.
  libraryOf(page).subscribe((state) => {
    ({ files } = state);
  });
  return () => files;
});
