import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import { toDicomCielab } from '../shared/cielab.ts';
import { CT_RESCALE_INTERCEPT, CT_SPACING_MM, type CtSlice } from './ct.ts';
import type { LongAxis } from './lesionMeasurements.ts';
import { instanceReference } from './references.ts';
import { DEMO_SERIES, commonElements, seriesUid, STUDY_DATE } from './studyElements.ts';

const GRAYSCALE_STATE_STORAGE = '1.2.840.10008.5.1.4.1.1.11.1';
/** Slices on each side of the one with the graphics that are shown in the same way. */
const AROUND = 2;
/** Pixels of the image on each side of the lesion. */
const MARGIN = 110;
const LAYER = 'FINDINGS';

/** A grayscale presentation state: a narrow window on the part of the liver around a lesion, which is pointed out. */
export function presentationState(slices: readonly CtSlice[], { slice, ends, lengthMm }: LongAxis): DataSetInput {
  const named = slices.slice(Math.max(0, slice.index - AROUND), slice.index + AROUND + 1);
  const [x1, y1, x2, y2] = ends;
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const radius = lengthMm / CT_SPACING_MM / 2 + 6;
  return {
    ...commonElements(DEMO_SERIES.state, GRAYSCALE_STATE_STORAGE, 1),
    ReferencedSeriesSequence: [
      { SeriesInstanceUID: seriesUid(DEMO_SERIES.ct), ReferencedImageSequence: named.map(instanceReference) },
    ],
    RescaleSlope: 1,
    RescaleIntercept: CT_RESCALE_INTERCEPT,
    RescaleType: 'HU',
    SoftcopyVOILUTSequence: [{ WindowCenter: 90, WindowWidth: 150, WindowCenterWidthExplanation: 'Liver' }],
    GraphicAnnotationSequence: [
      {
        ReferencedImageSequence: [instanceReference(slice)],
        GraphicLayer: LAYER,
        TextObjectSequence: [
          {
            AnchorPointAnnotationUnits: 'PIXEL',
            UnformattedTextValue: `Largest lesion\r\n${lengthMm.toFixed(1)} mm`,
            AnchorPoint: [x + radius, y - radius / 2],
            AnchorPointVisibility: 'N',
          },
        ],
        GraphicObjectSequence: [graphic('CIRCLE', [x, y, x + radius, y]), graphic('POLYLINE', [x1, y1, x2, y2])],
      },
    ],
    ImageHorizontalFlip: 'N',
    ImageRotation: 0,
    DisplayedAreaSelectionSequence: [
      {
        DisplayedAreaTopLeftHandCorner: [Math.round(x) - MARGIN, Math.round(y) - MARGIN],
        DisplayedAreaBottomRightHandCorner: [Math.round(x) + MARGIN, Math.round(y) + MARGIN],
        PresentationSizeMode: 'SCALE TO FIT',
        PresentationPixelSpacing: [CT_SPACING_MM, CT_SPACING_MM],
      },
    ],
    GraphicLayerSequence: [
      {
        GraphicLayer: LAYER,
        GraphicLayerOrder: 1,
        GraphicLayerRecommendedDisplayGrayscaleValue: 65535,
        GraphicLayerDescription: 'Findings',
        GraphicLayerRecommendedDisplayCIELabValue: toDicomCielab([120, 220, 255]),
      },
    ],
    ContentLabel: 'LIVER_LESION',
    ContentDescription: 'Largest liver lesion',
    PresentationCreationDate: STUDY_DATE,
    PresentationCreationTime: DEMO_SERIES.state.time,
    ContentCreatorName: 'Demo^Reader',
    PresentationLUTShape: 'IDENTITY',
  };
}

function graphic(type: string, points: readonly number[]): DataSetInput {
  return {
    GraphicAnnotationUnits: 'PIXEL',
    GraphicDimensions: 2,
    NumberOfGraphicPoints: points.length / 2,
    GraphicData: points,
    GraphicType: type,
    GraphicFilled: 'N',
  };
}
