import { ViewerError } from '../../../shared/contract/errors.ts';
import {
  type ChangedMarksResponse,
  type DeletedMarksResponse,
  type LabelClass,
  LabelScheme,
  MarksDeletion,
  MarksPatch,
  MOST_LABEL_CLASSES,
  type MarksQuery,
} from '../../../shared/contract/marks.ts';
import { type AnnotatedFile, type AnnotatedFiles, boundsOfFile } from '../annotations/annotatedFiles.ts';
import type { JournalSettings } from '../annotations/annotations.ts';
import { parseBody } from '../annotations/checkBody.ts';
import type { JsonBounds } from '../../machine/workers/parseJson.ts';
import { type EntityTag, entityTag, matchesEntityTag } from '../annotations/entityTag.ts';
import { createJournal } from '../annotations/journal.ts';
import { toRecordedFile } from '../annotations/journalFile.ts';
import {
  createRecovery,
  type JournalMatch,
  recoverAtStart,
  type RecoveryAction,
  type RecoveryOutcome,
  type JournalReport,
  reportJournal,
} from '../annotations/recovery.ts';
import { orClosed, shuttingDown } from '../annotations/shuttingDown.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { checkMark, type MarkedImages } from './checkMark.ts';
import { createUid } from './createUid.ts';
import { addClasses, checkScheme } from './labels.ts';
import { listFilesOfMark, type MarkContent, mergeSlices, renumberFiles, sizeOfMark } from './markContent.ts';
import { isScheme, MARK_FORMAT, type MarkJournalRecord, type MarkRecord } from './markFormat.ts';
import { parseMarkTask, readMarkJournalTask } from './markTasks.ts';
import { type ParsedMark, parseMark, shape, toContent } from './parseMark.ts';
import {
  createMarkFilter,
  type ListedRois,
  type StoredMark,
  toExportedFile,
  writeExport,
  writeList,
  writeMark,
} from './writeMarks.ts';

export type MarksOptions = {
  readonly files: AnnotatedFiles;
  readonly tasks: TaskRunner;
  /** Differs between runs of the server, so that an entity tag of an earlier run never matches. */
  readonly instance: string;
  /** Without it, marks are only held in memory. */
  readonly journal?: JournalSettings | undefined;
  /** The scheme of `--labels`. */
  readonly scheme?: LabelScheme | undefined;
  readonly memory: Pick<MemoryAccount, 'plan' | 'setMarkBytes'>;
  /** The ROIs of the specification, which are listed with the marks. */
  readonly rois: () => Promise<ListedRois>;
};

type Wish = { readonly ifMatch?: string | undefined };

export type ChangedMark = {
  readonly texts: Iterable<string>;
  readonly etag: EntityTag;
  /** `kept`: it is on disk. `memory`: it is lost when the process ends. */
  readonly durability: 'kept' | 'memory';
};

export type ReadScheme = { readonly scheme: LabelScheme; readonly etag: EntityTag };
export type ChangedScheme = ReadScheme & Pick<ChangedMark, 'durability'>;

export type SelectedMarks = { readonly marks: readonly StoredMark[]; readonly scheme: LabelScheme };

/** A mark of an import. */
export type FoundMark = {
  /** How it is named in messages. */
  readonly name: string;
  readonly uid: string | undefined;
  readonly createdAtMs: number | undefined;
  readonly modifiedAtMs: number | undefined;
  /** The class that the import describes; the scheme gets it if it has none with this key. */
  readonly labelClass: LabelClass | undefined;
  readonly content: MarkContent;
};

export type AdoptedMarks = {
  readonly imported: number;
  /** Marks that were there already, with the same content. */
  readonly known: number;
  readonly refused: readonly { readonly mark: string; readonly reason: string }[];
  readonly revision: number;
  readonly durability: ChangedMark['durability'];
};

/**
 * What users draw and measure, apart from the ROIs of the specification. Each mark is changed by itself, and the journal
 * keeps marks until they are exported. A file is never written.
 */
