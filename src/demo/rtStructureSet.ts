import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import { type Contour, traceContours } from './contour.ts';
import type { CtSlice } from './ct.ts';
import { instanceReference } from './references.ts';
import {
  bitOf,
  BODY,
  boxOf,
  HEART,
  LEFT_KIDNEY,
  LEFT_LUNG,
  LIVER,
  LIVER_LESIONS,
  RIGHT_KIDNEY,
  RIGHT_LUNG,
  SPINAL_CANAL,
  SPLEEN,
  type Structure,
} from './structures.ts';
import {
  DEMO_SERIES,
  commonElements,
  FRAME_OF_REFERENCE_UID,
  frameOfReference,
  instanceUid,
  seriesUid,
  STUDY_DATE,
  STUDY_INSTANCE_UID,
} from './studyElements.ts';

export const STRUCTURE_SET = {
  sopClassUid: '1.2.840.10008.5.1.4.1.1.481.3',
  sopInstanceUid: instanceUid(DEMO_SERIES.structureSet, 1),
};

type Roi = { readonly structure: Structure; readonly name: string; readonly interpretedType: string };

const ROIS: readonly Roi[] = [
  { structure: BODY, name: BODY.name, interpretedType: 'EXTERNAL' },
  { structure: LIVER_LESIONS, name: 'GTV', interpretedType: 'GTV' },
  ...[LIVER, RIGHT_LUNG, LEFT_LUNG, HEART, SPLEEN, RIGHT_KIDNEY, LEFT_KIDNEY, SPINAL_CANAL].map((structure) => ({
    structure,
    name: structure.name,
    interpretedType: 'ORGAN',
  })),
];

/** Plans refer to ROIs by their numbers. */
export function roiNumberOf(name: string): number {
  return ROIS.findIndex((roi) => roi.name.toLowerCase() === name.toLowerCase()) + 1;
}

/** Outlines of organs and lesions, each on the slice on which it was drawn. */
export function rtStructureSet(slices: readonly CtSlice[]): DataSetInput {
  return {
    ...commonElements(DEMO_SERIES.structureSet, STRUCTURE_SET.sopClassUid, 1),
    ...frameOfReference(),
    ContentDate: undefined,
    ContentTime: undefined,
    OperatorsName: '',
    StructureSetLabel: 'PLANNING',
    StructureSetName: 'Planning structures',
    StructureSetDescription: 'Organs and lesions of the planning CT, outlined slice by slice',
    StructureSetDate: STUDY_DATE,
    StructureSetTime: DEMO_SERIES.structureSet.time,
    ApprovalStatus: 'UNAPPROVED',
    ReferencedFrameOfReferenceSequence: [referencedFrameOfReference(slices)],
    StructureSetROISequence: ROIS.map(({ name }, index) => ({
      ROINumber: index + 1,
      ReferencedFrameOfReferenceUID: FRAME_OF_REFERENCE_UID,
      ROIName: name,
      ROIGenerationAlgorithm: 'AUTOMATIC',
    })),
    ROIContourSequence: ROIS.map(({ structure }, index) => ({
      ROIDisplayColor: [...structure.color],
      ContourSequence: slices.flatMap((slice) => contourItems(bitOf(structure), slice)),
      ReferencedROINumber: index + 1,
    })),
    RTROIObservationsSequence: ROIS.map(({ interpretedType }, index) => ({
      ObservationNumber: index + 1,
      ReferencedROINumber: index + 1,
      RTROIInterpretedType: interpretedType,
      ROIInterpreter: '',
    })),
  };
}

function referencedFrameOfReference(slices: readonly CtSlice[]): DataSetInput {
  return {
    FrameOfReferenceUID: FRAME_OF_REFERENCE_UID,
    RTReferencedStudySequence: [
      {
        ...instanceReference({ sopClassUid: DETACHED_STUDY_MANAGEMENT, sopInstanceUid: STUDY_INSTANCE_UID }),
        RTReferencedSeriesSequence: [
          { SeriesInstanceUID: seriesUid(DEMO_SERIES.ct), ContourImageSequence: slices.map(instanceReference) },
        ],
      },
    ],
  };
}

/** Retired, but it is the class that the study reference of a structure set is defined to name. */
const DETACHED_STUDY_MANAGEMENT = '1.2.840.10008.3.1.2.3.1';

function contourItems(bit: number, slice: CtSlice): DataSetInput[] {
  const box = boxOf(bit, slice.membership);
  if (box === undefined) return [];
  const outlines = traceContours({ bits: slice.membership.bits, bit, columns: slice.plane.columns, box });
  return outlines.map((outline) => contourItem(outline, slice));
}

function contourItem(outline: Contour, slice: CtSlice): DataSetInput {
  const { plane } = slice;
  const numbers: string[] = [];
  for (let i = 0; i < outline.length; i += 2) {
    const x = plane.origin[0] + outline[i]! * plane.spacingMm;
    const y = plane.origin[1] + outline[i + 1]! * plane.spacingMm;
    numbers.push(x.toFixed(2), y.toFixed(2), String(plane.origin[2]));
  }
  return {
    ContourImageSequence: [instanceReference(slice)],
    ContourGeometricType: 'CLOSED_PLANAR',
    NumberOfContourPoints: outline.length / 2,
    // Given as bytes, because the writer would check many thousands of numbers one by one.
    ContourData: { vr: 'DS', value: Buffer.from(numbers.join('\\'), 'latin1') },
  };
}
