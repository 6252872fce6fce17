import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { CT_STORAGE } from './placedElements.ts';

export const GRAYSCALE_STATE = '1.2.840.10008.5.1.4.1.1.11.1';
export const COLOR_STATE = '1.2.840.10008.5.1.4.1.1.11.2';
export const PSEUDO_COLOR_STATE = '1.2.840.10008.5.1.4.1.1.11.3';
const KEY_OBJECT_SELECTION = '1.2.840.10008.5.1.4.1.1.88.59';

/** An image that a state names; without frame numbers, all of its frames. */
export function named(uid: string, ...frameNumbers: readonly number[]): DataSetInput {
  return {
    ReferencedSOPClassUID: CT_STORAGE,
    ReferencedSOPInstanceUID: uid,
    ReferencedFrameNumber: frameNumbers.length === 0 ? undefined : frameNumbers.map(String),
  };
}

/** A grayscale presentation state of the study of `placedImage`. */
export function stateElements(images: readonly DataSetInput[], more: DataSetInput = {}): DataSetInput {
  return {
    SOPClassUID: GRAYSCALE_STATE,
    SOPInstanceUID: '2.25.900',
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: '2.25.901',
    Modality: 'PR',
    SeriesDescription: 'Presentation',
    ReferencedSeriesSequence: [{ SeriesInstanceUID: '2.25.501', ReferencedImageSequence: images }],
    ContentLabel: 'STATE',
    ContentDescription: 'A state for tests',
    PresentationCreationDate: '20250114',
    PresentationCreationTime: '101500',
    ContentCreatorName: 'Doe^Jane',
    PresentationLUTShape: 'IDENTITY',
    ...more,
  };
}

export type WrittenInput = {
  readonly position: 'UNDERLYING' | 'SUPERIMPOSED';
  readonly images: readonly DataSetInput[];
  readonly series?: string;
  /** Modality and VOI transformation. */
  readonly elements?: DataSetInput;
};

/** A blending presentation state of the study of `placedImage`. */
export function blendingElements(inputs: readonly WrittenInput[], more: DataSetInput = {}): DataSetInput {
  return stateElements([], {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.11.4',
    ReferencedSeriesSequence: undefined,
    PresentationLUTShape: undefined,
    BlendingSequence: inputs.map(({ position, images, series = '2.25.501', elements = {} }) => ({
      BlendingPosition: position,
      StudyInstanceUID: '2.25.502',
      ReferencedSeriesSequence: [{ SeriesInstanceUID: series, ReferencedImageSequence: images }],
      ...elements,
    })),
    ...more,
  });
}

export type WrittenSelection = {
  readonly uid?: string;
  readonly title?: readonly [value: string, meaning: string];
  readonly description?: string;
};

/** A key object selection of the study of `placedImage`. */
export function keyObjectElements(
  images: readonly DataSetInput[],
  { uid = '2.25.910', title = ['113000', 'Of Interest'], description = 'Look here' }: WrittenSelection = {},
): DataSetInput {
  return {
    SOPClassUID: KEY_OBJECT_SELECTION,
    SOPInstanceUID: uid,
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: `${uid}.1`,
    Modality: 'KO',
    ContentDate: '20250114',
    ContentTime: '101500',
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: [code(title[0], 'DCM', title[1])],
    ContinuityOfContent: 'SEPARATE',
    ContentSequence: [
      {
        RelationshipType: 'CONTAINS',
        ValueType: 'TEXT',
        ConceptNameCodeSequence: [code('113012', 'DCM', 'Key Object Description')],
        TextValue: description,
      },
      ...images.map((image) => ({
        RelationshipType: 'CONTAINS',
        ValueType: 'IMAGE',
        ReferencedSOPSequence: [image],
      })),
    ],
  };
}

function code(value: string, scheme: string, meaning: string): DataSetInput {
  return { CodeValue: value, CodingSchemeDesignator: scheme, CodeMeaning: meaning };
}
