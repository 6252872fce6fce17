import type { DataSetInput } from '../server/dicom/writeDicom.ts';
import { LESIONS_SEGMENT_NUMBER, ORGANS_INSTANCE_UID, ORGANS_SERIES } from './binarySegmentation.ts';
import { type CodeTriplet, codeSequence } from './code.ts';
import { CT_IMAGE_STORAGE, CT_SERIES } from './ct.ts';
import type { LesionMeasurements, LongAxis } from './lesionMeasurements.ts';
import { type Instance, instanceReference } from './references.ts';
import { SEGMENTATION_STORAGE } from './segmentation.ts';
import { LIVER, LIVER_LESIONS } from './structures.ts';
import { commonElements, partUid, type DemoSeries, seriesUid, STUDY_INSTANCE_UID } from './studyElements.ts';

const COMPREHENSIVE_SR_STORAGE = '1.2.840.10008.5.1.4.1.1.88.33';
const REPORT_SERIES: DemoSeries = {
  number: 12,
  modality: 'SR',
  description: 'Measurements of the liver lesions',
  time: '110000',
};

const SEGMENTATION: Instance = { sopClassUid: SEGMENTATION_STORAGE, sopInstanceUid: ORGANS_INSTANCE_UID };

/**
 * A measurement report, PS3.16 TID 1500: the volume of the lesions from the segmentation, and one length on a CT slice.
 */
export function measurementReport(measurements: LesionMeasurements): DataSetInput {
  const image: Instance = { sopClassUid: CT_IMAGE_STORAGE, sopInstanceUid: measurements.longAxis.slice.sopInstanceUid };
  return {
    ...commonElements(REPORT_SERIES, COMPREHENSIVE_SR_STORAGE, 1),
    ReferencedPerformedProcedureStepSequence: [],
    PerformedProcedureCodeSequence: [],
    CompletionFlag: 'COMPLETE',
    VerificationFlag: 'UNVERIFIED',
    CurrentRequestedProcedureEvidenceSequence: [
      {
        StudyInstanceUID: STUDY_INSTANCE_UID,
        ReferencedSeriesSequence: [
          { SeriesInstanceUID: seriesUid(CT_SERIES), ReferencedSOPSequence: [instanceReference(image)] },
          { SeriesInstanceUID: seriesUid(ORGANS_SERIES), ReferencedSOPSequence: [instanceReference(SEGMENTATION)] },
        ],
      },
    ],
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: codeSequence(['126000', 'DCM', 'Imaging Measurement Report']),
    ContinuityOfContent: 'SEPARATE',
    ContentTemplateSequence: [{ MappingResource: 'DCMR', TemplateIdentifier: '1500' }],
    ContentSequence: [
      codeContent(
        'HAS CONCEPT MOD',
        ['121049', 'DCM', 'Language of Content Item and Descendants'],
        ['en', 'RFC5646', 'English'],
      ),
      codeContent('HAS OBS CONTEXT', ['121005', 'DCM', 'Observer Type'], ['121007', 'DCM', 'Device']),
      uidContent(['121012', 'DCM', 'Device Observer UID'], partUid(REPORT_SERIES, 1)),
      codeContent(
        'HAS CONCEPT MOD',
        ['121058', 'DCM', 'Procedure reported'],
        ['77477000', 'SCT', 'Computed tomography'],
      ),
      container(
        ['111028', 'DCM', 'Image Library'],
        [container(['126200', 'DCM', 'Image Library Group'], [imageContent('CONTAINS', image)])],
      ),
      container(
        ['126010', 'DCM', 'Imaging Measurements'],
        [volumeGroup(measurements, image), lengthGroup(measurements.longAxis, image)],
      ),
    ],
  };
}

