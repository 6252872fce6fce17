import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { conceptOf, ContentCode, isOneOfCodes, type KnownCode } from '../../../standard/contentTree/contentCodes.ts';
import { walkContent } from '../../../standard/contentTree/walkContent.ts';
import { type Code, findCode } from '../../../standard/dicom/code.ts';
import { formatCode } from '../describeElements.ts';
import type { DocumentLink } from '../documentTasks.ts';
import { type ContentNumber, readContentNumber } from '../../../standard/contentTree/contentNumber.ts';
import { linkOfItem } from './contentItems.ts';
import { Sr } from './reportTags.ts';

export type ReadMeasurement = Partial<ContentNumber> & {
  readonly item: string;
  readonly name: Code | undefined;
  readonly method: Code | undefined;
  readonly derivation: Code | undefined;
  readonly qualitative: Code | undefined;
};

/** Measurements that belong together: a group of TID 1410, 1411 or 1501, or all of one container. */
export type MeasurementGroup = {
  readonly item: string;
  readonly title: string;
  readonly trackingId: string | undefined;
  readonly trackingUid: string | undefined;
  readonly finding: Code | undefined;
  readonly site: Code | undefined;
  readonly laterality: Code | undefined;
  readonly session: string | undefined;
  readonly target: DocumentLink | undefined;
  readonly rows: readonly ReadMeasurement[];
};

export const MOST_MEASUREMENTS = 20_000;

/** Finding Site, Laterality, ReadMeasurement Method and Derivation in SCT and in SRT, which older reports use. */
const SITE = [
  ['363698007', 'SCT'],
  ['G-C0E3', 'SRT'],
] as const;
const LATERALITY = [
  ['272741003', 'SCT'],
  ['G-C171', 'SRT'],
] as const;
const METHOD = [ContentCode.MeasurementMethod, ['G-C036', 'SRT']] as const;
const DERIVATION = ['121401', 'DCM'] as const;
const SESSION = ['C67447', 'NCIt'] as const;

/** The measurements of a report, whatever its template. */
export function collectMeasurements(root: DataSet): {
  readonly groups: readonly MeasurementGroup[];
  readonly isCut: boolean;
} {
  const groups: MeasurementGroup[] = [];
  let count = 0;
  let isCut = false;

  walkContent(root, { context: true }, (item, { place, level }) => {
    if (level === 0 || item.string(Tag.ValueType) === 'CONTAINER') {
      const isGroup = isOneOfCodes(conceptOf(item), ContentCode.MeasurementGroup);
      const rows = listRows(item, place, isGroup);
      if (rows.length > MOST_MEASUREMENTS - count) isCut = true;
      const kept = rows.slice(0, Math.max(0, MOST_MEASUREMENTS - count));
      count += kept.length;
      if (kept.length > 0 || isGroup) groups.push(describeGroup(item, place, kept, root));
    }
    return true;
  });
  return { groups, isCut };
}

/** The measurements of a container, without those of containers in it. */
function listRows(container: DataSet, itsPlace: string, isGroup: boolean): ReadMeasurement[] {
  const rows: ReadMeasurement[] = [];
  walkContent(container, { place: itsPlace, context: true }, (item, { place, level }) => {
    if (level === 0) return true;
    const type = item.string(Tag.ValueType);
    if (type === 'CONTAINER' || rows.length > MOST_MEASUREMENTS) return undefined;
    if (type === 'NUM') rows.push(describeMeasurement(item, place));
    else if (type === 'CODE' && isGroup && level === 1 && isEvaluation(item))
      rows.push(describeEvaluation(item, place));
    return true;
  });
  return rows;
}

/** A qualitative evaluation: any code of a group that does not describe the group. PS3.16 TID 1501. */
function isEvaluation(item: DataSet): boolean {
  const concept = conceptOf(item);
  const describes = [ContentCode.Finding, ...SITE, ...LATERALITY, ...METHOD, FINDING_CATEGORY];
  return item.string(Tag.RelationshipType) === 'CONTAINS' && !isOneOfCodes(concept, ...describes);
}

const FINDING_CATEGORY = ['276214006', 'SCT'] as const;

function describeMeasurement(item: DataSet, place: string): ReadMeasurement {
  const read = readContentNumber(item);
  return {
    ...read,
    item: place,
    name: conceptOf(item),
    method: findChildCode(item, ...METHOD),
    derivation: findChildCode(item, DERIVATION),
    qualitative: read.stored === undefined && read.float === undefined ? read.qualifier : undefined,
  };
}

function describeEvaluation(item: DataSet, place: string): ReadMeasurement {
  return {
    item: place,
    name: conceptOf(item),
    method: undefined,
    derivation: undefined,
    qualitative: findCode(item, Tag.ConceptCodeSequence),
  };
}

function describeGroup(
  item: DataSet,
  place: string,
  rows: readonly ReadMeasurement[],
  root: DataSet,
): MeasurementGroup {
  return {
    item: place,
    title: formatCode(conceptOf(item)) ?? 'Measurements',
    trackingId: findChild(item, ContentCode.TrackingIdentifier)?.string(Tag.TextValue),
    trackingUid: findChild(item, ContentCode.TrackingUniqueIdentifier)?.string(Sr.Uid),
    finding: findChildCode(item, ContentCode.Finding),
    site: findChildCode(item, ...SITE),
    laterality: findChildCode(item, ...LATERALITY),
    session: findChild(item, SESSION)?.string(Tag.TextValue),
    target: findTarget(item, root, 0),
    rows,
  };
}

const MOST_CHILDREN = 4_096;

function findChild(item: DataSet, ...known: readonly KnownCode[]): DataSet | undefined {
  return item
    .items(Tag.ContentSequence)
    .slice(0, MOST_CHILDREN)
    .find((child) => isOneOfCodes(conceptOf(child), ...known));
}

/** The code of a child; a laterality may also be below the finding site. */
function findChildCode(item: DataSet, ...known: readonly KnownCode[]): Code | undefined {
  return findCode(findChild(item, ...known), Tag.ConceptCodeSequence);
}

/** The first image, segment or region that a group names, at most two levels below it. */
function findTarget(item: DataSet, root: DataSet, level: number): DocumentLink | undefined {
  if (level > 2) return undefined;
  const children = item.items(Tag.ContentSequence).slice(0, MOST_CHILDREN);
  for (const child of children) {
    const type = child.string(Tag.ValueType) ?? '';
    const link = TARGETS.has(type) ? linkOfItem(child, type, root) : undefined;
    if (link !== undefined) return link;
  }
  for (const child of children) {
    if (child.string(Tag.ValueType) === 'CONTAINER') continue;
    const link = findTarget(child, root, level + 1);
    if (link !== undefined) return link;
  }
  return undefined;
}

const TARGETS: ReadonlySet<string> = new Set(['SCOORD', 'SCOORD3D', 'IMAGE']);

/** The column of a measurement in a table of groups: several methods or units for one name are columns of their own. */
export function nameColumn({ name, unitLabel = '', method, derivation }: ReadMeasurement): string {
  const details = [formatCode(derivation), formatCode(method)].filter((text) => text !== undefined);
  const words = [formatCode(name) ?? 'Value', ...details].join(', ');
  return unitLabel === '' ? words : `${words} (${unitLabel})`;
}
