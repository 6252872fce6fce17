import type { PixelPosition } from '../../../shared/geometry.ts';
import type { Attributes } from '../dicom/dataSet.ts';
import * as Tag from '../dicom/tag.ts';

/** How the tiles of a slide form one total pixel matrix, and its position on the slide. PS3.3 C.7.6.17, C.8.12.4. */
export type SlideMatrix = {
  /** Dimension Organization Type: the order of the tiles that the file claims. */
  readonly tiling: 'full' | 'sparse' | 'unknown';
  readonly totalRows: number | undefined;
  readonly totalColumns: number | undefined;
  readonly tileRows: number | undefined;
  readonly tileColumns: number | undefined;
  /** Number of frames in the preceding parts, if the level is split into several files. */
  readonly frameOffset: number;
  /** Position of the first sample of the matrix in the slide coordinate system. */
  readonly originMm: readonly [x: number, y: number] | undefined;
  /** Image Orientation (Slide), as written. */
  readonly orientation: readonly number[];
};

/** Elements that `readSlideMatrix` reads at the top level, and in items. */
export const SLIDE_MATRIX_TAGS: readonly number[] = [
  Tag.Rows,
  Tag.Columns,
  Tag.DimensionOrganizationType,
  Tag.ConcatenationFrameOffsetNumber,
  Tag.TotalPixelMatrixRows,
  Tag.TotalPixelMatrixColumns,
  Tag.TotalPixelMatrixOriginSequence,
  Tag.ImageOrientationSlide,
];
export const SLIDE_MATRIX_TAGS_IN_ITEMS: readonly number[] = [
  Tag.XOffsetInSlideCoordinateSystem,
  Tag.YOffsetInSlideCoordinateSystem,
  Tag.ColumnPositionInTotalImagePixelMatrix,
  Tag.RowPositionInTotalImagePixelMatrix,
];

export function readSlideMatrix(dataSet: Attributes): SlideMatrix {
  return {
    tiling: toTiling(dataSet.string(Tag.DimensionOrganizationType)),
    totalRows: positive(dataSet.number(Tag.TotalPixelMatrixRows)),
    totalColumns: positive(dataSet.number(Tag.TotalPixelMatrixColumns)),
    tileRows: positive(dataSet.number(Tag.Rows)),
    tileColumns: positive(dataSet.number(Tag.Columns)),
    frameOffset: dataSet.number(Tag.ConcatenationFrameOffsetNumber) ?? 0,
    originMm: findSlideOffset(dataSet.items(Tag.TotalPixelMatrixOriginSequence)[0]),
    orientation: dataSet.numbers(Tag.ImageOrientationSlide, 6),
  };
}

/** The offset of an item in the slide coordinate system, in millimetres. */
export function findSlideOffset(item: Attributes | undefined): readonly [x: number, y: number] | undefined {
  const x = item?.number(Tag.XOffsetInSlideCoordinateSystem);
  const y = item?.number(Tag.YOffsetInSlideCoordinateSystem);
  return x === undefined || y === undefined ? undefined : [x, y];
}

/** The place of the first sample of a tile in the total pixel matrix, from 0, as the item of a frame declares it. */
export function findTilePlace(item: Attributes | undefined): PixelPosition | undefined {
  const column = item?.number(Tag.ColumnPositionInTotalImagePixelMatrix);
  const row = item?.number(Tag.RowPositionInTotalImagePixelMatrix);
  if (column === undefined || row === undefined || !isPlace(column) || !isPlace(row)) return undefined;
  // DICOM counts from 1.
  return { row: row - 1, column: column - 1 };
}

function isPlace(number: number): boolean {
  return Number.isInteger(number) && number > 0 && number < 2 ** 31;
}

/** The tiles of a TILED_FULL object, which are stored row by row, plane after plane. */
export type TileRaster = { readonly tilesAcross: number; readonly tilesPerPlane: number };

export function buildTileRaster(size: {
  readonly totalRows: number;
  readonly totalColumns: number;
  readonly tileRows: number;
  readonly tileColumns: number;
}): TileRaster {
  const tilesAcross = Math.ceil(size.totalColumns / size.tileColumns);
  return { tilesAcross, tilesPerPlane: tilesAcross * Math.ceil(size.totalRows / size.tileRows) };
}

/** Undefined if the object is not TILED_FULL or does not declare its size. */
export function findTileRaster(matrix: SlideMatrix): TileRaster | undefined {
  const { tiling, totalRows, totalColumns, tileRows, tileColumns } = matrix;
  if (tiling !== 'full' || totalRows === undefined || totalColumns === undefined) return undefined;
  if (tileRows === undefined || tileColumns === undefined) return undefined;
  return buildTileRaster({ totalRows, totalColumns, tileRows, tileColumns });
}

/** The place of a tile in the raster; `position` counts the frames of all parts of the level. PS3.3 C.7.6.17.3. */
export function tileAt(
  { tilesAcross, tilesPerPlane }: TileRaster,
  position: number,
): { readonly plane: number; readonly tileRow: number; readonly tileColumn: number } {
  const tile = position % tilesPerPlane;
  return {
    plane: Math.floor(position / tilesPerPlane),
    tileRow: Math.floor(tile / tilesAcross),
    tileColumn: tile % tilesAcross,
  };
}

function toTiling(organization: string | undefined): SlideMatrix['tiling'] {
  if (organization === 'TILED_FULL') return 'full';
  return organization === 'TILED_SPARSE' ? 'sparse' : 'unknown';
}

function positive(number: number | undefined): number | undefined {
  return number !== undefined && Number.isFinite(number) && number > 0 ? number : undefined;
}
