import { buildTileRaster, tileAt } from '../../standard/geometry/slideMatrix.ts';
import type { DeclaredFrames, SlideLayout } from './slideLayout.ts';

export type TilePlace = {
  readonly positionSource: 'dicom_tiled_full_raster' | 'declared_per_frame' | 'unavailable';
  /** In samples of the total pixel matrix, from 0, clipped to it. */
  readonly rectangle:
    | { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
    | undefined;
  /** Position in the grid of tiles, from 0; undefined for a tile that is not on the grid. */
  readonly tileRow: number | undefined;
  readonly tileColumn: number | undefined;
  readonly opticalPath: { readonly index: number | undefined; readonly identifier: string | undefined } | undefined;
  readonly focalPlane: { readonly index: number | undefined; readonly zOffsetSlide: number | undefined } | undefined;
  readonly warnings: readonly string[];
};

/** Position of one frame on the slide. `frame` counts from 0 within the file. */
export function locateTile(layout: SlideLayout, frame: number): TilePlace {
  const { totalRows, totalColumns } = layout;
  if (totalRows === undefined || totalColumns === undefined) {
    const place = layout.frames === undefined ? NOWHERE : describePlane(layout, layout.frames, frame);
    return { ...place, warnings: ['the file does not declare the size of its total pixel matrix'] };
  }
  if (layout.frames === undefined) return locateInRaster(layout, { frame, totalRows, totalColumns });
  return locateDeclared(layout, { frames: layout.frames, frame, totalRows, totalColumns });
}

const NOWHERE: TilePlace = {
  positionSource: 'unavailable',
  rectangle: undefined,
  tileRow: undefined,
  tileColumn: undefined,
  opticalPath: undefined,
  focalPlane: undefined,
  warnings: [],
};

type Matrix = { readonly totalRows: number; readonly totalColumns: number };

/** TILED_FULL: columns first, then rows, focal planes and optical paths. PS3.3 C.7.6.17.3. */
function locateInRaster(layout: SlideLayout, { frame, ...matrix }: Matrix & { readonly frame: number }): TilePlace {
  const raster = buildTileRaster({ ...matrix, tileRows: layout.tileRows, tileColumns: layout.tileColumns });
  const position = frame + layout.frameOffset;
  const { plane, tileRow, tileColumn } = tileAt(raster, position);
  const focalPlane = plane % layout.focalPlaneCount;
  const opticalPath = Math.floor(plane / layout.focalPlaneCount);
  if (opticalPath >= layout.opticalPathCount) {
    const described = [
      `${raster.tilesAcross} x ${raster.tilesPerPlane / raster.tilesAcross} tiles`,
      count(layout.focalPlaneCount, 'focal plane'),
      count(layout.opticalPathCount, 'optical path'),
    ];
    const problem = `frame ${position} of the level is beyond the frames that TILED_FULL describes: ${described.join(', ')}`;
    return { ...NOWHERE, warnings: [problem] };
  }
  const identifier = layout.opticalPathIdentifiers[opticalPath] || undefined;
  return {
    positionSource: 'dicom_tiled_full_raster',
    rectangle: clip({ x: tileColumn * layout.tileColumns, y: tileRow * layout.tileRows }, layout, matrix),
    tileRow,
    tileColumn,
    opticalPath: { index: opticalPath, identifier },
    focalPlane: { index: focalPlane, zOffsetSlide: heightOf(layout, focalPlane) },
    warnings: [],
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function heightOf(
  { focalPlaneCount, firstFocalPlaneUm, focalPlaneDistanceUm }: SlideLayout,
  plane: number,
): number | undefined {
  if (focalPlaneCount === 1 || focalPlaneDistanceUm === undefined) return undefined;
  return firstFocalPlaneUm + plane * focalPlaneDistanceUm;
}

function locateDeclared(
  layout: SlideLayout,
  { frames, frame, ...matrix }: Matrix & { readonly frames: DeclaredFrames; readonly frame: number },
): TilePlace {
  const [x, y] = [frames.x[frame] ?? NaN, frames.y[frame] ?? NaN];
  const place = describePlane(layout, frames, frame);
  if (Number.isNaN(x) || Number.isNaN(y)) {
    return { ...place, warnings: ['the frame declares no position in the total pixel matrix'] };
  }
  const rectangle = clip({ x, y }, layout, matrix);
  if (rectangle === undefined) {
    return { ...place, warnings: [`the frame declares a position outside the matrix: column ${x + 1}, row ${y + 1}`] };
  }
  return {
    ...place,
    positionSource: 'declared_per_frame',
    rectangle,
    tileRow: onGrid(y, layout.tileRows),
    tileColumn: onGrid(x, layout.tileColumns),
  };
}

function describePlane(layout: SlideLayout, frames: DeclaredFrames, frame: number): TilePlace {
  const named = frames.pathNames[frames.pathOf[frame] ?? -1];
  const [only, ...others] = layout.opticalPathIdentifiers;
  const identifier = named ?? (others.length === 0 ? only || undefined : undefined);
  const pathIndex = identifier === undefined ? -1 : layout.opticalPathIdentifiers.indexOf(identifier);
  const height = frames.z[frame] ?? NaN;
  const plane = frames.focalPlanesUm.indexOf(height);
  return {
    ...NOWHERE,
    opticalPath: identifier === undefined ? undefined : { index: pathIndex < 0 ? undefined : pathIndex, identifier },
    focalPlane: Number.isNaN(height) ? undefined : { index: plane < 0 ? undefined : plane, zOffsetSlide: height },
  };
}

/** Undefined for a tile that is completely outside. */
function clip(
  { x, y }: { readonly x: number; readonly y: number },
  layout: SlideLayout,
  matrix: Matrix,
): TilePlace['rectangle'] {
  const left = Math.max(0, x);
  const top = Math.max(0, y);
  const right = Math.min(matrix.totalColumns, x + layout.tileColumns);
  const bottom = Math.min(matrix.totalRows, y + layout.tileRows);
  if (right <= left || bottom <= top) return undefined;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function onGrid(position: number, tile: number): number | undefined {
  return position >= 0 && position % tile === 0 ? position / tile : undefined;
}
