import { formatDate, formatDateTime, formatPersonName, formatTimeOfDay } from '../../../../shared/dicomTexts.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { readFrameNumbers } from '../../../standard/dicom/eachFrame.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { readContentNumber } from '../../../standard/contentTree/contentNumber.ts';
import { resolveItem } from '../../../standard/contentTree/walkContent.ts';
import { findCode } from '../../../standard/dicom/code.ts';
import { formatCode, nameClass } from '../describeElements.ts';
import type { DocumentLink } from '../documentTasks.ts';
import { Sr } from './reportTags.ts';

/** Longer texts of one item are cut. */
const MOST_LETTERS = 20_000;
const MOST_NUMBERS = 4_096;

/** The value of a content item: how it is written in one line, and its parts by type. */
export type ItemValue = {
  readonly text: string;
  readonly value: { readonly type: string; readonly [part: string]: unknown };
};

/** PS3.3 Table C.17.3-7. */
export function describeItemValue(item: DataSet, valueType: string): ItemValue {
  const read = READERS[valueType];
  return read === undefined ? { text: '', value: { type: 'OTHER' } } : read(item);
}

const READERS: Readonly<Record<string, (item: DataSet) => ItemValue>> = {
  TEXT: (item) => ({ text: cut(item.string(Tag.TextValue) ?? ''), value: { type: 'TEXT' } }),
  NUM: describeNumber,
  CODE(item) {
    const code = findCode(item, Tag.ConceptCodeSequence);
    return { text: formatCode(code) ?? '', value: { type: 'CODE', code: code ?? null } };
  },
  DATE: (item) => describeTime(item, 'DATE', Sr.Date, formatDate),
  TIME: (item) => describeTime(item, 'TIME', Sr.Time, formatTimeOfDay),
  DATETIME: (item) => describeTime(item, 'DATETIME', Sr.DateTime, formatDateTime),
  PNAME(item) {
    const stored = item.string(Sr.PersonName) ?? '';
    return { text: formatPersonName(stored), value: { type: 'PNAME', stored } };
  },
  UIDREF(item) {
    const uid = item.string(Sr.Uid) ?? '';
    return { text: uid, value: { type: 'UIDREF', uid } };
  },
  IMAGE(item) {
    const [reference] = item.items(Tag.ReferencedSOPSequence);
    const value = {
      type: 'IMAGE',
      frame_numbers: reference === undefined ? [] : [...readFrameNumbers(reference, MOST_NUMBERS)],
      segment_numbers: readIntegers(reference, Tag.ReferencedSegmentNumber),
      presentation_state: reference?.items(Tag.ReferencedSOPSequence)[0]?.string(Tag.ReferencedSOPInstanceUID) ?? null,
    };
    return { text: nameReference(reference), value };
  },
  COMPOSITE: (item) => ({
    text: nameReference(item.items(Tag.ReferencedSOPSequence)[0]),
    value: { type: 'COMPOSITE' },
  }),
  WAVEFORM(item) {
    const [reference] = item.items(Tag.ReferencedSOPSequence);
    const channels = readIntegers(reference, Sr.ReferencedWaveformChannels);
    return { text: nameReference(reference), value: { type: 'WAVEFORM', channels } };
  },
  SCOORD: (item) => describeCoordinates(item, 'SCOORD', 2),
  SCOORD3D: (item) => describeCoordinates(item, 'SCOORD3D', 3),
  TCOORD(item) {
    const range = item.string(Sr.TemporalRangeType) ?? '';
    const places = [
      ...item.numbers(Sr.ReferencedSamplePositions, MOST_WRITTEN).map((sample) => `sample ${sample}`),
      ...item.numbers(Sr.ReferencedTimeOffsets, MOST_WRITTEN).map((seconds) => `${seconds} s`),
      ...item.strings(Sr.ReferencedDateTime, MOST_WRITTEN).map(formatDateTime),
    ];
    const words = range.toLowerCase();
    return { text: places.length === 0 ? words : `${words}: ${places.join(', ')}`, value: { type: 'TCOORD', range } };
  },
  CONTAINER: () => ({ text: '', value: { type: 'CONTAINER' } }),
  TABLE(item) {
    const rows = toInteger(item.number(Sr.NumberOfTableRows));
    const columns = toInteger(item.number(Sr.NumberOfTableColumns));
    return { text: `${rows} × ${columns} values`, value: { type: 'TABLE', rows, columns } };
  },
};

