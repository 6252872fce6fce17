import { findContentTitle } from '../../images/catalog/contentTitle.ts';
import type { DataElement, DataSet } from '../../standard/dicom/dataSet.ts';
import { isPrivate } from '../../standard/dicom/dictionary.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { findCode } from '../../standard/dicom/code.ts';
import { elementColumn, factOf, formatCode, nameElement, tableOf, textOf } from './describeElements.ts';
import type { DocumentDraft, DocumentFact, DocumentSource, DocumentStatus, DocumentTable } from './documentKind.ts';

/**
 * A well-formed summary of any object, private ones included: its elements by module, and a table for each of its
 * sequences. Builders of other kinds begin with it and add or replace what they know better.
 */
export function buildSummary(source: DocumentSource): DocumentDraft {
  return { ...buildHead(source), tables: listTables(source.dataSet) };
}

/** A summary without tables, for builders that have better ones: a long sequence takes time. */
export function buildHead({ dataSet, className, sopClassUid }: DocumentSource): DocumentDraft {
  const label = findContentTitle(dataSet) ?? formatCode(findCode(dataSet, Tag.ConceptNameCodeSequence));
  const classTitle = className ?? (sopClassUid === '' ? 'Object without a SOP class' : 'Private object');
  return {
    title: label ?? classTitle,
    subtitle: label === undefined ? textOf(dataSet, Tag.SeriesDescription) : classTitle,
    status: describeStatus(dataSet),
    facts: listModuleFacts(dataSet),
    tables: [],
    warnings:
      className === undefined
        ? [{ code: 'unknown_class', message: `The standard defines no SOP class ${sopClassUid || '(none)'}.` }]
        : [],
  };
}

const COMPLETION_FLAG = 0x0040a491;
const VERIFICATION_FLAG = 0x0040a493;
const PRELIMINARY_FLAG = 0x0040a496;
const APPROVAL_STATUS = 0x300e0002;
const CONTENT_QUALIFICATION = 0x00189004;

const FLAGS: readonly (readonly [tag: number, label: string, good: readonly string[], warn: readonly string[]])[] = [
  [COMPLETION_FLAG, 'Completion', ['COMPLETE'], ['PARTIAL']],
  [VERIFICATION_FLAG, 'Verification', ['VERIFIED'], ['UNVERIFIED']],
  [PRELIMINARY_FLAG, 'Preliminary', ['FINAL'], ['PRELIMINARY']],
  [APPROVAL_STATUS, 'Approval', ['APPROVED'], ['UNAPPROVED', 'REJECTED']],
  [CONTENT_QUALIFICATION, 'Content', [], ['RESEARCH', 'SERVICE']],
];

/** Completion, verification, approval: whether the content may be relied on. */
export function describeStatus(dataSet: DataSet): DocumentStatus[] {
  return FLAGS.flatMap(([tag, label, good, warn]) => {
    const value = dataSet.string(tag);
    if (value === undefined) return [];
    const tone = good.includes(value) ? 'good' : warn.includes(value) ? 'warn' : 'plain';
    return [{ label, value: value.toLowerCase(), tone }];
  });
}

/** Sections of a summary in their order. Those that all objects have come last. */
const SECTION_ORDER: readonly string[] = [
  'Content',
  'Procedure',
  'Acquisition',
  'Position',
  'Pixels',
  'Private elements',
  'Patient',
  'Study',
  'Series',
  'Equipment',
  'Object',
];

/** The facts of an object by module. */
function listModuleFacts(dataSet: DataSet): DocumentFact[] {
  const facts: DocumentFact[] = [];
  for (const { tag, items } of dataSet) {
    const fact = isSaid(tag) || !isFact(items) ? undefined : factOf(dataSet, sectionOf(tag), tag);
    if (fact !== undefined) facts.push(fact);
  }
  return facts.toSorted((a, b) => placeOfSection(a) - placeOfSection(b));
}

/** A table for each sequence of an object that is no fact and no link. */
function listTables(dataSet: DataSet): DocumentTable[] {
  const tables: DocumentTable[] = [];
  for (const element of dataSet) {
    const { tag, items = [] } = element;
    if (isSaid(tag) || items.length === 0 || isReference(items)) continue;
    if (isFact(items) && factOf(dataSet, sectionOf(tag), tag) !== undefined) continue;
    tables.push(...(describeSequence(dataSet, element) ?? []));
  }
  return tables;
}

/** Whether an element is about the encoding, or in the status. */
function isSaid(tag: number): boolean {
  return isMachinery(tag) || FLAGS.some(([flag]) => flag === tag);
}

function isFact(items: readonly DataSet[] | undefined): boolean {
  return items === undefined || isCode(items);
}

