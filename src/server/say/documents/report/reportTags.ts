import type { ReadFilter } from '../../../standard/dicom/readPlan.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { NUMBER_TAGS } from '../../../standard/contentTree/contentNumber.ts';
import { CODE_TAGS } from '../../../standard/dicom/code.ts';

/** Elements of the content tree, PS3.3 C.17.3 and C.18, that nothing else reads. */
export const Sr = {
  ObservationDateTime: 0x0040a032,
  VerificationDateTime: 0x0040a030,
  VerifyingOrganization: 0x0040a027,
  VerifyingObserverSequence: 0x0040a073,
  VerifyingObserverName: 0x0040a075,
  AuthorObserverSequence: 0x0040a078,
  ReferencedWaveformChannels: 0x0040a0b0,
  DateTime: 0x0040a120,
  Date: 0x0040a121,
  Time: 0x0040a122,
  PersonName: 0x0040a123,
  Uid: 0x0040a124,
  TemporalRangeType: 0x0040a130,
  ReferencedSamplePositions: 0x0040a132,
  ReferencedTimeOffsets: 0x0040a138,
  ReferencedDateTime: 0x0040a13a,
  PredecessorDocumentsSequence: 0x0040a360,
  IdenticalDocumentsSequence: 0x0040a525,
  TabulatedValuesSequence: 0x0040a801,
  NumberOfTableRows: 0x0040a802,
  NumberOfTableColumns: 0x0040a803,
  TemplateIdentifier: 0x0040db00,
} as const;

const WANTED: ReadonlySet<number> = new Set([
  ...Object.values(Sr),
  ...CODE_TAGS,
  ...NUMBER_TAGS,
  Tag.SpecificCharacterSet,
  Tag.SOPClassUID,
  Tag.MappingResource,
  Tag.ValueType,
  Tag.RelationshipType,
  Tag.ConceptNameCodeSequence,
  Tag.ConceptCodeSequence,
  Tag.ContentSequence,
  Tag.ContinuityOfContent,
  Tag.ContentTemplateSequence,
  Tag.TextValue,
  Tag.ReferencedContentItemIdentifier,
  Tag.ReferencedSOPSequence,
  Tag.ReferencedSOPClassUID,
  Tag.ReferencedSOPInstanceUID,
  Tag.ReferencedFrameNumber,
  Tag.ReferencedSegmentNumber,
  Tag.GraphicType,
  Tag.GraphicData,
  Tag.ReferencedFrameOfReferenceUID,
  Tag.CurrentRequestedProcedureEvidenceSequence,
  Tag.PertinentOtherEvidenceSequence,
  Tag.ReferencedSeriesSequence,
  Tag.SeriesInstanceUID,
]);

/** Reads the content tree and nothing else, so that long reports stay within the limits. */
export const REPORT_FILTER: ReadFilter = { element: (_depth, tag) => WANTED.has(tag), item: () => true };

/** Twice those of other objects: an item of a report has up to seventeen elements and items. */
export const REPORT_LIMITS = { maxElements: 600_000 };
