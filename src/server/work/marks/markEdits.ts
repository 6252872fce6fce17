import { ViewerError } from '../../../shared/contract/errors.ts';
import {
  type ChangedMarksResponse,
  type DeletedMarksResponse,
  type LabelClass,
  MarksDeletion,
  MarksPatch,
  MOST_LABEL_CLASSES,
} from '../../../shared/contract/marks.ts';
import { parseBody } from '../../machine/workers/parseBody.ts';
import { type AnnotatedFiles, boundsOfFile } from '../journal/annotatedFiles.ts';
import { type EntityTag, matchesEntityTag } from '../journal/entityTag.ts';
import { type Durability, durabilityOfAll } from '../journal/keptStore.ts';
import { checkMark, type MarkedImages } from './checkMark.ts';
import { createUid } from './createUid.ts';
import type { KeptMarkTable } from './keptMarkTable.ts';
import { addClasses } from './labels.ts';
import { type MarkContent, mergeSlices, sizeOfMark } from './markContent.ts';
import { parseMarkTask } from './markTasks.ts';
import { FEW_VALUES, type ParsedMark, parseMark, shape, toContent } from './parseMark.ts';
import { type StoredMark, writeMark } from './writeMarks.ts';

type Wish = { readonly ifMatch?: string | undefined };
type Kept = { readonly durability: Durability };

export type ShownMark = { readonly texts: Iterable<string>; readonly etag: EntityTag };
export type ChangedMark = ShownMark & Kept;

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

export type AdoptedMarks = Kept & {
  readonly imported: number;
  /** Marks that were there already, with the same content. */
  readonly known: number;
  readonly refused: readonly { readonly mark: string; readonly reason: string }[];
  readonly revision: number;
};

/** The requests that change marks. If-Match is compared when the change is applied, not when the request arrives. */
export interface MarkEdits {
  /** Throws `invalid_json`, `invalid_mark`, `not_found` for a file, `mark_exists`, `too_many_marks`. */
  create(body: Uint8Array): Promise<ChangedMark>;
  replace(id: number, body: Uint8Array, wish?: Wish): Promise<ChangedMark>;
  change(id: number, body: Uint8Array, wish?: Wish): Promise<ChangedMark>;
  /** Changes words of many marks, or of none. */
  changeMany(body: Uint8Array): Promise<ChangedMarksResponse & Kept>;
  remove(id: number, wish?: Wish): Promise<Kept & { readonly revision: number }>;
  /** Deletes all of the marks that the body names, or none. */
  removeMany(body: Uint8Array): Promise<DeletedMarksResponse & Kept>;
  /** Makes the marks of an import, each by itself. */
  adopt(found: AsyncIterable<FoundMark>): Promise<AdoptedMarks>;
}

