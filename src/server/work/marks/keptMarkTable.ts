import { type LabelScheme, MOST_LABEL_CLASSES } from '../../../shared/contract/marks.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { AnnotatedFile, AnnotatedFiles } from '../journal/annotatedFiles.ts';
import { type EntityTag, entityTag } from '../journal/entityTag.ts';
import { createKeptStore, type Durability, type JournalSettings, type KeptStore } from '../journal/keptStore.ts';
import { toRecordedFile } from '../journal/recordedFile.ts';
import type { JournalMatch } from '../journal/recovery.ts';
import { createKeptLabels, type KeptLabels } from './keptLabels.ts';
import { addClasses } from './labels.ts';
import { listFilesOfMark, renumberFiles } from './markContent.ts';
import { isScheme, MARK_FORMAT, type MarkJournalRecord, type MarkRecord } from './markFormat.ts';
import { createMarkTable, type MarkTable } from './markTable.ts';
import { readMarkJournalTask } from './markTasks.ts';
import type { StoredMark } from './writeMarks.ts';

export type KeptMarkTableOptions = {
  readonly files: AnnotatedFiles;
  readonly tasks: TaskRunner;
  /** Differs between runs of the server, so that an entity tag of an earlier run never matches. */
  readonly instance: string;
  /** Without it, marks are only held in memory. */
  readonly journal?: JournalSettings | undefined;
  /** The scheme of `--labels`. */
  readonly scheme?: LabelScheme | undefined;
  readonly memory: Pick<MemoryAccount, 'plan' | 'setMarkBytes'>;
};

/** The marks of this run with their classes, and the journal that has both. */
export interface KeptMarkTable {
  readonly table: MarkTable;
  readonly labels: KeptLabels;
  readonly kept: KeptStore<MarkJournalRecord>;
  readonly etagOf: (mark: StoredMark) => EntityTag;
  readonly toRecord: <File>(mark: StoredMark, toFile: (file: AnnotatedFile) => File) => MarkRecord<File>;
  /** Writes what the mark is to the journal. */
  readonly keep: (mark: StoredMark) => Promise<Durability>;
}

export function createKeptMarkTable(options: KeptMarkTableOptions): KeptMarkTable {
  const { files, tasks, instance, memory } = options;
  const table = createMarkTable(memory.plan.marks, (bytes) => memory.setMarkBytes(bytes));
  const kept = createKeptStore<MarkJournalRecord>({
    files,
    tasks,
    format: MARK_FORMAT,
    settings: options.journal,
    read: ({ path }) => tasks.run(readMarkJournalTask, { path }, { signal: undefined }),
    restore,
    isHeld: ({ record }) =>
      isScheme(record) ? labels.hasAll(record.scheme) : table.findByUid(record.uid) !== undefined,
  });
  const labels = createKeptLabels({
    files,
    instance,
    start: options.scheme,
    kept,
    // Records of the journal have the class of their mark.
    onChange(keys) {
      for (const mark of table.list()) if (keys.has(mark.content.class ?? '')) void keep(mark);
      table.touch();
    },
  });

  function toRecord<File>(mark: StoredMark, toFile: (file: AnnotatedFile) => File): MarkRecord<File> {
    const { uid, createdAtMs, modifiedAtMs } = mark;
    const labelClass = labels.find(mark.content.class) ?? null;
    const named = listFilesOfMark(mark.content, (file) => toFile(files.get(file)));
    return { uid, createdAtMs, modifiedAtMs, labelClass, ...named };
  }

  function keep(mark: StoredMark): Promise<Durability> {
    return kept.keep(mark.id, toRecord(mark, toRecordedFile));
  }

  /** Of several records of one mark, the newest counts. A mark that this run has stays as it is. */
  function restore(matches: readonly JournalMatch<MarkJournalRecord>[]): readonly Promise<Durability>[] {
    const keeping: Promise<Durability>[] = [];
    const { scheme } = labels.scheme();
    const [newest] = matches.flatMap(({ record }) => (isScheme(record) ? record.scheme : []));
    // Classes that were changed in this run stay as they are.
    const own = newest === undefined || labels.revision() > 0 ? scheme : addClasses(newest, scheme.classes);
    const found = matches.flatMap(({ record }) =>
      isScheme(record) ? record.scheme.classes : (record.labelClass ?? []),
    );
    const next = addClasses(own, found.slice(0, MOST_LABEL_CLASSES));
    if (next !== scheme) keeping.push(labels.set(next));
    for (const { record, fileIndices } of matches) {
      if (isScheme(record) || table.findByUid(record.uid) !== undefined) continue;
      const { uid, createdAtMs, modifiedAtMs } = record;
      const content = renumberFiles(record.content, (place) => fileIndices[place] ?? 0);
      keeping.push(keep(table.add({ uid, createdAtMs, modifiedAtMs, content })));
    }
    return keeping;
  }

  return { table, labels, kept, etagOf: (mark) => entityTag(instance, mark.revision), toRecord, keep };
}