function placeOfSection({ section }: DocumentFact): number {
  return SECTION_ORDER.indexOf(section);
}

/** A sequence as a table with a row for each item. */
export function describeSequence(
  dataSet: DataSet,
  { tag, items = [] }: Pick<DataElement, 'tag' | 'items'>,
): DocumentTable[] | undefined {
  const tags = new Set<number>();
  for (const item of items.slice(0, MOST_SURVEYED)) {
    for (const element of item) {
      if (!isMachinery(element.tag) && tags.size < MOST_COLUMNS) tags.add(element.tag);
    }
  }
  const columns = [...tags].toSorted((a, b) => a - b).map((each) => elementColumn(each));
  const table = tableOf(nameElement(dataSet, tag), items, columns);
  return table && [table];
}

/** Items whose elements decide which columns a table has. */
const MOST_SURVEYED = 64;
const MOST_COLUMNS = 12;

function isCode(items: readonly DataSet[]): boolean {
  const [first] = items;
  return items.length === 1 && (first?.has(Tag.CodeValue) === true || first?.has(Tag.CodeMeaning) === true);
}

/** Whether the items only name instances: these are links. */
function isReference(items: readonly DataSet[]): boolean {
  return items.slice(0, MOST_SURVEYED).every((item) => [...item].every(({ tag }) => NAMES_INSTANCE.has(tag)));
}

const NAMES_INSTANCE: ReadonlySet<number> = new Set([Tag.ReferencedSOPClassUID, Tag.ReferencedSOPInstanceUID]);

/** Elements about the encoding and not about the content. */
function isMachinery(tag: number): boolean {
  const element = tag & 0xffff;
  if (isPrivate(tag)) return element <= 0xff;
  return element === 0 || tag === Tag.SpecificCharacterSet || tag === Tag.IconImageSequence || tag >>> 16 === 0xfffc;
}

function sectionOf(tag: number): string {
  if (isPrivate(tag)) return 'Private elements';
  const known = SECTION_OF_TAG.get(tag);
  return known ?? SECTION_OF_GROUP.get(tag >>> 16) ?? 'Content';
}

const SECTION_OF_GROUP: ReadonlyMap<number, string> = new Map([
  [0x0010, 'Patient'],
  [0x0012, 'Patient'],
  [0x0018, 'Acquisition'],
  [0x0020, 'Position'],
  [0x0028, 'Pixels'],
  [0x0032, 'Study'],
  [0x0038, 'Patient'],
]);

const MODULES: Readonly<Record<string, readonly number[]>> = {
  Study: [
    Tag.StudyInstanceUID,
    Tag.StudyDate,
    Tag.StudyTime,
    Tag.AccessionNumber,
    Tag.ReferringPhysicianName,
    Tag.StudyDescription,
    Tag.StudyID,
    0x00081048, // Physician(s) of Record
    0x00081060, // Name of Physician(s) Reading Study
    0x00081032, // Procedure Code Sequence
  ],
  Series: [
    Tag.Modality,
    Tag.SeriesInstanceUID,
    Tag.SeriesNumber,
    Tag.SeriesDate,
    Tag.SeriesTime,
    Tag.SeriesDescription,
    Tag.ProtocolName,
    Tag.BodyPartExamined,
    Tag.Laterality,
    Tag.PatientPosition,
    0x00081050, // Performing Physician's Name
    0x00081070, // Operators' Name
  ],
  Procedure: [0x00400244, 0x00400245, 0x00400250, 0x00400251, 0x00400253, 0x00400254, 0x00400260, 0x00400275],
  Equipment: [
    Tag.Manufacturer,
    Tag.InstitutionName,
    Tag.ManufacturerModelName,
    Tag.DeviceSerialNumber,
    Tag.SoftwareVersions,
    0x00080081, // Institution Address
    0x00081010, // Station Name
    0x00081040, // Institutional Department Name
  ],
  Object: [
    Tag.SOPClassUID,
    Tag.SOPInstanceUID,
    Tag.InstanceCreationDate,
    Tag.InstanceCreationTime,
    Tag.InstanceNumber,
    Tag.TimezoneOffsetFromUTC,
    0x00080014, // Instance Creator UID
  ],
  Content: [
    Tag.ContentDate,
    Tag.ContentTime,
    Tag.ImageType,
    Tag.AcquisitionDate,
    Tag.AcquisitionTime,
    Tag.AcquisitionDateTime,
    Tag.ImageComments,
  ],
};

const SECTION_OF_TAG: ReadonlyMap<number, string> = new Map(
  Object.entries(MODULES).flatMap(([section, tags]) => tags.map((tag) => [tag, section] as const)),
);