export interface MarkStore {
  /** Grows with every change. */
  revision(): number;
  subscribe(listener: () => void): () => void;
  /** The JSON of `MarksResponse` as a snapshot. */
  list(query: MarksQuery): Promise<Iterable<string>>;
  read(id: number): Promise<Omit<ChangedMark, 'durability'>>;
  /** Throws `invalid_json`, `invalid_mark`, `not_found` for a file, `mark_exists`, `too_many_marks`. */
  create(body: Uint8Array): Promise<ChangedMark>;
  /** If-Match is compared when the change is applied, not when the request arrives. */
  replace(id: number, body: Uint8Array, wish?: Wish): Promise<ChangedMark>;
  change(id: number, body: Uint8Array, wish?: Wish): Promise<ChangedMark>;
  /** Changes words of many marks, or of none. */
  changeMany(body: Uint8Array): Promise<ChangedMarksResponse & Pick<ChangedMark, 'durability'>>;
  remove(id: number, wish?: Wish): Promise<{ readonly revision: number } & Pick<ChangedMark, 'durability'>>;
  /** Deletes all of the marks that the body names, or none. */
  removeMany(body: Uint8Array): Promise<DeletedMarksResponse & Pick<ChangedMark, 'durability'>>;
  scheme(): ReadScheme;
  replaceScheme(body: Uint8Array, wish?: Wish): Promise<ChangedScheme>;
  /** All marks with the files that they name. `delivered` is to be called when the client has all of it. */
  exportJson(): Promise<{ readonly texts: Iterable<string>; readonly delivered: () => Promise<void> }>;
  /** One mark. Throws `mark_not_found`. */
  find(id: number): Promise<{ readonly mark: StoredMark; readonly etag: EntityTag }>;
  /** The marks that pass the filters, by id, and the scheme. */
  select(query: Omit<MarksQuery, 'since'>): Promise<SelectedMarks>;
  /** A client has these as a whole: they leave the journal, unless they have changed since. */
  noteDelivered(delivered: readonly StoredMark[]): Promise<void>;
  /** Makes the marks of an import, each by itself. */
  adopt(found: AsyncIterable<FoundMark>): Promise<AdoptedMarks>;
  journal(): JournalReport;
  /** Settles when it is known what an earlier run kept and the action requested at startup is done. Never rejects. */
  readonly recovered: Promise<RecoveryOutcome>;
  recover(action: RecoveryAction): Promise<JournalReport>;
  /** Marks that have not been exported. */
  countUnexported(): number;
  /** Refuses changes from now on. */
  close(): void;
  /** Called after `close`, when no request is left. Completes the journal on disk. */
  closeJournal(): Promise<void>;
}

/** A smaller body is parsed and checked in a few milliseconds, sooner than a worker thread could start. */
const PARSED_HERE_BYTES = 32 * 1024;
/** Of a list of 10,000 marks, or the classes of a scheme. They are parsed here, and more would block the event loop. */
const FEW_VALUES: JsonBounds = { bytes: 8 * 2 ** 20 };
/** The number of the classes in the journal. Ids of marks begin at 1. */
const SCHEME_NUMBER = 0;
/** Deletions that clients can ask for. One that has missed more gets the whole list. */
const MOST_DELETIONS = 10_000;

