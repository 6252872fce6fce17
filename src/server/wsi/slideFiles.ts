import type { DicomFile } from '../catalog/dicomFile.ts';
import { isPart, orderParts } from '../series/concatenation.ts';
import { imageTypeRole, isPyramidLevel } from '../series/imageType.ts';
import { findLevelOffset, type LevelOffset, type PlacedLevel } from './levelOffset.ts';

export type PyramidLevel = {
  /** The parts of a concatenation in order, otherwise by index. */
  readonly files: readonly DicomFile[];
  readonly rows: number;
  readonly columns: number;
  readonly tileRows: number;
  readonly tileColumns: number;
  readonly mmPerPixel: number | undefined;
  /** For a level that shows a different area than the largest. */
  readonly offset: LevelOffset | undefined;
};

/** The images that belong to one slide image. */
export type SlideFamily = {
  /** Largest first. */
  readonly levels: readonly PyramidLevel[];
  /** Images of the same slide outside its pyramid, by index. */
  readonly companions: readonly DicomFile[];
};

/**
 * Finds the slide images that belong together. Keeps a list of them, so that a lookup does not iterate over all files.
 */
export function createSlideFiles(files: readonly DicomFile[]): { familyOf(file: DicomFile): SlideFamily } {
  const slides = new Map<string, DicomFile[]>();
  let taken = 0;

  function takeNew(): void {
    for (; taken < files.length; taken += 1) {
      const file = files[taken]!;
      if (file.objectKind !== 'whole_slide_microscopy' || !file.hasPixels) continue;
      const study = slides.get(file.studyInstanceUid);
      if (study === undefined) slides.set(file.studyInstanceUid, [file]);
      else study.push(file);
    }
  }

  return {
    familyOf(file) {
      takeNew();
      const others = slides.get(file.studyInstanceUid) ?? [];
      const pyramid: DicomFile[] = [];
      const companions: DicomFile[] = [];
      for (const other of others) {
        if (other === file || isSamePyramid(file, other)) pyramid.push(other);
        else if (isSameSlide(file, other)) companions.push(other);
      }
      return { levels: isPyramidLevel(file) ? buildLevels(pyramid) : [], companions };
    },
  };
}

/** By Pyramid UID; files without one by series, container and the role in their image type. */
function isSamePyramid(a: DicomFile, b: DicomFile): boolean {
  if (!isPyramidLevel(a) || !isPyramidLevel(b)) return false;
  const [left, right] = [a.placement?.slide, b.placement?.slide];
  if (left?.pyramidUid !== undefined || right?.pyramidUid !== undefined) return left?.pyramidUid === right?.pyramidUid;
  return (
    isSameSeries(a, b) &&
    left?.containerIdentifier === right?.containerIdentifier &&
    imageTypeRole(a.placement?.imageType) === imageTypeRole(b.placement?.imageType)
  );
}

function isSameSlide(a: DicomFile, b: DicomFile): boolean {
  const container = a.placement?.slide?.containerIdentifier ?? '';
  return isSameSeries(a, b) || (container !== '' && container === b.placement?.slide?.containerIdentifier);
}

function isSameSeries(a: DicomFile, b: DicomFile): boolean {
  return a.seriesInstanceUid !== '' && a.seriesInstanceUid === b.seriesInstanceUid;
}

/** Files of the same size form one level: its parts, or its optical paths. */
function buildLevels(pyramid: readonly DicomFile[]): PyramidLevel[] {
  const levels = new Map<string, DicomFile[]>();
  for (const file of pyramid) {
    const slide = file.placement?.slide;
    if (slide?.totalRows === undefined || slide.totalColumns === undefined) continue;
    const size = `${slide.totalRows}x${slide.totalColumns}`;
    levels.set(size, [...(levels.get(size) ?? []), file]);
  }
  const [largest, ...others] = [...levels.values()]
    .flatMap((files) => toLevel(files) ?? [])
    .toSorted((a, b) => b.rows * b.columns - a.rows * a.columns);
  if (largest === undefined) return [];
  const offsetOf = (level: Level) => findLevelOffset(toPlaced(level), toPlaced(largest));
  return [{ ...largest, offset: undefined }, ...others.map((level) => ({ ...level, offset: offsetOf(level) }))];
}

type Level = Omit<PyramidLevel, 'offset'>;

function toPlaced({ files, mmPerPixel }: Level): PlacedLevel {
  return { placement: files[0]?.placement?.slide, mmPerPixel };
}

function toLevel(files: readonly DicomFile[]): Level | undefined {
  const [first] = files;
  const slide = first?.placement?.slide;
  if (first === undefined || slide?.totalRows === undefined || slide.totalColumns === undefined) return undefined;
  const parts = files.filter(isPart);
  const { imagedVolumeWidthMm } = slide;
  const volumeMm = imagedVolumeWidthMm === undefined ? undefined : imagedVolumeWidthMm / slide.totalColumns;
  return {
    files: parts.length === files.length ? orderParts(parts) : files,
    rows: slide.totalRows,
    columns: slide.totalColumns,
    tileRows: first.rows,
    tileColumns: first.columns,
    mmPerPixel: first.pixelSpacingMm?.[1] ?? volumeMm,
  };
}
