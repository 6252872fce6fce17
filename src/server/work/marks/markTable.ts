import { ViewerError } from '../../../shared/contract/errors.ts';
import { sizeOfMark } from './markContent.ts';
import type { StoredMark } from './writeMarks.ts';

/** Deletions that clients can ask for. One that has missed more gets the whole list. */
const MOST_DELETIONS = 10_000;

/** The marks in memory. Each change has a revision, so that clients can ask for what has changed since. */
export interface MarkTable {
  /** Grows with every change. */
  readonly revision: () => number;
  readonly subscribe: (listener: () => void) => () => void;
  /** By id. */
  readonly list: () => StoredMark[];
  readonly findByUid: (uid: string) => StoredMark | undefined;
  /** Throws `mark_not_found`. */
  readonly require: (id: number) => StoredMark;
  /** A new mark. One with the uid of a deleted one has its id. Throws `too_many_marks`. */
  readonly add: (mark: Omit<StoredMark, 'id' | 'revision' | 'bytes'>) => StoredMark;
  /** The mark in place of what it was. Throws `too_many_marks`. */
  readonly replace: (mark: Omit<StoredMark, 'revision' | 'bytes'>) => StoredMark;
  /** Throws `too_many_marks` if marks must not take so many more bytes. */
  readonly requireRoom: (bytes: number) => void;
  /** Returns the revision. */
  readonly remove: (marks: Iterable<StoredMark>) => number;
  /** Something else that clients of marks see has changed. */
  readonly touch: () => void;
  /** What is different since a revision: everything, if that is unknown or of an earlier run. */
  readonly changesSince: (revision: number | undefined) => TableChanges;
}

export type TableChanges = {
  readonly isWhole: boolean;
  readonly marks: readonly StoredMark[];
  readonly deleted: readonly number[];
};

/** `onBytes` is called with what all marks take. */
export function createMarkTable(budgetBytes: number, onBytes: (bytes: number) => void): MarkTable {
  const marks = new Map<number, StoredMark>();
  const idByUid = new Map<string, number>();
  /** Deleted marks, in the order of their deletion. */
  const deletions = new Map<number, { readonly uid: string; readonly revision: number }>();
  const idOfDeleted = new Map<string, number>();
  /** The last deletion that is no longer known. */
  let forgottenRevision = 0;
  let revision = 0;
  let nextId = 1;
  let heldBytes = 0;
  const listeners = new Set<() => void>();

  const hold = (bytes: number) => {
    heldBytes += bytes;
    onBytes(heldBytes);
  };

  const tell = () => {
    for (const listener of listeners) listener();
  };

  const requireRoom = (bytes: number) => {
    if (heldBytes + bytes <= budgetBytes) return;
    throw new ViewerError(
      'too_many_marks',
      `marks may take ${Math.floor(budgetBytes / 2 ** 20)} MiB; start negato with more --memory, or export and delete some`,
    );
  };

  const replace = (mark: Omit<StoredMark, 'revision' | 'bytes'>): StoredMark => {
    const bytes = sizeOfMark(mark.content);
    const grown = bytes - (marks.get(mark.id)?.bytes ?? 0);
    requireRoom(grown);
    hold(grown);
    revision += 1;
    const stored = { ...mark, bytes, revision };
    marks.set(mark.id, stored);
    idByUid.set(mark.uid, mark.id);
    deletions.delete(mark.id);
    idOfDeleted.delete(mark.uid);
    tell();
    return stored;
  };

  const drop = ({ id, uid, bytes }: StoredMark) => {
    marks.delete(id);
    idByUid.delete(uid);
    hold(-bytes);
    revision += 1;
    deletions.set(id, { uid, revision });
    idOfDeleted.set(uid, id);
    for (const [oldest, one] of deletions) {
      if (deletions.size <= MOST_DELETIONS) break;
      deletions.delete(oldest);
      idOfDeleted.delete(one.uid);
      forgottenRevision = one.revision;
    }
  };

  const list = () => [...marks.values()].toSorted((a, b) => a.id - b.id);

  return {
    revision: () => revision,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    list,
    findByUid: (uid) => marks.get(idByUid.get(uid) ?? -1),
    require(id) {
      const mark = marks.get(id);
      if (mark !== undefined) return mark;
      throw new ViewerError('mark_not_found', `there is no mark ${id}${deletions.has(id) ? '; it was deleted' : ''}`);
    },
    add: (mark) => replace({ ...mark, id: idOfDeleted.get(mark.uid) ?? nextId++ }),
    replace,
    requireRoom,
    remove(removed) {
      for (const mark of removed) drop(mark);
      tell();
      return revision;
    },
    touch() {
      revision += 1;
      tell();
    },
    changesSince(asked) {
      const isWhole = asked === undefined || asked < forgottenRevision || asked > revision;
      const since = isWhole ? 0 : asked;
      return {
        isWhole,
        marks: list().filter((mark) => mark.revision > since),
        deleted: isWhole ? [] : [...deletions].flatMap(([id, one]) => (one.revision > since ? [id] : [])),
      };
    },
  };
}
