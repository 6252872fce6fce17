import { formatDateTime, formatPersonName } from '../../../../shared/dicomTexts.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import type { ReadFlag } from '../../../standard/dicom/readFlags.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { conceptOf, ContentCode, isOneOfCodes } from '../../../standard/contentTree/contentCodes.ts';
import { MOST_LEVELS, placeOfReferenced, walkContent } from '../../../standard/contentTree/walkContent.ts';
import { findCode } from '../../../standard/dicom/code.ts';
import { openObject } from '../../../machine/workers/jsonPieces.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { DocumentSource } from '../documentKind.ts';
import { requireView } from '../documentKinds.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withDocument } from '../readDocument.ts';
import { describeItemValue, lacksReferenced, linkOfItem } from './contentItems.ts';
import { readEvidence, toLinkJson } from './evidence.ts';
import { JsonColumnBuilder } from './jsonColumn.ts';
import { REPORT_FILTER, REPORT_LIMITS, Sr } from './reportTags.ts';
import type { ContentInput, ReportRecord } from './reportTasks.ts';

/** Implements `readContentTask`. */
export function readContent({ first, ...file }: ContentInput & DocumentFile, { transfer }: TaskContext): ReportRecord {
  const beginning = first === undefined ? undefined : readBeginning(file, first);
  const record = beginning ?? withReport(file, ({ dataSet }, flags) => buildReport(dataSet, flags, first));
  for (const { bytes, starts } of [record.items, record.links]) {
    transfer(bytes);
    transfer(starts);
  }
  transfer(record.ends);
  return record;
}

/** Opens a report; `bad_request` if the object is none. */
export function withReport<Result>(
  file: DocumentFile,
  use: (source: DocumentSource, flags: readonly ReadFlag[]) => Result,
): Result {
  requireReport(file);
  return withDocument(file, use, { filter: REPORT_FILTER, limits: REPORT_LIMITS });
}

function requireReport(file: DocumentFile): void {
  requireView(file, 'report', 'the file is no structured report and no key object selection');
}

/** Elements and items of the reader that are enough for one item of a report, and for what is before the content. */
const ELEMENTS_PER_ITEM = 20;
const ELEMENTS_BEFORE = 2_000;
/** Items that are read behind the last one: the links of regions are in the items below them. */
const ITEMS_BEHIND = 100;

/** The first items of a report; undefined if they cannot be told without the rest. */
function readBeginning(file: DocumentFile, first: number): ReportRecord | undefined {
  requireReport(file);
  const most = first + ITEMS_BEHIND;
  const use = ({ dataSet }: DocumentSource, flags: readonly ReadFlag[]) => {
    const others = flags.filter(({ code }) => code !== 'element_limit');
    const items = listFirst(dataSet, most);
    const isClear = items.length === most && !items.slice(0, first).some((item) => lacksReferenced(dataSet, item));
    return isClear || others.length === flags.length ? buildReport(dataSet, others, first) : undefined;
  };
  const limits = { maxElements: ELEMENTS_BEFORE + ELEMENTS_PER_ITEM * most };
  return withDocument(file, use, { filter: REPORT_FILTER, limits });
}

/** The items that were read in the order of the report, at most `most`. */
function listFirst(root: DataSet, most: number): DataSet[] {
  const items: DataSet[] = [];
  walkContent(root, { context: true }, (item) => {
    if (items.length >= most) return undefined;
    items.push(item);
    return true;
  });
  return items;
}

/** More items than a person reads, and more than the reader keeps. */
const MOST_ITEMS = 100_000;
/** Of the texts of all items. */
const MOST_BYTES = 32 * 2 ** 20;

