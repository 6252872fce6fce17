import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';

type Code = readonly [value: string, scheme: string, meaning: string];

function codes([CodeValue, CodingSchemeDesignator, CodeMeaning]: Code): DataSetInput[] {
  return [{ CodeValue, CodingSchemeDesignator, CodeMeaning }];
}

/** An item of the content tree of a report. */
export function contentItem(
  valueType: string,
  name: Code,
  different: DataSetInput = {},
  content: readonly DataSetInput[] = [],
): DataSetInput {
  return {
    RelationshipType: 'CONTAINS',
    ValueType: valueType,
    ConceptNameCodeSequence: codes(name),
    ...different,
    ...(content.length > 0 && { ContentSequence: content }),
  };
}

const REGION: Code = ['111030', 'DCM', 'Image Region'];

/** Coordinates in an image; frames count from 1. */
export function scoord(
  graphicType: string,
  data: readonly number[],
  uid: string,
  { frames, ...different }: { readonly frames?: readonly number[] } & DataSetInput = {},
): DataSetInput {
  const image = contentItem('IMAGE', ['260753009', 'SCT', 'Source'], {
    RelationshipType: 'SELECTED FROM',
    ReferencedSOPSequence: [
      {
        ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
        ReferencedSOPInstanceUID: uid,
        ...(frames !== undefined && { ReferencedFrameNumber: frames.map(String) }),
      },
    ],
  });
  return contentItem('SCOORD', REGION, { GraphicType: graphicType, GraphicData: data, ...different }, [image]);
}

/** Coordinates in space, in millimetres. */
export function scoord3d(graphicType: string, data: readonly number[], frameOfReference: string): DataSetInput {
  return contentItem('SCOORD3D', REGION, {
    GraphicType: graphicType,
    GraphicData: data,
    ReferencedFrameOfReferenceUID: frameOfReference,
  });
}

/** A measurement group, TID 1410, with a tracking identifier, a finding and a length in millimetres. */
export function measurementGroup(name: string, regions: readonly DataSetInput[], lengthMm?: number): DataSetInput {
  const length =
    lengthMm === undefined
      ? []
      : [
          contentItem('NUM', ['410668003', 'SCT', 'Length'], {
            MeasuredValueSequence: [
              {
                NumericValue: String(lengthMm),
                MeasurementUnitsCodeSequence: codes(['mm', 'UCUM', 'millimeter']),
              },
            ],
          }),
        ];
  return contentItem('CONTAINER', ['125007', 'DCM', 'Measurement Group'], {}, [
    contentItem('TEXT', ['112039', 'DCM', 'Tracking Identifier'], {
      RelationshipType: 'HAS OBS CONTEXT',
      TextValue: name,
    }),
    contentItem('CODE', ['121071', 'DCM', 'Finding'], {
      ConceptCodeSequence: codes(['27925004', 'SCT', 'Nodule']),
    }),
    ...length,
    ...regions,
  ]);
}

/** A report with these groups. It is in the study of `placedImage`. */
export function reportElements(groups: readonly DataSetInput[], different: DataSetInput = {}): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.34',
    SOPInstanceUID: '2.25.700',
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: '2.25.701',
    SeriesDescription: 'Measurements',
    Modality: 'SR',
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: codes(['126000', 'DCM', 'Imaging Measurement Report']),
    ContentSequence: [contentItem('CONTAINER', ['126010', 'DCM', 'Imaging Measurements'], {}, groups)],
    ...different,
  };
}

export type WrittenFiducial = {
  readonly name: string;
  readonly shape: string;
  readonly points?: readonly (readonly number[])[];
  readonly inImage?: { readonly uid: string; readonly points: readonly (readonly number[])[] };
  readonly uncertaintyMm?: number;
};

/** Spatial fiducials of one set. */
export function fiducialElements(
  fiducials: readonly WrittenFiducial[],
  frameOfReference: string,
  different: DataSetInput = {},
): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.66.2',
    SOPInstanceUID: '2.25.710',
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: '2.25.711',
    SeriesDescription: 'Fiducials',
    Modality: 'FID',
    FiducialSetSequence: [
      {
        FrameOfReferenceUID: frameOfReference,
        FiducialSequence: fiducials.map(({ name, shape, points, inImage, uncertaintyMm }) => ({
          FiducialIdentifier: name,
          ShapeType: shape,
          ...(uncertaintyMm !== undefined && { ContourUncertaintyRadius: uncertaintyMm }),
          ...(points !== undefined && {
            NumberOfContourPoints: String(points.length),
            ContourData: points.flat().map(String),
          }),
          ...(inImage !== undefined && {
            GraphicCoordinatesDataSequence: [
              {
                ReferencedImageSequence: [
                  {
                    ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
                    ReferencedSOPInstanceUID: inImage.uid,
                  },
                ],
                GraphicData: inImage.points.flat(),
              },
            ],
          }),
        })),
      },
    ],
    ...different,
  };
}

export type WrittenAnnotations = {
  readonly type: string;
  readonly label?: string;
  /** Coordinates of all annotations. */
  readonly values: readonly number[];
  /** The first value of each, counted from 1. */
  readonly indices?: readonly number[];
  readonly count?: number;
  readonly isDouble?: boolean;
  readonly different?: DataSetInput;
};

/** Microscopy Bulk Simple Annotations over the slide of `slideElements`. */
export function slideAnnotationElements(
  groups: readonly WrittenAnnotations[],
  different: DataSetInput = {},
): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.91.1',
    SOPInstanceUID: '2.25.720',
    StudyInstanceUID: '1.2.826.0.1.3680043.8.498.71',
    SeriesInstanceUID: '2.25.721',
    SeriesDescription: 'Nuclei',
    Modality: 'ANN',
    AnnotationCoordinateType: '2D',
    PixelOriginInterpretation: 'VOLUME',
    ReferencedImageSequence: [
      {
        ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.6',
        ReferencedSOPInstanceUID: '1.2.826.0.1.3680043.8.498.70',
      },
    ],
    AnnotationGroupSequence: groups.map(
      ({ type, label, values, indices, count, isDouble = false, different: own }, at) => ({
        AnnotationGroupNumber: at + 1,
        AnnotationGroupLabel: label ?? `group ${at + 1}`,
        GraphicType: type,
        NumberOfAnnotations: count ?? indices?.length ?? 1,
        ...(isDouble
          ? { DoublePointCoordinatesData: bytesOf(Float64Array.from(values)) }
          : { PointCoordinatesData: bytesOf(Float32Array.from(values)) }),
        ...(indices !== undefined && { LongPrimitivePointIndexList: bytesOf(Uint32Array.from(indices)) }),
        ...own,
      }),
    ),
    ...different,
  };
}

function bytesOf({ buffer }: Float64Array | Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer);
}

/** An item of the Measurements Sequence of a group: one value for each annotation, or for those of an index list. */
export function measuredElements(
  name: string,
  unit: string,
  values: readonly number[],
  indices?: readonly number[],
): DataSetInput {
  return {
    ConceptNameCodeSequence: [{ CodeValue: '1', CodingSchemeDesignator: '99TEST', CodeMeaning: name }],
    MeasurementUnitsCodeSequence: [{ CodeValue: unit, CodingSchemeDesignator: 'UCUM', CodeMeaning: unit }],
    MeasurementValuesSequence: [
      {
        FloatingPointValues: bytesOf(Float32Array.from(values)),
        ...(indices !== undefined && { AnnotationIndexList: bytesOf(Uint32Array.from(indices)) }),
      },
    ],
  };
}
