import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import type { Plane } from './anatomy/plane.ts';

/** Pixel Measures and Plane Orientation, which are shared by all frames of an object here. */
export function sharedGeometry(
  plane: Plane,
  { thicknessMm, spacingBetweenMm }: { thicknessMm: number; spacingBetweenMm: number },
): DataSetInput {
  return {
    PixelMeasuresSequence: [
      {
        SliceThickness: thicknessMm,
        SpacingBetweenSlices: spacingBetweenMm,
        PixelSpacing: [plane.spacingMm, plane.spacingMm],
      },
    ],
    PlaneOrientationSequence: [{ ImageOrientationPatient: [...plane.along, ...plane.down] }],
  };
}

export function planePosition(plane: Plane): DataSetInput {
  return { PlanePositionSequence: [{ ImagePositionPatient: [...plane.origin] }] };
}

/** One dimension: the attribute that its index refers to, and the functional group that contains it, as tags. */
type Dimension = { readonly pointer: number; readonly group: number; readonly label: string };

export function dimensionElements(organizationUid: string, dimensions: readonly Dimension[]): DataSetInput {
  return {
    DimensionOrganizationSequence: [{ DimensionOrganizationUID: organizationUid }],
    DimensionIndexSequence: dimensions.map(({ pointer, group, label }) => ({
      DimensionOrganizationUID: organizationUid,
      DimensionIndexPointer: pointer,
      FunctionalGroupPointer: group,
      DimensionDescriptionLabel: label,
    })),
  };
}