function volumeGroup({ volumeMl, meanHounsfield }: LesionMeasurements, image: Instance): DataSetInput {
  const mean = codeContent('HAS CONCEPT MOD', ['121401', 'DCM', 'Derivation'], ['373098007', 'SCT', 'Mean']);
  return measurementGroup('1411', [
    ...tracking('Liver lesions', 2),
    ...findings(),
    {
      ...imageContent('CONTAINS', SEGMENTATION, LESIONS_SEGMENT_NUMBER),
      ConceptNameCodeSequence: codeSequence(['121191', 'DCM', 'Referenced Segment']),
    },
    {
      ...imageContent('CONTAINS', image),
      ConceptNameCodeSequence: codeSequence(['121233', 'DCM', 'Source image for segmentation']),
    },
    numberContent(['118565006', 'SCT', 'Volume'], { value: volumeMl, unit: ['ml', 'UCUM', 'ml'] }),
    numberContent(
      ['112031', 'DCM', 'Attenuation Coefficient'],
      { value: meanHounsfield, unit: ["[hnsf'U]", 'UCUM', 'Hounsfield unit'] },
      [mean],
    ),
  ]);
}

function lengthGroup({ lengthMm, ends }: LongAxis, image: Instance): DataSetInput {
  const line: DataSetInput = {
    RelationshipType: 'INFERRED FROM',
    ValueType: 'SCOORD',
    GraphicType: 'POLYLINE',
    GraphicData: [...ends],
    ContentSequence: [imageContent('SELECTED FROM', image)],
  };
  return measurementGroup('1501', [
    ...tracking('Largest liver lesion', 3),
    ...findings(),
    numberContent(['103339001', 'SCT', 'Long axis'], { value: lengthMm, unit: ['mm', 'UCUM', 'mm'] }, [line]),
  ]);
}

function measurementGroup(template: string, content: readonly DataSetInput[]): DataSetInput {
  return {
    ...container(['125007', 'DCM', 'Measurement Group'], content),
    ContentTemplateSequence: [{ MappingResource: 'DCMR', TemplateIdentifier: template }],
  };
}

function tracking(name: string, part: number): DataSetInput[] {
  return [
    {
      RelationshipType: 'HAS OBS CONTEXT',
      ValueType: 'TEXT',
      ConceptNameCodeSequence: codeSequence(['112039', 'DCM', 'Tracking Identifier']),
      TextValue: name,
    },
    uidContent(['112040', 'DCM', 'Tracking Unique Identifier'], partUid(REPORT_SERIES, part)),
  ];
}

function findings(): DataSetInput[] {
  return [
    codeContent('CONTAINS', ['121071', 'DCM', 'Finding'], LIVER_LESIONS.type),
    codeContent('HAS CONCEPT MOD', ['363698007', 'SCT', 'Finding Site'], LIVER.type),
  ];
}

function container(name: CodeTriplet, content: readonly DataSetInput[]): DataSetInput {
  return {
    RelationshipType: 'CONTAINS',
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: codeSequence(name),
    ContinuityOfContent: 'SEPARATE',
    ContentSequence: content,
  };
}

function codeContent(relationship: string, name: CodeTriplet, value: CodeTriplet): DataSetInput {
  return {
    RelationshipType: relationship,
    ValueType: 'CODE',
    ConceptNameCodeSequence: codeSequence(name),
    ConceptCodeSequence: codeSequence(value),
  };
}

function uidContent(name: CodeTriplet, uid: string): DataSetInput {
  return {
    RelationshipType: 'HAS OBS CONTEXT',
    ValueType: 'UIDREF',
    ConceptNameCodeSequence: codeSequence(name),
    UID: uid,
  };
}

function imageContent(relationship: string, instance: Instance, segmentNumber?: number): DataSetInput {
  return {
    RelationshipType: relationship,
    ValueType: 'IMAGE',
    ReferencedSOPSequence: [{ ...instanceReference(instance), ReferencedSegmentNumber: segmentNumber }],
  };
}

function numberContent(
  name: CodeTriplet,
  { value, unit }: { value: number; unit: CodeTriplet },
  content: readonly DataSetInput[] = [],
): DataSetInput {
  return {
    RelationshipType: 'CONTAINS',
    ValueType: 'NUM',
    ConceptNameCodeSequence: codeSequence(name),
    MeasuredValueSequence: [{ NumericValue: value.toFixed(2), MeasurementUnitsCodeSequence: codeSequence(unit) }],
    ContentSequence: content.length === 0 ? undefined : content,
  };
}
