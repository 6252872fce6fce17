import { hasSameOrientation, type ImagePlane, patientToPixel, pixelToPatient } from '../../../shared/geometry.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { type FrameGeometry, listOrientations } from '../../standard/geometry/frameGeometry.ts';
import { findSlidePlane, isSlide } from './slidePlaces.ts';

/** The tiles of a segmentation or of a map over the pixels of a slide. */
export type AlignedTiles = {
  readonly slide: DicomFile;
  readonly geometry: FrameGeometry;
  /** Distance of the declared origin from the place where the tiles are drawn, in pixels of the object. */
  readonly originDistancePx: number;
};

const SAME_ORIENTATION = 1e-3;
/** Some writers count the pixels of the matrix from 1 where the standard counts from 0, or the other way round. */
const SAME_ORIGIN_PX = 1.5;

/**
 * Lays the tiles of an object over a slide that has the same total pixel matrix: there, rows and columns are exact,
 * and offsets in millimetres, which some writers compute wrongly, are not used. The matrix is the same if its size is that
 * of the slide or that of the slide divided by a whole number, and if it begins at the same place, which is taken for
 * granted if the object names the slide and their sizes are equal. Undefined if no slide has the same matrix.
 */
export function alignTiles(
  geometry: FrameGeometry,
  slides: readonly DicomFile[],
  isNamed: (slide: DicomFile) => boolean,
): AlignedTiles | undefined {
  if (geometry.tiles === undefined) return undefined;
  let best: (AlignedTiles & { readonly ratio: number }) | undefined;
  for (const slide of slides) {
    const aligned = alignWith(geometry, slide, isNamed(slide));
    if (aligned === undefined) continue;
    if (best === undefined || rank(aligned, isNamed) < rank(best, isNamed)) best = aligned;
  }
  return best;
}

/** The image of the same resolution before others, and among these the named one. */
function rank(
  { ratio, slide }: AlignedTiles & { readonly ratio: number },
  isNamed: (slide: DicomFile) => boolean,
): number {
  return 2 * ratio + (isNamed(slide) ? 0 : 1);
}

function alignWith(geometry: FrameGeometry, slide: DicomFile, isNamed: boolean) {
  const { tiles, frameOfReferenceUid } = geometry;
  const plane = findSlidePlane(slide);
  const [orientation, ...others] = listOrientations(geometry);
  if (tiles === undefined || plane === undefined || !isSlide(slide)) return undefined;
  if (orientation === undefined || others.length > 0 || frameOfReferenceUid === undefined) return undefined;
  if (slide.frameOfReferenceUid !== frameOfReferenceUid) return undefined;
  if (!hasSameOrientation(orientation, plane, SAME_ORIENTATION)) return undefined;
  const ratio = findRatio(tiles, slide);
  if (ratio === undefined) return undefined;
  const matrix = coarsen(plane, ratio);
  const originDistancePx = tiles.originMm === undefined ? 0 : distancePx(matrix, plane, tiles.originMm);
  if (originDistancePx > SAME_ORIGIN_PX && !(isNamed && ratio === 1)) return undefined;
  return { slide, geometry: { ...geometry, tiles: { ...tiles, matrix } }, originDistancePx, ratio };
}

/** How many pixels of the slide one of the object has on each side. */
function findRatio(
  { totalRows, totalColumns }: { readonly totalRows: number; readonly totalColumns: number },
  { placement }: DicomFile,
): number | undefined {
  const { totalRows: rows = 0, totalColumns: columns = 0 } = placement?.slide ?? {};
  const ratio = rows / totalRows;
  return ratio >= 1 && Number.isInteger(ratio) && ratio * totalColumns === columns ? ratio : undefined;
}

/** The matrix of pixels that are `ratio` times as large; its first pixel has the corner of the first one. */
function coarsen(plane: ImagePlane, ratio: number): ImagePlane {
  const middle = (ratio - 1) / 2;
  return {
    ...plane,
    position: pixelToPatient(plane, { row: middle, column: middle }),
    rowSpacingMm: plane.rowSpacingMm * ratio,
    columnSpacingMm: plane.columnSpacingMm * ratio,
  };
}

/** Writers of levels declare as the origin either the middle of the first pixel or that of the largest level. */
function distancePx(matrix: ImagePlane, finest: ImagePlane, [x, y]: readonly [number, number]): number {
  const { row, column } = patientToPixel(matrix, [x, y, 0]);
  const of = patientToPixel(matrix, finest.position);
  return Math.min(
    Math.max(Math.abs(row), Math.abs(column)),
    Math.max(Math.abs(row - of.row), Math.abs(column - of.column)),
  );
}
