import { mappingUnavailable, ViewerError } from '../../../shared/contract/errors.ts';
import { buildImagePlane, type ImagePlane, patientToPixel, pixelToPatient } from '../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { createSlideFiles, type Pyramid } from '../../images/wsi/slideFiles.ts';
import type { SlideTarget } from './layerProvider.ts';

/** `x' = scaleX x + shiftX`, and the same for y; (0, 0) is the centre of a first pixel. */
export type PixelMap = {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly shiftX: number;
  readonly shiftY: number;
};

/** Where the pixels of slide images lie, for layers on slides. */
export interface SlidePlaces {
  /** The files of all levels of the pyramids of slide images, and these themselves, each once. */
  listLevels(files: readonly DicomFile[]): readonly DicomFile[];
  /** From pixels of one level to those of another one. Undefined if they are of different slides. */
  mapPixels(from: DicomFile, to: DicomFile): PixelMap | undefined;
}

export const SAME_PIXELS: PixelMap = { scaleX: 1, scaleY: 1, shiftX: 0, shiftY: 0 };

export function createSlidePlaces(catalog: Pick<Catalog, 'files'>): SlidePlaces {
  const slides = createSlideFiles(catalog.files);

  /** From pixels of a level to those of the largest one, as the page lays the levels over each other. */
  function toLargest(file: DicomFile): PixelMap | undefined {
    const { levels, levelOf } = slides.pyramidOf(file);
    const level = levelOf.get(file.index);
    const [largest] = levels;
    if (level === undefined || largest === undefined) return undefined;
    const bySpacing =
      level.mmPerPixel === undefined || largest.mmPerPixel === undefined
        ? undefined
        : level.mmPerPixel / largest.mmPerPixel;
    if (level.offset !== undefined && bySpacing !== undefined) {
      return toMap(bySpacing, bySpacing, level.offset.columns, level.offset.rows);
    }
    return toMap(largest.columns / level.columns, largest.rows / level.rows, 0, 0);
  }

  return {
    listLevels(files) {
      const found = new Map<number, DicomFile>();
      const pyramids = new Set<Pyramid>();
      for (const file of files) {
        const pyramid = slides.pyramidOf(file);
        if (!pyramid.levelOf.has(file.index)) found.set(file.index, file);
        if (pyramids.has(pyramid)) continue;
        pyramids.add(pyramid);
        for (const level of pyramid.levels) for (const one of level.files) found.set(one.index, one);
      }
      return [...found.values()];
    },
    mapPixels(from, to) {
      if (from.index === to.index) return SAME_PIXELS;
      if (!slides.pyramidOf(to).levelOf.has(from.index)) return mapBySlide(from, to);
      const [up, down] = [toLargest(from), toLargest(to)];
      if (up === undefined || down === undefined) return undefined;
      return {
        scaleX: up.scaleX / down.scaleX,
        scaleY: up.scaleY / down.scaleY,
        shiftX: (up.shiftX - down.shiftX) / down.scaleX,
        shiftY: (up.shiftY - down.shiftY) / down.scaleY,
      };
    },
  };
}

/** Offsets are those of corners; in pixel maps, (0, 0) is the centre of the first pixel. */
function toMap(scaleX: number, scaleY: number, offsetX: number, offsetY: number): PixelMap {
  return { scaleX, scaleY, shiftX: offsetX + (scaleX - 1) / 2, shiftY: offsetY + (scaleY - 1) / 2 };
}

/** Another image of the same slide: by the coordinates of the slide, if both run in the same directions. */
function mapBySlide(from: DicomFile, to: DicomFile): PixelMap | undefined {
  const [own, other] = [findSlidePlane(from), findSlidePlane(to)];
  if (own === undefined || other === undefined) return undefined;
  if (from.frameOfReferenceUid === undefined || from.frameOfReferenceUid !== to.frameOfReferenceUid) return undefined;
  if (String(from.placement?.slide?.orientation) !== String(to.placement?.slide?.orientation)) return undefined;
  const { column, row } = patientToPixel(other, own.position);
  return {
    scaleX: own.columnSpacingMm / other.columnSpacingMm,
    scaleY: own.rowSpacingMm / other.rowSpacingMm,
    shiftX: column,
    shiftY: row,
  };
}

/** The total pixel matrix in the coordinates of the slide, whose third axis is the height above the glass. */
export function findSlidePlane({ placement, pixelSpacingMm }: DicomFile): ImagePlane | undefined {
  const { originMm, orientation } = placement?.slide ?? {};
  if (originMm === undefined || orientation === undefined) return undefined;
  const [rowX, rowY, columnX, columnY] = orientation;
  return buildImagePlane([...originMm, 0], [rowX, rowY, 0, columnX, columnY, 0], pixelSpacingMm);
}

/** Size of the picture that a frame is, or is a tile of. */
export function pictureSizeOf(file: DicomFile): { readonly rows: number; readonly columns: number } {
  const { totalRows = file.rows, totalColumns = file.columns } = (isSlide(file) && file.placement?.slide) || {};
  return { rows: totalRows, columns: totalColumns };
}

export const UNPLACED_SLIDE = 'the slide does not declare its position in its coordinate system';

/** A slide whose total pixel matrix has a position. Throws the reason if it has none. */
export function requireSlidePlane(slide: DicomFile | undefined): {
  readonly slide: DicomFile;
  readonly plane: ImagePlane;
} {
  if (slide === undefined || !isSlide(slide)) throw mappingUnavailable('the layer lies on no open slide');
  const plane = findSlidePlane(slide);
  if (plane === undefined) throw mappingUnavailable(UNPLACED_SLIDE);
  return { slide, plane };
}

const MOST_SAMPLES = 2 ** 22;

/** The samples of a part of a slide: each is the middle of `pixel` times `pixel` pixels. Throws `bad_request`. */
export function gridOfPart(plane: ImagePlane, { x, y, width, height, pixel }: SlideTarget): PlaneGrid {
  const [rows, columns] = [Math.max(1, Math.round(height / pixel)), Math.max(1, Math.round(width / pixel))];
  if (rows * columns > MOST_SAMPLES) {
    throw new ViewerError('bad_request', `a part of ${columns} x ${rows} samples is larger than ${MOST_SAMPLES}`);
  }
  const middle = (pixel - 1) / 2;
  return {
    ...plane,
    position: pixelToPatient(plane, { row: y + middle, column: x + middle }),
    rowSpacingMm: plane.rowSpacingMm * pixel,
    columnSpacingMm: plane.columnSpacingMm * pixel,
    rows,
    columns,
  };
}

export function isSlide({ objectKind, placement }: DicomFile): boolean {
  return objectKind === 'whole_slide_microscopy' && placement?.slide !== undefined;
}