/** The items of a report, or the first of them. */
export function buildReport(root: DataSet, flags: readonly ReadFlag[], first?: number): ReportRecord {
  const items = new JsonColumnBuilder();
  const links = new JsonColumnBuilder();
  const levels: number[] = [];
  const seriesOf = readEvidence(root);
  let isCut = flags.some(({ code }) => CUT_SHORT.has(code));
  let isBeginning = false;

  walkContent(root, { context: true }, (item, { place, level }) => {
    if (first !== undefined && level > 0 && levels.length >= first) isBeginning = true;
    else if (levels.length >= MOST_ITEMS || items.byteLength > MOST_BYTES) isCut = true;
    if (isBeginning || levels.length >= MOST_ITEMS || items.byteLength > MOST_BYTES) return undefined;
    const { length } = item.items(Tag.ContentSequence);
    const children = first === undefined ? length : countChildren(item);
    const valueType = item.string(Tag.ValueType)?.trim().toUpperCase() ?? '';
    levels.push(level);
    items.add(openObject(describeItem(item, { place, valueType, isRoot: level === 0, children })));
    links.add(toLinkJson(linkOfItem(item, valueType, root), seriesOf));
    if (level === MOST_LEVELS && length > 0) isCut = true;
    return true;
  });

  const [template] = root.items(Tag.ContentTemplateSequence);
  const id = template?.string(Sr.TemplateIdentifier);
  return {
    length: levels.length,
    items: items.build(),
    links: links.build(),
    ends: listEnds(levels),
    template: id === undefined ? undefined : { id, resource: template?.string(Tag.MappingResource) },
    language: findLanguage(root),
    documentType: conceptOf(root),
    isCut,
    isBeginning,
  };
}

/** For each item the row behind the last one below it. */
function listEnds(levels: readonly number[]): Uint32Array {
  const ends = new Uint32Array(levels.length).fill(levels.length);
  const around: number[] = [];
  for (const [row, level] of levels.entries()) {
    for (const ended of around.splice(level)) ends[ended] = row;
    around.push(row);
  }
  return ends;
}

/** Also those that were not read. */
function countChildren(item: DataSet): number {
  const { items = [], itemCount = items.length } = item.element(Tag.ContentSequence) ?? {};
  return itemCount;
}

const CUT_SHORT: ReadonlySet<string> = new Set(['depth_limited', 'element_limit', 'byte_limit', 'truncated']);

type Described = {
  readonly place: string;
  readonly valueType: string;
  readonly isRoot: boolean;
  readonly children: number;
};

function describeItem(item: DataSet, { place, valueType, isRoot, children }: Described) {
  const continuity = item.string(Tag.ContinuityOfContent);
  const referenced = placeOfReferenced(item);
  const { text, value } = describeItemValue(item, valueType);
  return {
    item: place,
    relationship: isRoot ? null : (item.string(Tag.RelationshipType) ?? ''),
    by_reference: referenced ?? null,
    value_type: valueType,
    concept: conceptOf(item) ?? null,
    continuous: continuity === undefined ? null : continuity === 'CONTINUOUS',
    text: referenced === undefined ? text : `see ${referenced}`,
    value,
    observation: describeObservation(item),
    children,
  };
}

/** Children that say who observed what. */
const MOST_CONTEXT = 256;

/** What the item itself says about its observation; it holds for everything below it. PS3.16 TID 1001. */
function describeObservation(item: DataSet) {
  let [observer, subject]: (string | undefined)[] = [];
  for (const child of item.items(Tag.ContentSequence).slice(0, MOST_CONTEXT)) {
    if (child.string(Tag.RelationshipType) !== 'HAS OBS CONTEXT') continue;
    const concept = conceptOf(child);
    if (isOneOfCodes(concept, ['121008', 'DCM'])) observer ??= formatPersonName(child.string(Sr.PersonName) ?? '');
    else if (isOneOfCodes(concept, ['121013', 'DCM'])) observer ??= child.string(Tag.TextValue);
    else if (isOneOfCodes(concept, ['121029', 'DCM'])) subject ??= formatPersonName(child.string(Sr.PersonName) ?? '');
    else if (isOneOfCodes(concept, ['121030', 'DCM'])) subject ??= child.string(Tag.TextValue);
  }
  const time = item.string(Sr.ObservationDateTime);
  if (observer === undefined && subject === undefined && time === undefined) return null;
  return {
    observer: observer ?? null,
    subject: subject ?? null,
    time: time === undefined ? null : formatDateTime(time),
  };
}

function findLanguage(root: DataSet) {
  const children = root.items(Tag.ContentSequence).slice(0, MOST_CONTEXT);
  const item = children.find((child) => isOneOfCodes(conceptOf(child), ContentCode.Language));
  return findCode(item, Tag.ConceptCodeSequence);
}
