import type { FrameGeometry } from '../../src/server/standard/geometry/frameGeometry.ts';
import { GeometryColumns } from '../../src/server/standard/geometry/geometryColumns.ts';
import type { RankedGeometry } from '../../src/server/images/series/frameGeometry.ts';
import { buildImagePlane, type ImagePlane } from '../../src/shared/geometry.ts';

/** The geometry of frames in these planes, as in an object with functional groups. */
export function createFrameGeometry(
  planes: readonly ImagePlane[],
  { sliceSpacingMm, ...different }: Partial<FrameGeometry> & { readonly sliceSpacingMm?: number | undefined } = {},
): FrameGeometry {
  const columns = new GeometryColumns(planes.length);
  for (const [frame, { position, rowSpacingMm, columnSpacingMm, ...orientation }] of planes.entries()) {
    columns.putPoint(frame, position);
    columns.putOrientation(frame, orientation);
    columns.putMeasures(frame, {
      spacingMm: [rowSpacingMm, columnSpacingMm],
      source: 'pixel_spacing',
      aspectRatio: rowSpacingMm / columnSpacingMm,
      sliceSpacingMm,
      sliceThicknessMm: undefined,
    });
  }
  return {
    ...columns.build(),
    space: 'patient',
    frameOfReferenceUid: undefined,
    placesFrames: true,
    isSpatial: true,
    doubts: [],
    ...different,
  };
}

/** Axial frames at these heights, without temporal order. */
export function createRankedGeometry(heightsMm: readonly number[]): RankedGeometry {
  const planes = heightsMm.flatMap((z) => buildImagePlane([0, 0, z], [1, 0, 0, 0, 1, 0], [1, 1]) ?? []);
  return { ...createFrameGeometry(planes), ranks: new Float64Array(planes.length).fill(NaN) };
}
