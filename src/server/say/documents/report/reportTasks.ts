import type { Code } from '../../../standard/dicom/code.ts';
import { REPORT_COST, documentTask } from '../documentTasks.ts';

/** Texts of JSON, one after another in UTF-8: there may be tens of thousands, which would take long as objects. */
export type JsonColumn = {
  readonly bytes: Uint8Array;
  /** Where each text begins, and the end of the last one. An empty text is none. */
  readonly starts: Uint32Array;
};

/** The content tree of a report in the order in which it is read. */
export type ReportRecord = {
  readonly length: number;
  /** The members of each item without its link and its items, as an object that is left open. */
  readonly items: JsonColumn;
  /** A `DocumentLink` for each item that has one. */
  readonly links: JsonColumn;
  /** For each item, the number of the first item that is not below it. */
  readonly ends: Uint32Array;
  readonly template: { readonly id: string; readonly resource: string | undefined } | undefined;
  readonly language: Code | undefined;
  readonly documentType: Code | undefined;
  readonly isCut: boolean;
  /** Only the first items were read, and there are more. */
  readonly isBeginning: boolean;
};

/** `first`: no more than so many items are wanted, and the rest of the report need not be read. */
export type ContentInput = { readonly first?: number | undefined };

export type MeasurementsRecord = {
  /** The members of each group without its target, as an object that is left open. */
  readonly groups: JsonColumn;
  /** The `DocumentLink` of the target of each group that has one. */
  readonly links: JsonColumn;
  readonly columns: readonly string[];
  readonly count: number;
  readonly isCut: boolean;
};

export const readContentTask = documentTask<ContentInput, ReportRecord>('documents.readContent', REPORT_COST);
export const readMeasurementsTask = documentTask<unknown, MeasurementsRecord>(
  'documents.readMeasurements',
  REPORT_COST,
);
/** UTF-8 of the CSV. */
export const writeMeasurementsTask = documentTask<unknown, Uint8Array<ArrayBuffer>>(
  'documents.writeMeasurements',
  REPORT_COST,
);

export function bytesOfReport({ items, links, ends }: ReportRecord): number {
  return [items, links].reduce((sum, { bytes, starts }) => sum + bytes.byteLength + starts.byteLength, ends.byteLength);
}

const decoder = new TextDecoder();

/** The text at a place; undefined if there is none. */
export function jsonTextAt({ bytes, starts }: JsonColumn, place: number): string | undefined {
  const [start = 0, end = 0] = [starts[place], starts[place + 1]];
  return start === end ? undefined : decoder.decode(bytes.subarray(start, end));
}
