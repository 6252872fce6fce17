import { buildImagePlane, buildOrientation, type ImagePlane, pixelToPatient } from '../../shared/geometry.ts';
import type { Attributes } from '../dicom/dataSet.ts';
import * as Tag from '../dicom/tag.ts';

/** Top-level elements that `createSlidePlanes` asks for, and those in items. */
export const SLIDE_TAGS: readonly number[] = [
  Tag.ImageOrientationSlide,
  Tag.TotalPixelMatrixOriginSequence,
  Tag.TotalPixelMatrixRows,
  Tag.TotalPixelMatrixColumns,
  Tag.DimensionOrganizationType,
];
export const SLIDE_TAGS_IN_GROUPS: readonly number[] = [
  Tag.PlanePositionSlideSequence,
  Tag.XOffsetInSlideCoordinateSystem,
  Tag.YOffsetInSlideCoordinateSystem,
];

/** How many tiles make one plane of a TILED_FULL object, and how they lie; undefined for every other object. */
export type TileRaster = {
  readonly tilesPerPlane: number;
  readonly tilesPerRow: number;
  readonly rows: number;
  readonly columns: number;
};

export function findTileRaster(dataSet: Attributes): TileRaster | undefined {
  if (dataSet.string(Tag.DimensionOrganizationType) !== 'TILED_FULL') return undefined;
  const [rows, columns, totalRows, totalColumns] = [
    Tag.Rows,
    Tag.Columns,
    Tag.TotalPixelMatrixRows,
    Tag.TotalPixelMatrixColumns,
  ].map((tag) => dataSet.number(tag) ?? 0);
  if (!rows || !columns || !totalRows || !totalColumns) return undefined;
  const tilesPerRow = Math.ceil(totalColumns / columns);
  return { tilesPerPlane: tilesPerRow * Math.ceil(totalRows / rows), tilesPerRow, rows, columns };
}

/** Where a frame lies on its slide, in millimetres from the slide's corner. PS3.3 C.8.12.2.1. */
export type SlidePlane = (
  frame: number,
  pixelSpacing: readonly number[],
  group: Attributes | undefined,
) => ImagePlane | undefined;

/** Undefined for an object that is not of a slide. */
export function createSlidePlanes(dataSet: Attributes): SlidePlane | undefined {
  const orientation = dataSet.numbers(Tag.ImageOrientationSlide, 6);
  if (buildOrientation(orientation) === undefined) return undefined;
  const raster = findTileRaster(dataSet);
  const origin = dataSet.items(Tag.TotalPixelMatrixOriginSequence).map(offsetsOf)[0];

  return (frame, pixelSpacing, group) => {
    const declared = group?.items(Tag.PlanePositionSlideSequence)[0];
    if (declared !== undefined) return buildImagePlane(offsetsOf(declared), orientation, pixelSpacing);
    if (raster === undefined || origin === undefined) return undefined;
    const corner = buildImagePlane(origin, orientation, pixelSpacing);
    return corner && moveTo(corner, frame % raster.tilesPerPlane, raster);
  };
}

function moveTo(corner: ImagePlane, tile: number, { tilesPerRow, rows, columns }: TileRaster): ImagePlane {
  const row = Math.floor(tile / tilesPerRow) * rows;
  const column = (tile % tilesPerRow) * columns;
  return { ...corner, position: pixelToPatient(corner, { row, column }) };
}

/** Without the height, which a full tiling does not tell: frames in several depths are in one plane here. */
function offsetsOf(item: Attributes): number[] {
  return [
    item.number(Tag.XOffsetInSlideCoordinateSystem) ?? NaN,
    item.number(Tag.YOffsetInSlideCoordinateSystem) ?? NaN,
    0,
  ];
}
