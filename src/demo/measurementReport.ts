import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import { ORGANS, segmentNumberOf } from './binarySegmentation.ts';
import { type CodeTriplet, codeSequence } from '../server/standard/dicom/codeSequence.ts';
import {
  codeContent,
  container,
  measurementContainer,
  numberContent,
  reportContext,
  textContent,
  trackingContent,
} from '../server/standard/contentTree/writtenItems.ts';
import { PRESCRIBED_GY } from './fields.ts';
import type { LesionMeasurements, LongAxis, MeasuredLesion, MeasuredOrgan } from './lesionMeasurements.ts';
import { type Instance, instanceReference } from './references.ts';
import { FRACTIONS, PLAN } from './rtPlan.ts';
import { STRUCTURE_SET } from './rtStructureSet.ts';
import { LIVER, LIVER_LESIONS, type Structure } from './structures.ts';
import { DEMO_SERIES, commonElements, partUid, seriesUid, STUDY_INSTANCE_UID } from './studyElements.ts';

const COMPREHENSIVE_SR_STORAGE = '1.2.840.10008.5.1.4.1.1.88.33';
const VOLUME: CodeTriplet = ['118565006', 'SCT', 'Volume'];
const MILLILITER: CodeTriplet = ['ml', 'UCUM', 'ml'];
const MILLIMETER: CodeTriplet = ['mm', 'UCUM', 'mm'];

/** Numbers of the tracking identifiers of the lesions and organs. */
const FIRST_LESION_PART = 10;
const FIRST_ORGAN_PART = 20;

/**
 * A measurement report, PS3.16 TID 1500: the volumes of organs and lesions from the segmentation, each lesion outlined and
 * measured on a CT slice, and what was concluded and planned.
 */
export function measurementReport(measurements: LesionMeasurements): DataSetInput {
  const image = measurements.longAxis.slice;
  const images = listImages(measurements);
  return {
    ...commonElements(DEMO_SERIES.report, COMPREHENSIVE_SR_STORAGE, 1),
    ReferencedPerformedProcedureStepSequence: [],
    PerformedProcedureCodeSequence: [],
    CompletionFlag: 'COMPLETE',
    VerificationFlag: 'UNVERIFIED',
    CurrentRequestedProcedureEvidenceSequence: [
      {
        StudyInstanceUID: STUDY_INSTANCE_UID,
        ReferencedSeriesSequence: [
          { SeriesInstanceUID: seriesUid(DEMO_SERIES.ct), ReferencedSOPSequence: images.map(instanceReference) },
          {
            SeriesInstanceUID: seriesUid(DEMO_SERIES.organs),
            ReferencedSOPSequence: [instanceReference(ORGANS)],
          },
          {
            SeriesInstanceUID: seriesUid(DEMO_SERIES.structureSet),
            ReferencedSOPSequence: [instanceReference(STRUCTURE_SET)],
          },
          { SeriesInstanceUID: seriesUid(DEMO_SERIES.plan), ReferencedSOPSequence: [instanceReference(PLAN)] },
        ],
      },
    ],
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: codeSequence(['126000', 'DCM', 'Imaging Measurement Report']),
    ContinuityOfContent: 'SEPARATE',
    ContentTemplateSequence: [{ MappingResource: 'DCMR', TemplateIdentifier: '1500' }],
    ContentSequence: [
      ...reportContext(partUid(DEMO_SERIES.report, 1), ['77477000', 'SCT', 'Computed tomography']),
      container(
        ['111028', 'DCM', 'Image Library'],
        [
          container(
            ['126200', 'DCM', 'Image Library Group'],
            images.map((one) => imageContent('CONTAINS', one)),
          ),
        ],
      ),
      container(
        ['126010', 'DCM', 'Imaging Measurements'],
        [
          volumeGroup(measurements, image),
          lengthGroup(measurements.longAxis, image),
          ...measurements.lesions.map(lesionGroup),
          ...measurements.organs.map(organGroup),
        ],
      ),
      container(['121076', 'DCM', 'Conclusions'], conclude(measurements)),
    ],
  };
}

/** The slices on which something is measured, each once. */
function listImages({ lesions, organs }: LesionMeasurements): Instance[] {
  const slices = new Set([...lesions.map(({ longAxis }) => longAxis.slice), ...organs.map(({ slice }) => slice)]);
  return [...slices].toSorted((a, b) => a.index - b.index);
}

function volumeGroup({ volumeMl, meanHounsfield }: LesionMeasurements, image: Instance): DataSetInput {
  return measurementContainer('1411', [
    ...tracking('Liver lesions', 2),
    ...findings(),
    ...segmentContent(LIVER_LESIONS, image),
    numberContent(VOLUME, { value: volumeMl.toFixed(2), unit: MILLILITER }),
    meanAttenuation(meanHounsfield),
  ]);
}

/** The segment of a structure, and an image on which it lies. */
function segmentContent(structure: Structure, image: Instance): DataSetInput[] {
  return [
    {
      ...imageContent('CONTAINS', ORGANS, segmentNumberOf(structure)),
      ConceptNameCodeSequence: codeSequence(['121191', 'DCM', 'Referenced Segment']),
    },
    {
      ...imageContent('CONTAINS', image),
      ConceptNameCodeSequence: codeSequence(['121233', 'DCM', 'Source image for segmentation']),
    },
  ];
}

