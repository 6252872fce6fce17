import { buildImagePlane, type ImagePlane, patientToPixel } from '../../shared/geometry.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { createSlideFiles } from '../wsi/slideFiles.ts';

/** `x' = scaleX x + shiftX`, and the same for y; (0, 0) is the centre of a first pixel. */
export type PixelMap = {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly shiftX: number;
  readonly shiftY: number;
};

/** Where the pixels of slide images lie, for layers on slides. */
export interface SlidePlaces {
  /** The files of all levels of the pyramid of a slide image, and the file itself. */
  listLevels(file: DicomFile): readonly DicomFile[];
  /** From pixels of one level to those of another one. Undefined if they are of different slides. */
  mapPixels(from: DicomFile, to: DicomFile): PixelMap | undefined;
}

export const SAME_PIXELS: PixelMap = { scaleX: 1, scaleY: 1, shiftX: 0, shiftY: 0 };

export function createSlidePlaces({ files }: Pick<Catalog, 'files'>): SlidePlaces {
  const slides = createSlideFiles(files);

  /** From pixels of a level to those of the largest one, as the page lays the levels over each other. */
  function toLargest(file: DicomFile): PixelMap | undefined {
    const { levels } = slides.familyOf(file);
    const level = levels.find((one) => one.files.some(({ index }) => index === file.index));
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
    listLevels(file) {
      const found = slides.familyOf(file).levels.flatMap((level) => level.files);
      return found.some(({ index }) => index === file.index) ? found : [file, ...found];
    },
    mapPixels(from, to) {
      if (from.index === to.index) return SAME_PIXELS;
      const { levels } = slides.familyOf(to);
      if (!levels.some((level) => level.files.some(({ index }) => index === from.index))) {
        return mapBySlide(from, to);
      }
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

export function isSlide({ objectKind, placement }: DicomFile): boolean {
  return objectKind === 'whole_slide_microscopy' && placement?.slide !== undefined;
}
