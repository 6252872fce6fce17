import type { LabelScheme, MarksQuery, WireRoiMark } from '../../../shared/contract/marks.ts';
import type { EntityTag } from '../journal/entityTag.ts';
import type { KeptStore } from '../journal/keptStore.ts';
import { createKeptMarkTable, type KeptMarkTableOptions } from './keptMarkTable.ts';
import type { KeptLabels } from './keptLabels.ts';
import { createMarkEdits, type MarkEdits, type ShownMark } from './markEdits.ts';
import type { MarkJournalRecord } from './markFormat.ts';
import type { MarkTable } from './markTable.ts';
import { createMarkFilter, type StoredMark, toExportedFile, writeExport, writeList, writeMark } from './writeMarks.ts';

export type MarksOptions = KeptMarkTableOptions & {
  /** The ROIs of the specification, which are listed with the marks: those of all files, or of one. */
  readonly rois: (file: number | undefined) => Promise<Iterable<WireRoiMark>>;
};

export type SelectedMarks = { readonly marks: readonly StoredMark[]; readonly scheme: LabelScheme };

/**
 * What users draw and measure, apart from the ROIs of the specification. Each mark is changed by itself, and the journal
 * keeps marks until they are exported. A file is never written.
 */
export type MarkStore = MarkEdits &
  Pick<MarkTable, 'revision' | 'subscribe'> &
  Pick<KeptLabels, 'scheme' | 'replaceScheme'> &
  Pick<KeptStore<MarkJournalRecord>, 'journal' | 'recovered' | 'recover' | 'close' | 'closeJournal'> & {
    /** The JSON of `MarksResponse` as a snapshot. */
    list(query: MarksQuery): Promise<Iterable<string>>;
    read(id: number): Promise<ShownMark>;
    /** All marks with the files that they name. `delivered` is to be called when the client has all of it. */
    exportJson(): Promise<{ readonly texts: Iterable<string>; readonly delivered: () => Promise<void> }>;
    /** One mark. Throws `mark_not_found`. */
    find(id: number): Promise<{ readonly mark: StoredMark; readonly etag: EntityTag }>;
    /** The marks that pass the filters, by id, and the scheme. */
    select(query: Omit<MarksQuery, 'since'>): Promise<SelectedMarks>;
    /** A client has these as a whole: they leave the journal, unless they have changed since. */
    noteDelivered(delivered: readonly StoredMark[]): Promise<void>;
    /** Marks that have not been exported. */
    countUnexported(): number;
  };

export function createMarks({ rois, ...options }: MarksOptions): MarkStore {
  const { files } = options;
  const keptMarks = createKeptMarkTable(options);
  const { table, labels, kept, etagOf, toRecord } = keptMarks;

  const noteDelivered = async (delivered: readonly StoredMark[]): Promise<void> => {
    const current = new Map(table.list().map(({ id, revision }) => [id, revision]));
    const unchanged = delivered.filter(({ id, revision }) => current.get(id) === revision);
    await kept.release(unchanged.map(({ id }) => id));
  };

  return {
    ...createMarkEdits(files, keptMarks),
    revision: table.revision,
    subscribe: table.subscribe,
    scheme: labels.scheme,
    replaceScheme: labels.replaceScheme,
    journal: kept.journal,
    recovered: kept.recovered,
    recover: kept.recover,
    close: kept.close,
    closeJournal: kept.closeJournal,

    async list(query) {
      await kept.restored();
      if (query.file !== undefined) files.get(query.file);
      // They have no revision, class, text or author.
      const { since, class: key, text, author } = query;
      const wantsRois =
        query.kind?.includes('roi') !== false &&
        query.unlabelled !== false &&
        [since, key, text, author].every((filter) => filter === undefined);
      const listedRois = wantsRois ? await rois(query.file) : [];
      const changes = table.changesSince(since);
      return writeList({
        ...changes,
        revision: table.revision(),
        rois: listedRois,
        query,
        etagOf,
        classOf: labels.find,
      });
    },

    async read(id) {
      await kept.restored();
      const mark = table.require(id);
      const etag = etagOf(mark);
      return { texts: writeMark(mark, { etag, labelClass: labels.find(mark.content.class) }), etag };
    },

    async exportJson() {
      await kept.restored();
      // Copied before anything is sent, because a change made while the client is reading belongs to the next export.
      const exported = table.list();
      const exportedLabels = labels.revision();
      return {
        texts: writeExport(exported, labels.scheme().scheme, (mark) => toRecord(mark, toExportedFile)),
        async delivered() {
          await labels.release(exportedLabels);
          await noteDelivered(exported);
        },
      };
    },

    noteDelivered,

    async find(id) {
      await kept.restored();
      const mark = table.require(id);
      return { mark, etag: etagOf(mark) };
    },

    async select(query) {
      await kept.restored();
      if (query.file !== undefined) files.get(query.file);
      const passes = createMarkFilter(query, labels.find);
      return { marks: table.list().filter(({ content }) => passes(content)), scheme: labels.scheme().scheme };
    },

    countUnexported: () => kept.countKept().items,
  };
}
