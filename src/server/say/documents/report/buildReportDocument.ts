import { formatDateTime, formatPersonName } from '../../../../shared/dicomTexts.ts';
import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { findCode } from '../../../standard/dicom/code.ts';
import { buildHead } from '../buildSummary.ts';
import { formatCode, listFacts } from '../describeElements.ts';
import type { DocumentDraft, DocumentFact, DocumentKind, DocumentSource, DocumentStatus } from '../documentKind.ts';
import { summarizeDose } from './doseTables.ts';
import { readEvidence } from './evidence.ts';
import { Sr } from './reportTags.ts';

/**
 * The first six hundred items or so of a report. Its evidence, which is before its content, names all objects that the
 * content refers to (PS3.3 C.17.2.3). The totals of a dose report, and the links of a report that lacks its evidence, come
 * from all of the content.
 */
export const REPORT_READING: NonNullable<DocumentKind['firstReading']> = {
  limits: { maxElements: 6_000 },
  needsAll: ({ dataSet, sopClassUid }) =>
    dataSet.items(Tag.ContentSequence).length === 0 ||
    (readEvidence(dataSet).size === 0 && refersToObjects(dataSet)) ||
    DOSE_CLASSES.has(sopClassUid) ||
    DOSE_TEMPLATES.has(dataSet.items(Tag.ContentTemplateSequence)[0]?.string(Sr.TemplateIdentifier) ?? '') ||
    DOSE_TITLES.has(findCode(dataSet, Tag.ConceptNameCodeSequence)?.value ?? '') ||
    summarizeDose(dataSet).tables.length > 0,
};

function refersToObjects(item: DataSet): boolean {
  return item.has(Tag.ReferencedSOPSequence) || item.items(Tag.ContentSequence).some(refersToObjects);
}

const DOSE_CLASSES: ReadonlySet<string> = new Set(listSopClasses('4.1.1.88.67 4.1.1.88.68 4.1.1.88.73 4.1.1.88.76'));
const DOSE_TEMPLATES: ReadonlySet<string> = new Set(['10001', '10011', '10021', '10030', '10040']);
/** X-Ray and Radiopharmaceutical Radiation Dose Report. */
const DOSE_TITLES: ReadonlySet<string> = new Set(['113701', '113500']);

/** What a report is, who is responsible for it, and for a dose report totals and events. Its content is an endpoint. */
export function buildReportDocument(source: DocumentSource): DocumentDraft {
  const { dataSet, className } = source;
  const summary = buildHead(source);
  const dose = summarizeDose(dataSet);
  const [template] = dataSet.items(Tag.ContentTemplateSequence);
  const id = template?.string(Sr.TemplateIdentifier);
  return {
    ...summary,
    title: formatCode(findCode(dataSet, Tag.ConceptNameCodeSequence)) ?? className ?? summary.title,
    subtitle: [className, id === undefined ? undefined : `TID ${id}`].filter((text) => text !== undefined).join(' · '),
    status: [...summary.status, ...listVerifications(dataSet)],
    facts: [...describeReport(dataSet), ...summary.facts.filter(({ tagPath }) => !SAID.has(tagPath ?? ''))],
    tables: dose.tables,
    warnings: [...summary.warnings, ...dose.warnings],
  };
}

const SAID: ReadonlySet<string> = new Set(
  [Tag.ValueType, Tag.ContinuityOfContent, Tag.ConceptNameCodeSequence, Tag.ContentDate, Tag.ContentTime].map((tag) =>
    Tag.tagToString(tag),
  ),
);

const MOST_OBSERVERS = 16;

function listVerifications(dataSet: DataSet): DocumentStatus[] {
  return dataSet
    .items(Sr.VerifyingObserverSequence)
    .slice(0, MOST_OBSERVERS)
    .map((observer) => ({
      label: 'Verified by',
      value: [
        formatPersonName(observer.string(Sr.VerifyingObserverName) ?? ''),
        observer.string(Sr.VerifyingOrganization) ?? '',
        formatDateTime(observer.string(Sr.VerificationDateTime) ?? ''),
      ]
        .filter((text) => text !== '')
        .join(', '),
      tone: 'good',
    }));
}

const PERSON_NAME = Sr.PersonName;

function describeReport(dataSet: DataSet): DocumentFact[] {
  const section = 'Report';
  const authors = dataSet.items(Sr.AuthorObserverSequence).slice(0, MOST_OBSERVERS);
  const earlier = countInstances(dataSet, Sr.PredecessorDocumentsSequence);
  const identical = countInstances(dataSet, Sr.IdenticalDocumentsSequence);
  return [
    ...listFacts(dataSet, section, [Tag.ContentDate, Tag.ContentTime]),
    ...authors.flatMap((author): DocumentFact[] => {
      const name = formatPersonName(author.string(PERSON_NAME) ?? '');
      return name === '' ? [] : [{ section, label: 'Author', value: name }];
    }),
    ...(earlier === 0
      ? []
      : [{ section, label: 'Replaces', value: `${earlier} earlier ${earlier === 1 ? 'document' : 'documents'}` }]),
    ...(identical === 0 ? [] : [{ section, label: 'Identical documents', value: String(identical) }]),
  ];
}

/** Instances in the hierarchy of a SOP Instance Reference macro. PS3.3 C.17.2.1. */
function countInstances(dataSet: DataSet, tag: number): number {
  let count = 0;
  for (const study of dataSet.items(tag)) {
    for (const series of study.items(Tag.ReferencedSeriesSequence))
      count += series.items(Tag.ReferencedSOPSequence).length;
  }
  return count;
}
