import { withSame } from '../../bytes/origins/origins.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import type { ReadFlag, ReadFlagCode } from '../../standard/dicom/readFlags.ts';
import type { ReadFilter } from '../../standard/dicom/readPlan.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { referenceAt } from '../../images/references/declaredReferences.ts';
import { extractReferences } from '../../images/references/extractReferences.ts';
import { openObject } from '../../machine/workers/jsonPieces.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { MOST_ROWS, nameClass } from './describeElements.ts';
import type { WireDocumentFigure } from '../../../shared/contract/documents.ts';
import type {
  DocumentDraft,
  DocumentFigure,
  DocumentKind,
  DocumentReading,
  DocumentSource,
  DocumentTable,
  DocumentWarning,
} from './documentKind.ts';
import { chooseKind, findFirstReading } from './documentKinds.ts';
import type { DocumentFile, DocumentLink, DocumentRecord } from './documentTasks.ts';

/** Limits of one answer. */
export const DOCUMENT_LIMITS = {
  tables: 64,
  rows: MOST_ROWS,
  figures: 32,
  /** Colors, points or boxes of one figure. */
  marks: 4_096,
  facts: 2_000,
  links: 1_000,
  warnings: 64,
  status: 64,
  /** Of one text. */
  characters: 4_000,
  /** Of all cells of all tables. */
  cells: 200_000,
  /** Of all texts together. */
  allCharacters: 4_000_000,
};

/** Implements `readDocumentTask`. */
export function readDocument(file: DocumentFile): DocumentRecord {
  const first = findFirstReading(file);
  const record =
    first &&
    withDocument(
      file,
      (source, flags) => {
        const rest = flags.filter(({ code }) => code !== 'element_limit');
        return rest.length < flags.length && first.needsAll(source) ? undefined : buildRecord(source, rest);
      },
      first,
    );
  return record ?? withDocument(file, buildRecord);
}

function buildRecord(source: DocumentSource, flags: readonly ReadFlag[]): DocumentRecord {
  const kind = chooseKind(source);
  const draft = kind.build(source);
  const links = draft.links ?? listReferences(source.dataSet);
  return {
    kind: kind.name,
    json: openObject(toWire(kind, draft, flags)),
    links: links.slice(0, DOCUMENT_LIMITS.links),
    linkCount: links.length,
  };
}

/** Opens a file as a builder gets it. What is not in the limits of the reader is left out and is in `flags`. */
export function withDocument<Result>(
  { source: file, sopClassUid, transferSyntaxUid }: DocumentFile,
  use: (source: DocumentSource, flags: readonly ReadFlag[]) => Result,
  { filter = FILTER, limits }: DocumentReading = {},
): Result {
  return withSame(file, (opened) => {
    const { dataSet, flags } = readDicom(opened, {
      until: Tag.FloatPixelData,
      filter,
      measure: false,
      ...(limits !== undefined && { limits }),
    });
    return use({ dataSet, sopClassUid, className: nameClass(sopClassUid), transferSyntaxUid }, flags);
  });
}

const FILTER: ReadFilter = {
  element: (_depth, tag) => tag !== Tag.IconImageSequence,
  item: () => true,
};

/** The references of an object, as the references panel lists them. */
function listReferences(dataSet: DataSet): DocumentLink[] {
  const declared = extractReferences(dataSet);
  return Array.from({ length: declared.length }, (_, index) => {
    const reference = referenceAt(declared, index);
    return { ...reference, label: nameClass(reference.sopClassUid ?? '') ?? 'Object' };
  });
}

