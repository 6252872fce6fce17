import type { ImageBounds } from '../../../shared/annotations.ts';
import type { LabelClass, LabelScheme, MarksQuery, WireMark, WireRoiMark } from '../../../shared/contract/marks.ts';
import type { EntityTag } from '../journal/entityTag.ts';
import { writeArray } from '../../machine/workers/jsonPieces.ts';
import { rgbOfHex } from './labels.ts';
import { filesOfMark, type MarkContent, writeContent } from './markContent.ts';
import { type MarkRecord, writeMarkRecord } from './markFormat.ts';

export type StoredMark = {
  readonly id: number;
  readonly uid: string;
  readonly revision: number;
  readonly createdAtMs: number;
  readonly modifiedAtMs: number;
  readonly content: MarkContent;
  readonly bytes: number;
};

type Facts = { readonly etag: EntityTag; readonly labelClass: LabelClass | undefined };

/** The JSON of `WireMark`. */
export function* writeMark(mark: StoredMark, { etag, labelClass }: Facts): Generator<string> {
  const { id, uid, revision, createdAtMs, modifiedAtMs, content } = mark;
  const facts = {
    id,
    uid,
    etag,
    revision,
    color: labelClass === undefined ? null : rgbOfHex(labelClass.color),
    created_at_ms: createdAtMs,
    modified_at_ms: modifiedAtMs,
  } satisfies Partial<WireMark>;
  yield `${JSON.stringify(facts).slice(0, -1)},`;
  yield* writeContent(content);
  yield '}';
}

type List = {
  readonly revision: number;
  readonly isWhole: boolean;
  readonly marks: readonly StoredMark[];
  readonly deleted: readonly number[];
  readonly rois: Iterable<WireRoiMark>;
  readonly query: MarksQuery;
  readonly etagOf: (mark: StoredMark) => EntityTag;
  readonly classOf: (key: string | null) => LabelClass | undefined;
};

/** The JSON of `MarksResponse`. */
export function* writeList({ revision, isWhole, deleted, ...list }: List): Generator<string> {
  yield `{"revision":${revision},"whole":${isWhole},"deleted":${JSON.stringify(deleted)},"marks":`;
  yield* writeArray(listEntries(list), (texts) => texts);
  yield '}';
}

function* listEntries(list: Omit<List, 'revision' | 'isWhole' | 'deleted'>): Generator<string | Iterable<string>> {
  const { marks, rois, query, etagOf, classOf } = list;
  const passes = createMarkFilter(query, classOf);
  for (const mark of marks) {
    const { content } = mark;
    if (passes(content)) yield writeMark(mark, { etag: etagOf(mark), labelClass: classOf(content.class) });
  }
  for (const roi of rois) yield JSON.stringify(roi);
}

export function createMarkFilter(query: MarksQuery, classOf: List['classOf']): (content: MarkContent) => boolean {
  const { file, kind, class: key, unlabelled, author } = query;
  const text = query.text?.toLowerCase();
  return (content) =>
    (kind === undefined || kind.includes(content.kind)) &&
    (key === undefined || content.class === key) &&
    (unlabelled === undefined || (classOf(content.class) === undefined) === unlabelled) &&
    (author === undefined || content.author === author) &&
    (text === undefined ||
      [content.label, content.text, content.comment].some((one) => one.toLowerCase().includes(text))) &&
    (file === undefined || filesOfMark(content).includes(file));
}

/**
 * A file as an export names it: what clients know of it. Where it is, how long it is and when it was changed is for the
 * journal only.
 */
export type ExportedFile = ImageBounds & { readonly path: string; readonly sopInstanceUid: string };

export function toExportedFile({ path, sopInstanceUid, rows, columns, frameCount }: ExportedFile): ExportedFile {
  return { path, sopInstanceUid, rows, columns, frameCount };
}

/** All marks with the files that they name. */
export function* writeExport(
  marks: readonly StoredMark[],
  scheme: LabelScheme,
  toRecord: (mark: StoredMark) => MarkRecord<ExportedFile>,
): Generator<string> {
  yield `{"format":"negato marks 1","labels":${JSON.stringify(scheme)},"marks":`;
  yield* writeArray(marks, (mark) => writeMarkRecord(toRecord(mark)));
  yield '}\n';
}
