import { dicomCielabToRgb } from '../../../../shared/cielab.ts';
import type { WsiContextResponse, WsiTilesResponse } from '../../../../shared/contract/wsi.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { FileReferences, ResolvedReference } from '../../../images/references/references.ts';
import { imageTypeRole } from '../../../images/series/imageType.ts';
import { closeObject, openObject, writeArray } from '../../../machine/workers/jsonPieces.ts';
import type { SlideContext } from '../../../images/wsi/slideContext.ts';
import type { PyramidLevel } from '../../../images/wsi/slideFiles.ts';
import type { DeclaredFrames, SlideLayout } from '../../../images/wsi/slideLayout.ts';
import { parsePathNumber } from '../parseRequest.ts';
import { sendJsonTexts } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { writeReferences } from './writeReferences.ts';

const MOST_COMPANIONS = 64;
const MOST_RELATIONSHIPS = 128;

export function wsiRoutes({ catalog, slides, references }: ServerContext) {
  const wsiContext: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const frame = parsePathNumber(c, 'frame');
    const file = catalog.get(index);
    const { signal } = c;
    const context = await slides.read(file, frame, signal);
    const declared = await references.read(file, { signal });
    return sendJsonTexts(c, writeContext({ file, frame, context, declared }));
  };
  const wsiTiles: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const layout = await slides.readLayout(file, c.signal);
    return sendJsonTexts(c, writeTiles(file, layout));
  };
  return { wsiContext, wsiTiles };
}

type Answer = {
  readonly file: DicomFile;
  readonly frame: number;
  readonly context: SlideContext;
  readonly declared: FileReferences;
};

/** A reference can list all frames of a large slide. */
function* writeContext(answer: Answer): Generator<string> {
  yield `${openObject(toWsiContext(answer))},"relationships":`;
  const { declared } = answer;
  const isCut = yield* writeReferences(takeSome(declared));
  const truncated = isCut || declared.truncated || declared.length > MOST_RELATIONSHIPS;
  yield closeObject({ relationships_truncated: truncated });
}

function toWsiContext({
  file,
  frame,
  context,
}: Answer): Omit<WsiContextResponse, 'relationships' | 'relationships_truncated'> {
  const { layout, place, family } = context;
  const { totalRows, totalColumns } = layout;
  return {
    source_file_index: file.index,
    frame_index: frame,
    tile_frame_path: `/api/file/${file.index}/frame/${frame}`,
    positioning_status: place.rectangle === undefined ? 'unavailable' : 'positioned',
    position_source: place.positionSource,
    tiling_status: layout.tiling,
    total_pixel_matrix:
      totalRows === undefined || totalColumns === undefined ? null : { rows: totalRows, columns: totalColumns },
    tile_rectangle: place.rectangle ?? null,
    tile_row: place.tileRow ?? null,
    tile_column: place.tileColumn ?? null,
    pyramid_uid: file.placement?.slide?.pyramidUid ?? null,
    pyramid_level: context.level ?? null,
    pyramid_levels: family.levels.map(toLevel),
    optical_path: place.opticalPath
      ? { index: place.opticalPath.index ?? null, identifier: place.opticalPath.identifier ?? null }
      : null,
    focal_plane: place.focalPlane
      ? { index: place.focalPlane.index ?? null, z_offset_slide: place.focalPlane.zOffsetSlide ?? null }
      : null,
    image_type_role: context.imageTypeRole ?? null,
    companions: family.companions.slice(0, MOST_COMPANIONS).map(toCompanion),
    companions_truncated: family.companions.length > MOST_COMPANIONS,
    reconstruction_claimed: false,
    warnings: [...context.warnings],
  };
}

function toLevel(level: PyramidLevel): WsiContextResponse['pyramid_levels'][number] {
  return {
    file_indices: level.files.map(({ index }) => index),
    rows: level.rows,
    columns: level.columns,
    tile_rows: level.tileRows,
    tile_columns: level.tileColumns,
    mm_per_pixel: level.mmPerPixel ?? null,
    offset: level.offset ?? null,
  };
}

function toCompanion({ index, sopInstanceUid, placement }: DicomFile): WsiContextResponse['companions'][number] {
  return {
    file_index: index,
    sop_instance_uid: sopInstanceUid,
    image_type_role: imageTypeRole(placement?.imageType) ?? null,
    pyramid_uid: placement?.slide?.pyramidUid ?? null,
  };
}

function* takeSome(declared: FileReferences): Generator<ResolvedReference> {
  let taken = 0;
  for (const reference of declared) {
    if (taken === MOST_RELATIONSHIPS) return;
    taken += 1;
    yield reference;
  }
}

/** The layout as JSON. A slide can have a million tiles with individual positions. */
function* writeTiles(file: DicomFile, layout: SlideLayout): Generator<string> {
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
  const planeOf = new Map(planes.map((height, at) => [height, String(at)]));
  yield* planes.length < 2 ? ['null'] : writeArray(frames.z, (height) => planeOf.get(height) ?? '-1');
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
  if (frames === undefined) return Array.from({ length: layout.opticalPathCount }, (_, at) => described[at] ?? UNNAMED);
  const isDescribed = new Set(opticalPathIdentifiers);
  const others = frames.pathNames.filter((name) => !isDescribed.has(name));
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
  // The first of those that share an identifier.
  const places = new Map(paths.map(({ identifier }, at) => [identifier, at] as const).toReversed());
  const byName = pathNames.map((name) => places.get(name) ?? -1);
  // A frame need not name its path if there is only one.
  const unnamed = opticalPathIdentifiers.length === 1 ? 0 : -1;
  return (name: number) => String(name < 0 ? unnamed : (byName[name] ?? -1));
}

function toPosition(position: number): string {
  return Number.isNaN(position) ? 'null' : String(position);
}
