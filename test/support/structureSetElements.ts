import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';
import { FRAME_OF_REFERENCE } from './placedElements.ts';

export type WrittenRoi = {
  readonly number: number;
  readonly name: string;
  readonly contours: readonly WrittenContour[];
  readonly different?: DataSetInput;
  readonly color?: readonly number[];
  readonly interpretedType?: string;
};

export type WrittenContour = {
  readonly type?: string;
  readonly points: readonly (readonly number[])[];
  readonly different?: DataSetInput;
};

/** A structure set. The sequences are in different orders, because they are joined by ROI Number. */
export function structureSetElements(rois: readonly WrittenRoi[], different: DataSetInput = {}): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.3',
    SOPInstanceUID: '2.25.600',
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: '2.25.601',
    SeriesDescription: 'Plan structures',
    Modality: 'RTSTRUCT',
    FrameOfReferenceUID: FRAME_OF_REFERENCE,
    StructureSetROISequence: rois.map(({ number, name, different: other }) => ({
      ROINumber: String(number),
      ReferencedFrameOfReferenceUID: FRAME_OF_REFERENCE,
      ROIName: name,
      ...other,
    })),
    ROIContourSequence: rois.toReversed().map(({ number, contours, color }) => ({
      ReferencedROINumber: String(number),
      ...(color !== undefined && { ROIDisplayColor: color.map(String) }),
      ContourSequence: contours.map(({ type = 'CLOSED_PLANAR', points, different: other }) => ({
        ContourGeometricType: type,
        NumberOfContourPoints: String(points.length),
        ContourData: points.flat().map((value) => String(Number(value.toFixed(5)))),
        ...other,
      })),
    })),
    RTROIObservationsSequence: rois.map(({ number, interpretedType }, at) => ({
      ObservationNumber: String(at),
      ReferencedROINumber: String(number),
      RTROIInterpretedType: interpretedType ?? '',
    })),
    ...different,
  };
}

/** Points of a circle in an axial plane, counterclockwise. */
export function circle([x, y, z]: readonly [number, number, number], radius: number, count = 96): number[][] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle), z];
  });
}
