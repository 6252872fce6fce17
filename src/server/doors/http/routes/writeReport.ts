import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { Documents } from '../../../say/documents/documents.ts';
import type { DocumentLink } from '../../../say/documents/documentTasks.ts';
import {
  type JsonColumn,
  type MeasurementsRecord,
  type ReportRecord,
  jsonTextAt,
} from '../../../say/documents/report/reportTasks.ts';
import { closeObject, openObject, writeArray } from '../../../machine/workers/jsonPieces.ts';
import { toWireLink } from './writeDocumentLink.ts';

/** Items of one answer, whatever is asked for. */
const MOST_ITEMS = 5_000;

const ITEM = /^1(?:\.[1-9]\d{0,5}){0,63}$/;

export type ReportPage = {
  /** The item that is asked for, in the order of the report. */
  readonly row: number;
  readonly depth: number;
  readonly offset: number;
  readonly limit: number;
};

/** The item at a place such as `1.3.2`; `item_not_found` if there is none. */
export function getItemRow({ ends, length }: ReportRecord, place: string): number {
  if (!ITEM.test(place)) throw new ViewerError('invalid_query', 'item must be a place such as 1.3.2');
  let row = 0;
  for (const number of place.split('.').slice(1).map(Number)) {
    const end = ends[row] ?? length;
    let child = row + 1;
    for (let i = 1; i < number && child < end; i += 1) child = ends[child] ?? length;
    if (child >= end) throw new ViewerError('item_not_found', `the report has no item ${place}`);
    row = child;
  }
  return row;
}

export function* writeReport(
  documents: Documents,
  { index }: DicomFile,
  record: ReportRecord,
  { row, depth, offset, limit }: ReportPage,
): Generator<string> {
  const { template, language, documentType, isCut, length } = record;
  const around = {
    file_index: index,
    template: template === undefined ? null : { id: template.id, resource: template.resource ?? null },
    language: language ?? null,
    document_type: documentType ?? null,
    count: length,
    is_cut: isCut,
  };
  let room = MOST_ITEMS;
  let truncated = record.isBeginning;
  const writeItem = function* (at: number, level: number, skipped: number): Generator<string> {
    room -= 1;
    yield jsonTextAt(record.items, at) ?? '{';
    yield `,"link":${writeLink(documents, record.links, at, index)},"items":[`;
    const end = record.ends[at] ?? length;
    let written = 0;
    let place = 0;
    for (let child = at + 1; child < end; child = record.ends[child] ?? length) {
      place += 1;
      if (place <= skipped) continue;
      if (level >= depth || written >= limit || room <= 0) {
        truncated = true;
        break;
      }
      if (written > 0) yield ',';
      written += 1;
      yield* writeItem(child, level + 1, 0);
    }
    yield ']}';
  };
  yield `${openObject(around)},"root":`;
  yield* writeItem(row, 0, offset);
  yield closeObject({ truncated });
}

export function* writeMeasurementGroups(
  documents: Documents,
  index: number,
  { groups, links, columns, count, isCut }: MeasurementsRecord,
): Generator<string> {
  yield `${openObject({ file_index: index, columns, count, is_cut: isCut })},"groups":`;
  const rows = Array.from({ length: groups.starts.length - 1 }, (_, at) => at);
  yield* writeArray(
    rows,
    (at) => `${jsonTextAt(groups, at) ?? '{'},"target":${writeLink(documents, links, at, index)}}`,
  );
  yield '}';
}

function writeLink(documents: Documents, links: JsonColumn, at: number, index: number): string {
  const text = jsonTextAt(links, at);
  if (text === undefined) return 'null';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the worker wrote it from this type
  const link = JSON.parse(text) as DocumentLink;
  return JSON.stringify(toWireLink(documents.resolve(link), index));
}
