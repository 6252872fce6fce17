import { addTo } from '../../../shared/addTo.ts';
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
export function createSlideFiles(files: readonly DicomFile[]): SlideFiles {
  const slides = new Map<string, DicomFile[]>();
  const pyramids = new Map<string, { readonly files: DicomFile[]; built: Pyramid | undefined }>();
  let taken = 0;

  function takeNew(): void {
    for (; taken < files.length; taken += 1) {
      const file = files[taken]!;
      if (file.objectKind !== 'whole_slide_microscopy' || !file.hasPixels) continue;
      addTo(slides, file.studyInstanceUid, file);
      const key = keyOfPyramid(file);
      if (key === undefined) continue;
      const pyramid = pyramids.get(key) ?? { files: [], built: undefined };
      pyramids.set(key, pyramid);
      pyramid.files.push(file);
      pyramid.built = undefined;
    }
  }

  function pyramidOf(file: DicomFile): Pyramid {
    takeNew();
    const pyramid = pyramids.get(keyOfPyramid(file) ?? '');
    if (pyramid === undefined) return NO_PYRAMID;
    pyramid.built ??= buildPyramid(pyramid.files);
    return pyramid.built;
  }

  return {
    pyramidOf,
    familyOf(file) {
      const pyramid = pyramidOf(file);
      const key = keyOfPyramid(file);
      const companions = (slides.get(file.studyInstanceUid) ?? []).filter(
        (other) =>
          other.index !== file.index && isSameSlide(file, other) && (key === undefined || keyOfPyramid(other) !== key),
      );
      return { levels: pyramid.levels, companions };
    },
  };
}

export interface SlideFiles {
  familyOf(file: DicomFile): SlideFamily;
  /** The same for the same pyramid, so that many files of it cost no more than one. */
  pyramidOf(file: DicomFile): Pyramid;
}

export type Pyramid = {
  /** Largest first. */
  readonly levels: readonly PyramidLevel[];
  /** By the index of a file. */
  readonly levelOf: ReadonlyMap<number, PyramidLevel>;
};

const NO_PYRAMID: Pyramid = { levels: [], levelOf: new Map() };

function buildPyramid(files: readonly DicomFile[]): Pyramid {
  const levels = buildLevels(files);
  const levelOf = new Map<number, PyramidLevel>();
  for (const level of levels) for (const { index } of level.files) levelOf.set(index, level);
  return { levels, levelOf };
}

/**
 * The same for files of one pyramid: by Pyramid UID, and without one by series, container and the role in their image
 * type. Undefined for what is no level of a pyramid.
 */
function keyOfPyramid(file: DicomFile): string | undefined {
  if (!isPyramidLevel(file)) return undefined;
  const { studyInstanceUid, seriesInstanceUid, placement, index } = file;
  const { pyramidUid, containerIdentifier } = placement?.slide ?? {};
  if (pyramidUid !== undefined) return JSON.stringify([studyInstanceUid, pyramidUid]);
  const series = seriesInstanceUid === '' ? index : seriesInstanceUid;
  const role = imageTypeRole(placement?.imageType);
  return JSON.stringify([studyInstanceUid, series, containerIdentifier ?? null, role ?? null]);
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
    addTo(levels, size, file);
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