function meanAttenuation(hounsfield: number): DataSetInput {
  const mean = codeContent('HAS CONCEPT MOD', ['121401', 'DCM', 'Derivation'], ['373098007', 'SCT', 'Mean']);
  const unit: CodeTriplet = ["[hnsf'U]", 'UCUM', 'Hounsfield unit'];
  return numberContent(['112031', 'DCM', 'Attenuation Coefficient'], { value: hounsfield.toFixed(2), unit }, [mean]);
}

function lengthGroup({ lengthMm, ends }: LongAxis, image: Instance): DataSetInput {
  const line: DataSetInput = {
    RelationshipType: 'INFERRED FROM',
    ValueType: 'SCOORD',
    GraphicType: 'POLYLINE',
    GraphicData: [...ends],
    ContentSequence: [imageContent('SELECTED FROM', image)],
  };
  return measurementContainer('1501', [
    ...tracking('Largest liver lesion', 3),
    ...findings(),
    numberContent(['103339001', 'SCT', 'Long axis'], { value: lengthMm.toFixed(2), unit: MILLIMETER }, [line]),
  ]);
}

/** A lesion on the slice where it is longest, PS3.16 TID 1410. */
function lesionGroup(lesion: MeasuredLesion, at: number): DataSetInput {
  const image = lesion.longAxis.slice;
  const region: DataSetInput = {
    RelationshipType: 'CONTAINS',
    ValueType: 'SCOORD',
    ConceptNameCodeSequence: codeSequence(['111030', 'DCM', 'Image Region']),
    GraphicType: 'POLYLINE',
    GraphicData: [...lesion.outline],
    ContentSequence: [imageContent('SELECTED FROM', image)],
  };
  return measurementContainer('1410', [
    ...tracking(`Lesion ${at + 1}`, FIRST_LESION_PART + at),
    ...findings(),
    region,
    numberContent(['103339001', 'SCT', 'Long axis'], { value: lesion.longAxis.lengthMm.toFixed(2), unit: MILLIMETER }),
    numberContent(['42798000', 'SCT', 'Area'], { value: lesion.areaMm2.toFixed(2), unit: ['mm2', 'UCUM', 'mm2'] }),
    meanAttenuation(lesion.meanHounsfield),
  ]);
}

/** The volume of an organ from its segment, PS3.16 TID 1411. */
function organGroup({ structure, volumeMl, slice }: MeasuredOrgan, at: number): DataSetInput {
  const { name, type, modifier } = structure;
  return measurementContainer('1411', [
    ...tracking(name, FIRST_ORGAN_PART + at),
    codeContent('CONTAINS', ['121071', 'DCM', 'Finding'], type),
    ...(modifier === undefined ? [] : [codeContent('HAS CONCEPT MOD', ['272741003', 'SCT', 'Laterality'], modifier)]),
    ...segmentContent(structure, slice),
    numberContent(VOLUME, { value: volumeMl.toFixed(2), unit: MILLILITER }),
  ]);
}

/** What follows from the measurements, in words, with the plan and the structures that it led to. */
function conclude({ volumeMl, lesions, longAxis, organs }: LesionMeasurements): DataSetInput[] {
  const liverMl = organs.find(({ structure }) => structure === LIVER)?.volumeMl ?? NaN;
  const share = ((volumeMl / liverMl) * 100).toFixed(1);
  const findingText =
    `${lesions.length} lesions of the liver, ${volumeMl.toFixed(0)} ml in all, ${share} % of its volume. ` +
    `The largest is ${longAxis.lengthMm.toFixed(0)} mm long.`;
  const planText = `Five fields on the largest lesion, ${PRESCRIBED_GY} Gy in ${FRACTIONS} fractions.`;
  return [
    textContent('CONTAINS', ['121077', 'DCM', 'Conclusion'], findingText),
    {
      ...textContent('CONTAINS', ['121077', 'DCM', 'Conclusion'], planText),
      ContentSequence: [compositeContent(PLAN), compositeContent(STRUCTURE_SET)],
    },
  ];
}

function tracking(name: string, part: number): DataSetInput[] {
  return trackingContent(name, partUid(DEMO_SERIES.report, part));
}

function findings(): DataSetInput[] {
  return [
    codeContent('CONTAINS', ['121071', 'DCM', 'Finding'], LIVER_LESIONS.type),
    codeContent('HAS CONCEPT MOD', ['363698007', 'SCT', 'Finding Site'], LIVER.type),
  ];
}

function compositeContent(instance: Instance): DataSetInput {
  return {
    RelationshipType: 'INFERRED FROM',
    ValueType: 'COMPOSITE',
    ReferencedSOPSequence: [instanceReference(instance)],
  };
}

function imageContent(relationship: string, instance: Instance, segmentNumber?: number): DataSetInput {
  return {
    RelationshipType: relationship,
    ValueType: 'IMAGE',
    ReferencedSOPSequence: [{ ...instanceReference(instance), ReferencedSegmentNumber: segmentNumber }],
  };
}
