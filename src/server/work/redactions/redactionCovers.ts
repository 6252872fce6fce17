import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { addTo } from '../../../shared/addTo.ts';
import {
  findUnseen,
  holdPixels,
  type KnownSource,
  placeOf,
  redact,
  type Redaction,
} from '../../bytes/origins/origins.ts';
import { countRois, type PackedRois, uniteRois, unpackRois } from '../annotations/packedRois.ts';
import type { RoiRecord } from '../annotations/roiFormat.ts';
import type { AnnotatedFile } from '../journal/annotatedFiles.ts';
import {
  findJournals,
  type FoundJournal,
  listUnread,
  type ReadJournal,
  setAside,
  tryRead,
  type UnreadJournal,
  unreadFolder,
} from '../journal/findJournals.ts';
import type { KeptRecords } from '../journal/journalFile.ts';
import { isSameObject, namesOf, toRecordedFile } from '../journal/recordedFile.ts';
import { REDACTION_FORMAT } from './redactionFormat.ts';

/** The files of the catalog, as far as redactions need them. */
export interface CoveredFiles {
  readonly files: readonly AnnotatedFile[];
  readonly readLater: readonly number[];
  get(index: number): AnnotatedFile;
  /** Called after every change, before anybody can ask for a new file. */
  subscribe(listener: () => void): () => void;
}

export type CoversOptions = {
  readonly files: CoveredFiles;
  /** The folder of the journals; undefined if there are none. */
  readonly folder: string | undefined;
  /** The name of the journal of this run. */
  readonly ownName: string;
  readonly read: (journal: FoundJournal) => Promise<KeptRecords<RoiRecord> | undefined>;
  /** Called with the journals that cannot be read, when that changes. */
  readonly onUnread?: ((unread: readonly UnreadJournal[]) => void) | undefined;
};

/**
 * What is covered in the pixels of each file: the boxes of this run, and those of all other journals in the folder,
 * whether their processes have ended or still run. They are known before the first file is listed, and a file is covered
 * when it is listed. As long as a journal is not read, any file might be in it, so that no pixel is shown.
 */
export interface RedactionCovers {
  /** Settles when the journals have been read, or after a while if that takes long. */
  readonly ready: Promise<void>;
  /** Sets the boxes that this run has for a file. Throws if there is no room for them. */
  setOwn(index: number, rois: PackedRois): void;
  /** Looks at the journals now; those that could not be read are read again. */
  refresh(): Promise<void>;
  /** Goes on without what could not be read. */
  setAside(): Promise<void>;
  unread(): readonly UnreadJournal[];
  /** Boxes of the open files in the journals of other processes that still run. */
  countOfRunning(): number;
  /** No request is left. */
  close(): void;
}

/** How soon a change in another process counts here. */
const POLL_MS = 2_000;
/** A journal that could not be read is read again after this time. */
const AGAIN_MS = 30_000;
const READY_MS = 2_000;
const FILES_A_TURN = 1_000;
const STILL_READING = 'the redactions of earlier runs are still being read';

type Known = ReadJournal<RoiRecord> & { readonly readAtMs: number };