/** Sample positions and times that are written. */
const MOST_WRITTEN = 8;

function describeNumber(item: DataSet): ItemValue {
  const { stored, float, rational, unit, unitLabel, qualifier } = readContentNumber(item);
  const number = stored ?? (float === undefined ? undefined : String(float));
  const special = formatCode(qualifier);
  const words = number === undefined ? (special ?? 'no value') : unitLabel === '' ? number : `${number} ${unitLabel}`;
  return {
    text: number !== undefined && special !== undefined ? `${words} (${special})` : words,
    value: {
      type: 'NUM',
      value: stored ?? null,
      float: float ?? null,
      rational: rational ?? null,
      unit: unit ?? null,
      unit_label: unitLabel,
      qualifier: qualifier ?? null,
    },
  };
}

function describeTime(item: DataSet, type: string, tag: number, format: (stored: string) => string): ItemValue {
  const stored = item.string(tag) ?? '';
  const written = format(stored);
  return { text: written, value: { type, stored, iso: written === stored ? null : written.replace(' ', 'T') } };
}

function describeCoordinates(item: DataSet, type: 'SCOORD' | 'SCOORD3D', dimensions: number): ItemValue {
  const graphic = item.string(Tag.GraphicType) ?? '';
  const points = Math.floor(item.count(Tag.GraphicData) / dimensions);
  const value = { type, graphic, points };
  if (type === 'SCOORD') return { text: graphic.toLowerCase(), value };
  const space = item.string(Tag.ReferencedFrameOfReferenceUID) ?? null;
  return { text: graphic.toLowerCase(), value: { ...value, frame_of_reference_uid: space } };
}

function nameReference(reference: DataSet | undefined): string {
  return nameClass(reference?.string(Tag.ReferencedSOPClassUID) ?? '') ?? 'object';
}

/** The link of an item that refers to another object; coordinates have that of the image that they are selected from. */
export function linkOfItem(item: DataSet, valueType: string, root: DataSet): DocumentLink | undefined {
  if (valueType === 'SCOORD' || valueType === 'SCOORD3D' || valueType === 'TCOORD') {
    return linkOfRegion(item, root, valueType !== 'TCOORD');
  }
  return REFERRING.has(valueType) ? linkOfReference(item) : undefined;
}

const REFERRING: ReadonlySet<string> = new Set(['IMAGE', 'COMPOSITE', 'WAVEFORM']);
/** Children of coordinates that are looked at. */
const MOST_CHILDREN = 64;

function linkOfRegion(item: DataSet, root: DataSet, isLayer: boolean): DocumentLink | undefined {
  for (const child of item.items(Tag.ContentSequence).slice(0, MOST_CHILDREN)) {
    const target = resolveItem(root, child);
    const link = target && linkOfReference(target);
    if (link !== undefined) return { ...link, isLayer };
  }
  return undefined;
}

function linkOfReference(item: DataSet): DocumentLink | undefined {
  const [reference] = item.items(Tag.ReferencedSOPSequence);
  const sopInstanceUid = reference?.string(Tag.ReferencedSOPInstanceUID);
  if (reference === undefined || sopInstanceUid === undefined) return undefined;
  return {
    relationship: 'unknown',
    label: nameReference(reference),
    sopClassUid: reference.string(Tag.ReferencedSOPClassUID),
    sopInstanceUid,
    seriesInstanceUid: undefined,
    frameNumbers: readFrameNumbers(reference, MOST_NUMBERS),
    segmentNumbers: readIntegers(reference, Tag.ReferencedSegmentNumber),
  };
}

/** Whether a child of an item stands for one that was not read. */
export function lacksReferenced(root: DataSet, item: DataSet): boolean {
  return item
    .items(Tag.ContentSequence)
    .slice(0, MOST_CHILDREN)
    .some((child) => resolveItem(root, child) === undefined);
}

function readIntegers(dataSet: DataSet | undefined, tag: number): number[] {
  return (dataSet?.numbers(tag, MOST_NUMBERS) ?? []).filter((number) => Number.isSafeInteger(number));
}

function toInteger(number: number | undefined): number {
  return number !== undefined && Number.isSafeInteger(number) ? number : 0;
}

function cut(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}
