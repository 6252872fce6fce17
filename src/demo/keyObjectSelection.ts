import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import { codeSequence } from '../server/standard/dicom/codeSequence.ts';
import type { CtSlice } from './ct.ts';
import type { LongAxis } from './lesionMeasurements.ts';
import { instanceReference } from './references.ts';
import { DEMO_SERIES, commonElements, seriesUid, STUDY_INSTANCE_UID } from './studyElements.ts';

const KEY_OBJECT_SELECTION_STORAGE = '1.2.840.10008.5.1.4.1.1.88.59';
/** Slices between two key images. */
const STEP = 4;

/** A key object selection, PS3.16 TID 2010: CT slices through the largest lesion. */
export function keyObjectSelection(slices: readonly CtSlice[], { slice }: LongAxis): DataSetInput {
  const keys = [-STEP, 0, STEP].flatMap((step) => slices[slice.index + step] ?? []).map(instanceReference);
  return {
    ...commonElements(DEMO_SERIES.selection, KEY_OBJECT_SELECTION_STORAGE, 1),
    ReferencedPerformedProcedureStepSequence: [],
    CurrentRequestedProcedureEvidenceSequence: [
      {
        StudyInstanceUID: STUDY_INSTANCE_UID,
        ReferencedSeriesSequence: [{ SeriesInstanceUID: seriesUid(DEMO_SERIES.ct), ReferencedSOPSequence: keys }],
      },
    ],
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: codeSequence(['113000', 'DCM', 'Of Interest']),
    ContinuityOfContent: 'SEPARATE',
    ContentTemplateSequence: [{ MappingResource: 'DCMR', TemplateIdentifier: '2010' }],
    ContentSequence: [
      {
        RelationshipType: 'CONTAINS',
        ValueType: 'TEXT',
        ConceptNameCodeSequence: codeSequence(['113012', 'DCM', 'Key Object Description']),
        TextValue: 'Slices through the largest liver lesion',
      },
      ...keys.map((key) => ({ RelationshipType: 'CONTAINS', ValueType: 'IMAGE', ReferencedSOPSequence: [key] })),
    ],
  };
}