function toWire(kind: DocumentKind, draft: DocumentDraft, flags: readonly ReadFlag[]) {
  const room = { cells: DOCUMENT_LIMITS.cells, characters: DOCUMENT_LIMITS.allCharacters };
  const text = (value: string): string => {
    const most = Math.min(DOCUMENT_LIMITS.characters, room.characters);
    const shown = value.length > most ? `${value.slice(0, Math.max(0, most - 1))}…` : value;
    room.characters = Math.max(0, room.characters - shown.length);
    return shown;
  };
  const tables = draft.tables.slice(0, DOCUMENT_LIMITS.tables).map((table) => cutTable(table, room, text));
  const isCut =
    draft.tables.length > DOCUMENT_LIMITS.tables ||
    draft.facts.length > DOCUMENT_LIMITS.facts ||
    tables.some(({ rows, row_count }) => rows.length < row_count);
  const warnings = [...draft.warnings, ...flags.flatMap(describeFlag), ...(isCut ? [CUT] : [])];
  return {
    kind: kind.name,
    title: text(draft.title),
    subtitle: draft.subtitle === undefined ? null : text(draft.subtitle),
    status: draft.status
      .slice(0, DOCUMENT_LIMITS.status)
      .map(({ label, value, tone }) => ({ label: text(label), value: text(value), tone })),
    facts: draft.facts.slice(0, DOCUMENT_LIMITS.facts).map(({ section, label, value, unit, tagPath }) => ({
      section,
      label: text(label),
      value: text(value),
      unit: unit ?? null,
      tag_path: tagPath ?? null,
    })),
    tables,
    figures: (draft.figures ?? []).slice(0, DOCUMENT_LIMITS.figures).map((figure) => toWireFigure(figure, text)),
    views: kind.views,
    warnings: warnings
      .slice(0, DOCUMENT_LIMITS.warnings)
      .map(({ code, message }) => ({ code, message: text(message) })),
  };
}

function toWireFigure(figure: DocumentFigure, text: (value: string) => string): WireDocumentFigure {
  const title = text(figure.title);
  switch (figure.type) {
    case 'strip': {
      const { type, colors, from, to } = figure;
      return { type, title, colors: colors.slice(0, DOCUMENT_LIMITS.marks), from, to };
    }
    case 'curve': {
      const points = figure.points.slice(0, DOCUMENT_LIMITS.marks);
      return {
        type: figure.type,
        title,
        x: { label: text(figure.x.label), unit: figure.x.unit ?? null, values: points.map(([x]) => x) },
        y: { label: text(figure.y.label), unit: figure.y.unit ?? null, values: points.map(([, y]) => y) },
      };
    }
    case 'boxes': {
      const boxes = figure.boxes.slice(0, DOCUMENT_LIMITS.marks).map((box) => ({
        x: box.x,
        y: box.y,
        width: box.width,
        height: box.height,
        label: text(box.label),
        is_frame: box.isFrame,
      }));
      return { type: figure.type, title, aspect: figure.aspect, boxes };
    }
  }
}

function cutTable(table: DocumentTable, room: { cells: number }, text: (value: string) => string) {
  const { title, columns, rows, rowCount = rows.length } = table;
  const most = Math.min(DOCUMENT_LIMITS.rows, Math.floor(room.cells / Math.max(1, columns.length)));
  const shown = rows.slice(0, most);
  room.cells -= shown.length * columns.length;
  return {
    title: text(title),
    columns: columns.map(({ label, unit, isColor = false }) => ({
      label: text(label),
      unit: unit ?? null,
      is_color: isColor,
    })),
    rows: shown.map((row) => columns.map((_, at) => toCell(row[at], text))),
    row_count: Math.max(rowCount, rows.length),
  };
}

/** JSON has no infinite numbers. */
function toCell(cell: string | number | undefined, text: (value: string) => string): string | number | null {
  if (cell === undefined || cell === '') return null;
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : String(cell);
  return text(cell);
}

const CUT: DocumentWarning = {
  code: 'cut',
  message: 'The object is longer than what is listed here. All of it is in its tags.',
};

function describeFlag({ code }: ReadFlag): DocumentWarning[] {
  const message = FLAG_MESSAGES[code];
  return message === undefined ? [] : [{ code, message }];
}

const FLAG_MESSAGES: Readonly<Partial<Record<ReadFlagCode, string>>> = {
  truncated: 'The file ends before the object does.',
  depth_limited: 'Sequences that are nested too deeply are left out.',
  element_limit: 'The object has too many elements; the last of them are left out.',
  byte_limit: 'The object is too long; its last elements are left out.',
  inflate_failed: 'The compressed data set is damaged; what follows the damage is left out.',
  inflate_limit: 'The compressed data set is too long; its end is left out.',
  bad_item: 'A sequence is damaged.',
  trailing_bytes: 'The bytes after the last element are no element.',
};