export function createMarks(options: MarksOptions): MarkStore {
  const { files, tasks, instance, memory, rois } = options;
  const budgetBytes = memory.plan.marks;
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
  const startScheme: LabelScheme = options.scheme ?? { classes: [] };
  let scheme = startScheme;
  let schemeRevision = 0;
  const listeners = new Set<() => void>();
  const closing = new AbortController();
  const { signal } = closing;
  const journal = options.journal && createJournal({ format: MARK_FORMAT, ...options.journal });
  const recovery =
    journal &&
    createRecovery<MarkJournalRecord>({
      format: MARK_FORMAT,
      read: ({ path }) => tasks.run(readMarkJournalTask, { path }, { signal: undefined }),
      folder: journal.folder,
      files,
      restore: (matches) => restore(matches),
      isHeld: ({ record }) =>
        journal.trouble() === undefined && (isScheme(record) ? hasClasses(record.scheme) : idByUid.has(record.uid)),
    });
  let isRecovered = options.journal?.kept !== 'restore';
  const recovered = recoverAtStart(recovery, options.journal?.kept).then((outcome) => {
    isRecovered = true;
    return outcome;
  });

  const images: MarkedImages = {
    boundsOf: (file) => boundsOfFile(files.get(file)),
    slideOf(file) {
      const { slide } = files.get(file).placement ?? {};
      if (slide?.totalRows === undefined || slide.totalColumns === undefined) return undefined;
      return { rows: slide.totalRows, columns: slide.totalColumns };
    },
  };
  const etagOf = (mark: StoredMark) => entityTag(instance, mark.revision);
  const schemeTag = () => entityTag(`${instance}-labels`, schemeRevision);
  const classOf = (key: string | null): LabelClass | undefined =>
    key === null ? undefined : scheme.classes.find((one) => one.key === key);

  const hold = (bytes: number) => {
    heldBytes += bytes;
    memory.setMarkBytes(heldBytes);
  };

  const tell = () => {
    for (const listener of listeners) listener();
  };

  function toRecord<File>(mark: StoredMark, toFile: (file: AnnotatedFile) => File): MarkRecord<File> {
    const { uid, createdAtMs, modifiedAtMs } = mark;
    const labelClass = classOf(mark.content.class) ?? null;
    const named = listFilesOfMark(mark.content, (file) => toFile(files.get(file)));
    return { uid, createdAtMs, modifiedAtMs, labelClass, ...named };
  }

  /** Takes effect immediately. The promise settles when it has been written to the journal or could not be. */
  function put(mark: Omit<StoredMark, 'revision' | 'bytes'>): [StoredMark, Promise<ChangedMark['durability']>] {
    const bytes = sizeOfMark(mark.content);
    const before = marks.get(mark.id)?.bytes ?? 0;
    if (heldBytes - before + bytes > budgetBytes) {
      throw new ViewerError(
        'too_many_marks',
        `marks may take ${Math.floor(budgetBytes / 2 ** 20)} MiB; start negato with more --memory, or export and delete some`,
      );
    }
    hold(bytes - before);
    revision += 1;
    const stored = { ...mark, bytes, revision };
    marks.set(mark.id, stored);
    idByUid.set(mark.uid, mark.id);
    deletions.delete(mark.id);
    idOfDeleted.delete(mark.uid);
    tell();
    return [stored, keep(stored)];
  }

  /** Takes effect immediately, like `put`. The caller tells the listeners. */
  async function drop(mark: StoredMark): Promise<ChangedMark['durability']> {
    const { id, uid, bytes } = mark;
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
    return (await journal?.remove(id)) === true ? 'kept' : 'memory';
  }

  async function keep(mark: StoredMark): Promise<ChangedMark['durability']> {
    return (await journal?.keep(mark.id, toRecord(mark, toRecordedFile))) === true ? 'kept' : 'memory';
  }

  async function settle([mark, kept]: ReturnType<typeof put>): Promise<ChangedMark> {
    return { ...show(mark), durability: await kept };
  }

  const show = (mark: StoredMark) => ({
    texts: writeMark(mark, { etag: etagOf(mark), labelClass: classOf(mark.content.class) }),
    etag: etagOf(mark),
  });

  const require = (id: number): StoredMark => {
    const mark = marks.get(id);
    if (mark === undefined) {
      throw new ViewerError('mark_not_found', `there is no mark ${id}${deletions.has(id) ? '; it was deleted' : ''}`);
    }
    return mark;
  };

  /** Nothing is awaited between this and the change, so the tag compared is that of the mark being changed. */
  const requireMatch = (id: number, { ifMatch }: Wish): StoredMark => {
    if (signal.aborted) throw shuttingDown();
    const mark = require(id);
    if (ifMatch !== undefined && !matchesEntityTag(ifMatch, etagOf(mark))) {
      throw new ViewerError(
        'stale_mark',
        `mark ${id} has changed in the meantime: its ETag is ${etagOf(mark)}, not ${ifMatch}`,
      );
    }
    return mark;
  };

  const parse = async (body: Uint8Array, form: 'whole' | 'change'): Promise<ParsedMark> => {
    if (body.length <= PARSED_HERE_BYTES) return parseMark({ body, form });
    return tasks.run(parseMarkTask, { body, form }, { signal }).catch((error: unknown) => {
      throw signal.aborted ? shuttingDown() : error;
    });
  };

  /** Of several records of one mark, the newest counts. A mark that this run has stays as it is. */
  async function restore(matches: readonly JournalMatch<MarkJournalRecord>[]): Promise<boolean> {
    const keeping: Promise<ChangedMark['durability']>[] = [];
    const [newest] = matches.flatMap(({ record }) => (isScheme(record) ? record.scheme : []));
    // Classes that were changed in this run stay as they are.
    const own = newest === undefined || schemeRevision > 0 ? scheme : addClasses(newest, scheme.classes);
    const found = matches.flatMap(({ record }) =>
      isScheme(record) ? record.scheme.classes : (record.labelClass ?? []),
    );
    const next = addClasses(own, found.slice(0, MOST_LABEL_CLASSES));
    if (next !== scheme) keeping.push(setScheme(next));
    for (const { record, fileIndices } of matches) {
      if (isScheme(record) || idByUid.has(record.uid)) continue;
      const { uid, createdAtMs, modifiedAtMs } = record;
      const content = renumberFiles(record.content, (place) => fileIndices[place] ?? 0);
      keeping.push(put({ id: nextId++, uid, createdAtMs, modifiedAtMs, content })[1]);
    }
    return (await Promise.all(keeping)).every((durability) => durability === 'kept');
  }

  /** Records of the journal have the class of their mark, so that those of changed classes are written anew. */
  function setScheme(next: LabelScheme): Promise<ChangedMark['durability']> {
    const [before, after] = [wordsOf(scheme), wordsOf(next)];
    scheme = next;
    for (const mark of marks.values()) {
      const key = mark.content.class;
      if (key !== null && after.has(key) && before.get(key) !== after.get(key)) void keep(mark);
    }
    schemeRevision += 1;
    revision += 1;
    tell();
    return keepScheme();
  }

  /** Until they are exported, unless they are those that this run was started with. */
  async function keepScheme(): Promise<ChangedMark['durability']> {
    const [first] = files.files;
    if (first === undefined) {
      void files.scanComplete.then(() => (files.files.length > 0 ? keepScheme() : undefined));
      return 'memory';
    }
    const isAsStarted = JSON.stringify(scheme) === JSON.stringify(startScheme);
    const record = { scheme, modifiedAtMs: Date.now(), files: [toRecordedFile(first)] };
    const isKept = await (isAsStarted ? journal?.remove(SCHEME_NUMBER) : journal?.keep(SCHEME_NUMBER, record));
    return isKept === true ? 'kept' : 'memory';
  }

  function hasClasses({ classes }: LabelScheme): boolean {
    const known = wordsOf(scheme);
    return classes.every((one) => known.get(one.key) === JSON.stringify(one));
  }

  async function noteDelivered(delivered: readonly StoredMark[]): Promise<void> {
    const unchanged = delivered.filter(({ id, revision: at }) => marks.get(id)?.revision === at);
    await journal?.release(unchanged.map(({ id }) => id));
  }

  const ready = () => orClosed(isRecovered ? undefined : recovered, signal);

  return {
    recovered,
    revision: () => revision,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async list(query) {
      await ready();
      if (query.file !== undefined) files.get(query.file);
      // They have no revision, class, text or author.
      const { since: from, class: key, text, author } = query;
      const wantsRois =
        query.kind?.includes('roi') !== false &&
        query.unlabelled !== false &&
        [from, key, text, author].every((filter) => filter === undefined);
      const listedRois = wantsRois ? await rois() : [];
      // An unknown revision is one of an earlier run.
      const isWhole = query.since === undefined || query.since < forgottenRevision || query.since > revision;
      const since = isWhole ? 0 : (query.since ?? 0);
      return writeList({
        revision,
        isWhole,
        marks: [...marks.values()].filter((mark) => mark.revision > since).toSorted((a, b) => a.id - b.id),
        deleted: isWhole ? [] : [...deletions].flatMap(([id, one]) => (one.revision > since ? [id] : [])),
        rois: listedRois,
        query,
        etagOf,
        classOf,
      });
    },

    async read(id) {
      await ready();
      return show(require(id));
    },

    async create(body) {
      const parsed = await parse(body, 'whole');
      const content = toContent(parsed);
      checkMark(content, images);
      if (signal.aborted) throw shuttingDown();
      const uid = parsed.uid ?? createUid();
      const known = marks.get(idByUid.get(uid) ?? -1);
      if (known !== undefined) {
        // The answer to an earlier request was lost, and the client has asked again.
        if (isSame(known.content, content)) return { ...show(known), durability: await keep(known) };
        throw new ViewerError('mark_exists', `mark ${known.id} has this uid; change it with PUT or PATCH`);
      }
      const now = Date.now();
      return settle(put({ id: idOfDeleted.get(uid) ?? nextId++, uid, createdAtMs: now, modifiedAtMs: now, content }));
    },

    async replace(id, body, wish = {}) {
      const parsed = await parse(body, 'whole');
      const mark = requireMatch(id, wish);
      refuseLocked(mark);
      if (parsed.uid !== undefined && parsed.uid !== mark.uid) {
        throw new ViewerError('invalid_mark', 'uid: a mark keeps its uid');
      }
      const content = toContent(parsed);
      checkMark(content, images);
      return settle(put({ ...mark, content, modifiedAtMs: Date.now() }));
    },

    async change(id, body, wish = {}) {
      const { slices, ...changed } = await parse(body, 'change');
      const mark = requireMatch(id, wish);
      const isUnlocking = changed.locked === false && Object.keys(changed).length === 1 && slices === undefined;
      if (!isUnlocking) refuseLocked(mark);
      const merged = slices === undefined ? mark.content.slices : mergeSlices([mark.content.slices, slices]);
      const content: MarkContent = { ...mark.content, ...changed, slices: merged };
      checkMark(content, images);
      return settle(put({ ...mark, content, modifiedAtMs: Date.now() }));
    },

    async changeMany(body) {
      const { marks: wanted, change } = await shape(MarksPatch, parseBody(body, FEW_VALUES));
      const isUnlocking = change.locked === false && Object.keys(change).length === 1;
      const seen = new Map(wanted.map(({ id, etag }) => [id, requireMatch(id, { ifMatch: etag })]));
      for (const mark of seen.values()) if (!isUnlocking) refuseLocked(mark);
      const now = Date.now();
      const changes = Array.from(seen.values(), (mark) => ({
        ...mark,
        content: { ...mark.content, ...change },
        modifiedAtMs: now,
      }));
      const grown = changes.reduce((sum, { content, bytes }) => sum + sizeOfMark(content) - bytes, 0);
      if (heldBytes + grown > budgetBytes) throw new ViewerError('too_many_marks', 'marks would take too much memory');
      const done = changes.map(put);
      const kept = await Promise.all(done.map(([, keeping]) => keeping));
      return {
        revision,
        marks: done.map(([mark]) => ({ id: mark.id, etag: etagOf(mark), revision: mark.revision })),
        durability: kept.every((one) => one === 'kept') ? 'kept' : 'memory',
      };
    },

    async remove(id, wish = {}) {
      const mark = requireMatch(id, wish);
      refuseLocked(mark);
      const kept = drop(mark);
      const removedAt = revision;
      tell();
      return { revision: removedAt, durability: await kept };
    },

    async removeMany(body) {
      const { marks: wanted } = await shape(MarksDeletion, parseBody(body, FEW_VALUES));
      const chosen = new Map(wanted.map(({ id, etag }) => [id, requireMatch(id, { ifMatch: etag })]));
      for (const mark of chosen.values()) refuseLocked(mark);
      const keeping = Array.from(chosen.values(), drop);
      const removedAt = revision;
      tell();
      const kept = await Promise.all(keeping);
      return {
        revision: removedAt,
        deleted: [...chosen.keys()],
        durability: kept.every((one) => one === 'kept') ? 'kept' : 'memory',
      };
    },

    scheme: () => ({ scheme, etag: schemeTag() }),

    async replaceScheme(body, { ifMatch } = {}) {
      const next = await shape(LabelScheme, parseBody(body, FEW_VALUES));
      checkScheme(next);
      if (signal.aborted) throw shuttingDown();
      if (ifMatch !== undefined && !matchesEntityTag(ifMatch, schemeTag())) {
        throw new ViewerError('stale_labels', `the classes have changed in the meantime: their ETag is ${schemeTag()}`);
      }
      const kept = setScheme(next);
      return { scheme, etag: schemeTag(), durability: await kept };
    },

    async exportJson() {
      await ready();
      // Copied before anything is sent, because a change made while the client is reading belongs to the next export.
      const exported = [...marks.values()].toSorted((a, b) => a.id - b.id);
      const exportedScheme = schemeRevision;
      return {
        texts: writeExport(exported, scheme, (mark) => toRecord(mark, toExportedFile)),
        async delivered() {
          if (schemeRevision === exportedScheme) await journal?.release([SCHEME_NUMBER]);
          await noteDelivered(exported);
        },
      };
    },

    noteDelivered,

    async find(id) {
      await ready();
      const mark = require(id);
      return { mark, etag: etagOf(mark) };
    },

    async select(query) {
      await ready();
      if (query.file !== undefined) files.get(query.file);
      const passes = createMarkFilter(query, classOf);
      const all = [...marks.values()].filter(({ content }) => passes(content));
      return { marks: all.toSorted((a, b) => a.id - b.id), scheme };
    },

    async adopt(found) {
      await ready();
      const keeping: Promise<ChangedMark['durability']>[] = [];
      const refused: { readonly mark: string; readonly reason: string }[] = [];
      let [imported, known] = [0, 0];
      for await (const one of found) {
        if (signal.aborted) throw shuttingDown();
        const { uid = createUid(), content, labelClass } = one;
        try {
          checkMark(content, images);
          const present = marks.get(idByUid.get(uid) ?? -1);
          if (present !== undefined) {
            if (!isSame(present.content, content)) {
              throw new ViewerError('mark_exists', `mark ${present.id} has the same uid and another content`);
            }
            known += 1;
            continue;
          }
          const { createdAtMs = Date.now(), modifiedAtMs = createdAtMs } = one;
          const isNewClass = labelClass !== undefined && classOf(labelClass.key) === undefined;
          const id = idOfDeleted.get(uid) ?? nextId++;
          keeping.push(put({ id, uid, createdAtMs, modifiedAtMs, content })[1]);
          if (isNewClass && scheme.classes.length < MOST_LABEL_CLASSES)
            keeping.push(setScheme(addClasses(scheme, [labelClass])));
          imported += 1;
        } catch (error) {
          if (!(error instanceof ViewerError)) throw error;
          refused.push({ mark: one.name, reason: error.message });
        }
      }
      const kept = await Promise.all(keeping);
      return {
        imported,
        known,
        refused,
        revision,
        durability: kept.every((durability) => durability === 'kept') ? 'kept' : 'memory',
      };
    },

    journal: report,

    async recover(action) {
      await orClosed(recovery?.searched, signal);
      await recovery?.settle(action);
      return report();
    },

    countUnexported: () => journal?.countKept().items ?? 0,

    close() {
      closing.abort();
    },

    async closeJournal() {
      await recovery?.close();
      await journal?.close();
    },
  };

  function report(): JournalReport {
    return reportJournal(journal, recovery);
  }
}

function refuseLocked({ id, content }: StoredMark): void {
  if (content.locked) throw new ViewerError('mark_locked', `mark ${id} is locked; unlock it first`);
}

function wordsOf({ classes }: LabelScheme): ReadonlyMap<string, string> {
  return new Map(classes.map((one) => [one.key, JSON.stringify(one)]));
}

function isSame(a: MarkContent, b: MarkContent): boolean {
  return JSON.stringify(toPlain(a)) === JSON.stringify(toPlain(b));
}

function toPlain({ points, slices, ...words }: MarkContent) {
  const arrays = Object.values(slices).map((values) => [...values]);
  const { kind, place, label, class: key, text, comment, author, locked } = words;
  return [
    kind,
    Object.entries(place).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    label,
    key,
    text,
    comment,
    author,
    locked,
    [...points],
    arrays,
  ];
}