export function createRedactionCovers({ files, folder, ownName, read, onUnread }: CoversOptions): RedactionCovers {
  let journals = new Map<string, Known>();
  /** By path and by place. */
  let others = new Map<string, Known['records'][number][]>();
  /** By place. */
  const own = new Map<string, RoiRecord>();
  /** What each file is covered with. */
  const applied = new Map<number, string>();
  let [seen, seenLater] = [0, 0];
  let unread: readonly UnreadJournal[] = [];
  /** Why some files could not be covered. */
  let uncovered: string | undefined;
  let last: Promise<void> = Promise.resolve();
  let poll: NodeJS.Timeout | undefined;
  let isClosed = false;
  if (folder !== undefined) holdPixels(STILL_READING);

  const roisOf = (file: AnnotatedFile): PackedRois => {
    const ofThis = own.get(placeOf(file.source));
    const records = [
      ...(ofThis === undefined ? [] : [ofThis]),
      ...namesOf(file).flatMap((name) => others.get(name) ?? []),
    ];
    return uniteRois(records.flatMap((record) => (isSameObject(record.file, file) ? record.rois : [])));
  };

  const cover = (indices: Iterable<number>): void => {
    const changes = new Map<number, { readonly source: KnownSource; readonly text: string; boxes: Redaction[] }>();
    for (const index of indices) {
      const file = files.get(index);
      if (findUnseen(file.source) !== undefined) continue;
      const { roi_coords, roi_frames } = unpackRois(roisOf(file));
      const boxes = roi_coords.map((box, at) => ({ box, frames: roi_frames[at] ?? [] }));
      const text = boxes.length === 0 ? '' : JSON.stringify(boxes);
      if ((applied.get(index) ?? '') !== text) changes.set(index, { source: file.source, text, boxes });
    }
    redact(Array.from(changes.values(), ({ source, boxes }) => [source, boxes]));
    for (const [index, { text }] of changes) applied.set(index, text);
  };

  /** If a file cannot be covered, no pixel is shown. */
  const coverOrHold = (indices: Iterable<number>): boolean => {
    try {
      cover(indices);
      return true;
    } catch (error) {
      uncovered = error instanceof Error ? error.message : String(error);
      hold();
      return false;
    }
  };

  const coverNew = (): void => {
    const fresh = files.readLater.slice(seenLater);
    seenLater = files.readLater.length;
    const first = seen;
    seen = files.files.length;
    if (others.size + own.size === 0) return;
    for (let index = first; index < seen; index += 1) fresh.push(index);
    coverOrHold(fresh.filter((index) => hasAny(files.get(index), others) || own.has(placeOf(files.get(index).source))));
  };
  const unsubscribe = files.subscribe(coverNew);

  const hold = (): void => {
    const [first] = unread;
    holdPixels(first === undefined ? uncovered : `the redactions in ${first.name} cannot be read: ${first.reason}`);
  };

  const setUnread = (next: readonly UnreadJournal[]): void => {
    const isNew = JSON.stringify(next) !== JSON.stringify(unread);
    unread = next;
    hold();
    if (isNew) onUnread?.(next);
  };

  const readJournals = async (isForced: boolean): Promise<Map<string, Known>> => {
    let next = new Map<string, Known>();
    if (folder === undefined) return next;
    // A journal that is missing may have been renamed while the folder was listed.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      next = new Map();
      let isMissing = false;
      for (const journal of await findJournals(folder, REDACTION_FORMAT)) {
        const { name } = journal;
        if (name === ownName) continue;
        const before = journals.get(name);
        const isStill = before?.mark === journal.mark;
        const isTried = before?.damage !== undefined && (isForced || Date.now() - before.readAtMs > AGAIN_MS);
        if (isStill && !isTried) next.set(name, { ...before, isAbandoned: journal.isAbandoned });
        else {
          const kept = await tryRead(journal, read);
          if (kept === undefined) isMissing = true;
          else next.set(name, { ...kept, readAtMs: Date.now() });
        }
      }
      if (!isMissing && [...journals.keys()].every((name) => next.has(name))) break;
    }
    return next;
  };

  const look = async (isForced: boolean): Promise<void> => {
    let next: Map<string, Known>;
    try {
      next = await readJournals(isForced);
    } catch (error) {
      return setUnread([unreadFolder(folder ?? '', error)]);
    }
    const isSame =
      next.size === journals.size && [...next].every(([name, { mark }]) => journals.get(name)?.mark === mark);
    journals = next;
    if (!isSame || uncovered !== undefined) {
      const before = others;
      others = byName(next.values());
      await coverAll(before);
    }
    setUnread(listUnread(next.values()));
  };

  const coverAll = async (before: ReadonlyMap<string, unknown>): Promise<void> => {
    for (let start = 0; start < seen; start += FILES_A_TURN) {
      const indices: number[] = [];
      for (let index = start; index < Math.min(start + FILES_A_TURN, seen); index += 1) {
        const file = files.get(index);
        if (hasAny(file, others) || hasAny(file, before)) indices.push(index);
      }
      if (!coverOrHold(indices)) return;
      await nextTurn();
    }
    uncovered = undefined;
  };

  const inTurn = (step: () => Promise<void>): Promise<void> => {
    const done = last.then(step);
    last = done.catch((error: unknown) => setUnread([unreadFolder(folder ?? '', error)]));
    return last;
  };

  const lookAgain = (): void => {
    if (isClosed || folder === undefined) return;
    poll = setTimeout(() => void inTurn(() => look(false)).then(lookAgain), POLL_MS);
    poll.unref();
  };
  const first = inTurn(() => look(false));
  void first.then(lookAgain);

  return {
    ready: Promise.race([first, delay(READY_MS, undefined, { ref: false })]),
    setOwn(index, rois) {
      const file = files.get(index);
      const place = placeOf(file.source);
      const before = own.get(place);
      own.set(place, { file: toRecordedFile(file), savedAtMs: Date.now(), rois });
      try {
        cover([index]);
      } catch (error) {
        if (before === undefined) own.delete(place);
        else own.set(place, before);
        throw error;
      }
    },
    refresh: () => inTurn(() => look(true)),
    setAside: () =>
      inTurn(async () => {
        await setAside(journals.values(), REDACTION_FORMAT);
        await look(true);
      }),
    unread: () => unread,
    countOfRunning() {
      const open = new Set([...applied.keys()].flatMap((index) => namesOf(files.get(index))));
      const running = [...journals.values()].filter(({ isAbandoned }) => !isAbandoned);
      const records = running.flatMap((journal) => journal.records.filter(({ file }) => open.has(file.realPath)));
      return records.reduce((sum, { rois }) => sum + countRois(rois), 0);
    },
    close() {
      isClosed = true;
      clearTimeout(poll);
      unsubscribe();
      holdPixels(undefined);
    },
  };
}

function byName(journals: Iterable<Known>): Map<string, RoiRecord[]> {
  const found = new Map<string, RoiRecord[]>();
  for (const { records } of journals) {
    for (const record of records) {
      for (const name of new Set([record.file.path, record.file.realPath])) addTo(found, name, record);
    }
  }
  return found;
}

function hasAny(file: AnnotatedFile, names: ReadonlyMap<string, unknown>): boolean {
  return namesOf(file).some((name) => names.has(name));
}
