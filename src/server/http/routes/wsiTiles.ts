import { dicomCielabToRgb } from '../../../shared/cielab.ts';
import type { WsiTilesResponse } from '../../../shared/contract/wsi.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import { openObject, writeArray } from '../../workers/jsonPieces.ts';
import type { DeclaredFrames, SlideLayout } from '../../wsi/slideLayout.ts';

/** The layout as JSON. A slide can have a million tiles with individual positions. */
export function* writeTiles(file: DicomFile, layout: SlideLayout): Generator<string> {
  const { frames } = layout;
  const paths = listPaths(layout);
  const planes = listPlanes(layout);
  yield `${openObject(toHead(file, layout, { paths, planes }))},"tiles":`;
  if (frames === undefined) {
    yield 'null}';
    return;
  }
  yield '{"x":';
  yield* writeArray(frames.x, toPosition);
  yield ',"y":';
  yield* writeArray(frames.y, toPosition);
  yield ',"optical_path":';
  yield* paths.length < 2 ? ['null'] : writeArray(frames.pathOf, pathIndexer(layout, frames, paths));
  yield ',"focal_plane":';
  yield* planes.length < 2 ? ['null'] : writeArray(frames.z, (height) => String(planes.indexOf(height)));
  yield '}}';
}

type Choices = { readonly paths: readonly Path[]; readonly planes: readonly (number | undefined)[] };
type Path = {
  readonly identifier: string;
  readonly description: string;
  readonly objectivePower: number;
  readonly wavelengthNm: number;
};

function toHead(file: DicomFile, layout: SlideLayout, { paths, planes }: Choices): Omit<WsiTilesResponse, 'tiles'> {
  const { totalRows, totalColumns, tileRows, tileColumns, absentPixelCielab } = layout;
  const matrix =
    totalRows === undefined || totalColumns === undefined ? null : { rows: totalRows, columns: totalColumns };
  return {
    source_file_index: file.index,
    tiling_status: layout.tiling,
    total_pixel_matrix: matrix,
    tile_rows: tileRows,
    tile_columns: tileColumns,
    frame_count: file.frameCount,
    optical_paths: paths.map(({ identifier, description, objectivePower, wavelengthNm }) => ({
      identifier: identifier || null,
      description: description || null,
      objective_power: objectivePower || null,
      wavelength_nm: wavelengthNm || null,
    })),
    focal_planes: planes.map((height) => ({ z_offset_slide: height ?? null })),
    absent_pixel_rgb: absentPixelCielab === undefined ? null : [...dicomCielabToRgb(absentPixelCielab)],
    raster:
      matrix === null || layout.frames !== undefined
        ? null
        : {
            frame_offset: layout.frameOffset,
            tiles_across: Math.ceil(matrix.columns / tileColumns),
            tiles_down: Math.ceil(matrix.rows / tileRows),
          },
  };
}

/** A raster declares its number of paths. Frames may name paths that the file does not describe. */
function listPaths(layout: SlideLayout): readonly Path[] {
  const { opticalPathIdentifiers, opticalPathDescriptions, frames } = layout;
  const described = opticalPathIdentifiers.map((identifier, at) => ({
    identifier,
    description: opticalPathDescriptions[at] ?? '',
    objectivePower: layout.objectivePowers[at] ?? NaN,
    wavelengthNm: layout.wavelengthsNm[at] ?? NaN,
  }));
  if (frames === undefined) {
    return Array.from({ length: layout.opticalPathCount }, (_, at) => described[at] ?? UNNAMED);
  }
  const others = frames.pathNames.filter((name) => !opticalPathIdentifiers.includes(name));
  const all = [...described, ...others.map((identifier) => ({ ...UNNAMED, identifier }))];
  return all.length === 0 ? [UNNAMED] : all;
}

const UNNAMED: Path = { identifier: '', description: '', objectivePower: NaN, wavelengthNm: NaN };

function listPlanes({ frames, ...layout }: SlideLayout): readonly (number | undefined)[] {
  if (frames !== undefined) return frames.focalPlanesUm.length === 0 ? [undefined] : frames.focalPlanesUm;
  const { focalPlaneCount, firstFocalPlaneUm, focalPlaneDistanceUm } = layout;
  if (focalPlaneCount === 1) return [firstFocalPlaneUm];
  return Array.from({ length: focalPlaneCount }, (_, at) =>
    focalPlaneDistanceUm === undefined ? undefined : firstFocalPlaneUm + at * focalPlaneDistanceUm,
  );
}

function pathIndexer({ opticalPathIdentifiers }: SlideLayout, { pathNames }: DeclaredFrames, paths: readonly Path[]) {
  const byName = pathNames.map((name) => paths.findIndex(({ identifier }) => identifier === name));
  // A frame need not name its path if there is only one.
  const unnamed = opticalPathIdentifiers.length === 1 ? 0 : -1;
  return (name: number) => String(name < 0 ? unnamed : (byName[name] ?? -1));
}

function toPosition(position: number): string {
  return Number.isNaN(position) ? 'null' : String(position);
}