export function createMarkEdits(
  files: AnnotatedFiles,
  { table, labels, kept, etagOf, keep }: KeptMarkTable,
): MarkEdits {
  const images: MarkedImages = {
    boundsOf: (file) => boundsOfFile(files.get(file)),
    slideOf(file) {
      const { slide } = files.get(file).placement ?? {};
      if (slide?.totalRows === undefined || slide.totalColumns === undefined) return undefined;
      return { rows: slide.totalRows, columns: slide.totalColumns };
    },
  };

  const parse = (body: Uint8Array, form: 'whole' | 'change'): Promise<ParsedMark> =>
    kept.readBody({ body, form }, parseMark, parseMarkTask);

  /** Nothing is awaited between this and the change, so the tag compared is that of the mark being changed. */
  const requireMatch = (id: number, { ifMatch }: Wish): StoredMark => {
    kept.requireOpen();
    const mark = table.require(id);
    if (ifMatch !== undefined && !matchesEntityTag(ifMatch, etagOf(mark))) {
      throw new ViewerError(
        'stale_mark',
        `mark ${id} has changed in the meantime: its ETag is ${etagOf(mark)}, not ${ifMatch}`,
      );
    }
    return mark;
  };

  const requireAll = (wanted: MarksDeletion['marks']) =>
    new Map(wanted.map(({ id, etag }) => [id, requireMatch(id, { ifMatch: etag })]));

  /** The answer with a mark that is being kept. */
  const settle = async (mark: StoredMark): Promise<ChangedMark> => {
    const shown = { texts: writeMark(mark, { etag: etagOf(mark), labelClass: labels.find(mark.content.class) }) };
    return { ...shown, etag: etagOf(mark), durability: await keep(mark) };
  };

  /** Takes effect at once, like all edits: the promise settles when the mark is gone from the journal. */
  const remove = (chosen: ReadonlyMap<number, StoredMark>) => {
    for (const mark of chosen.values()) refuseLocked(mark);
    const revision = table.remove(chosen.values());
    return { revision, keeping: durabilityOfAll(Array.from(chosen.keys(), kept.remove)) };
  };

  return {
    async create(body) {
      const parsed = await parse(body, 'whole');
      const content = toContent(parsed);
      checkMark(content, images);
      kept.requireOpen();
      const uid = parsed.uid ?? createUid();
      const known = table.findByUid(uid);
      if (known !== undefined) {
        // The answer to an earlier request was lost, and the client has asked again.
        if (isSame(known.content, content)) return settle(known);
        throw new ViewerError('mark_exists', `mark ${known.id} has this uid; change it with PUT or PATCH`);
      }
      const now = Date.now();
      return settle(table.add({ uid, createdAtMs: now, modifiedAtMs: now, content }));
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
      return settle(table.replace({ ...mark, content, modifiedAtMs: Date.now() }));
    },

    async change(id, body, wish = {}) {
      const { slices, ...changed } = await parse(body, 'change');
      const mark = requireMatch(id, wish);
      if (slices !== undefined || !isUnlocking(changed)) refuseLocked(mark);
      const merged = slices === undefined ? mark.content.slices : mergeSlices([mark.content.slices, slices]);
      const content: MarkContent = { ...mark.content, ...changed, slices: merged };
      checkMark(content, images);
      return settle(table.replace({ ...mark, content, modifiedAtMs: Date.now() }));
    },

    async changeMany(body) {
      const { marks: wanted, change } = await shape(MarksPatch, parseBody(body, FEW_VALUES));
      const seen = requireAll(wanted);
      if (!isUnlocking(change)) for (const mark of seen.values()) refuseLocked(mark);
      const now = Date.now();
      const changes = Array.from(seen.values(), (mark) => ({
        ...mark,
        content: { ...mark.content, ...change },
        modifiedAtMs: now,
      }));
      table.requireRoom(changes.reduce((sum, { content, bytes }) => sum + sizeOfMark(content) - bytes, 0));
      const done = changes.map(table.replace);
      const durability = await durabilityOfAll(done.map(keep));
      return {
        revision: table.revision(),
        marks: done.map((mark) => ({ id: mark.id, etag: etagOf(mark), revision: mark.revision })),
        durability,
      };
    },

    async remove(id, wish = {}) {
      const { revision, keeping } = remove(new Map([[id, requireMatch(id, wish)]]));
      return { revision, durability: await keeping };
    },

    async removeMany(body) {
      const { marks: wanted } = await shape(MarksDeletion, parseBody(body, FEW_VALUES));
      const chosen = requireAll(wanted);
      const { revision, keeping } = remove(chosen);
      return { revision, deleted: [...chosen.keys()], durability: await keeping };
    },

    async adopt(found) {
      await kept.restored();
      const keeping: Promise<Durability>[] = [];
      const refused: { readonly mark: string; readonly reason: string }[] = [];
      let [imported, known] = [0, 0];
      for await (const one of found) {
        kept.requireOpen();
        const { uid = createUid(), content, labelClass } = one;
        try {
          checkMark(content, images);
          const present = table.findByUid(uid);
          if (present !== undefined) {
            if (!isSame(present.content, content)) {
              throw new ViewerError('mark_exists', `mark ${present.id} has the same uid and another content`);
            }
            known += 1;
            continue;
          }
          const { createdAtMs = Date.now(), modifiedAtMs = createdAtMs } = one;
          const { scheme } = labels.scheme();
          const isNewClass = labelClass !== undefined && labels.find(labelClass.key) === undefined;
          keeping.push(keep(table.add({ uid, createdAtMs, modifiedAtMs, content })));
          if (isNewClass && scheme.classes.length < MOST_LABEL_CLASSES)
            keeping.push(labels.set(addClasses(scheme, [labelClass])));
          imported += 1;
        } catch (error) {
          if (!(error instanceof ViewerError)) throw error;
          refused.push({ mark: one.name, reason: error.message });
        }
      }
      const durability = await durabilityOfAll(keeping);
      return { imported, known, refused, revision: table.revision(), durability };
    },
  };
}

/** The only change of a locked mark. */
function isUnlocking(change: { readonly locked?: boolean | undefined }): boolean {
  return change.locked === false && Object.keys(change).length === 1;
}

function refuseLocked({ id, content }: StoredMark): void {
  if (content.locked) throw new ViewerError('mark_locked', `mark ${id} is locked; unlock it first`);
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
