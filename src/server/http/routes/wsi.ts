import type { WsiContextResponse } from '../../../shared/contract/wsi.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import type { FileReferences, ResolvedReference } from '../../references/references.ts';
import type { PyramidLevel } from '../../wsi/slideFiles.ts';
import type { SlideContext } from '../../wsi/slideContext.ts';
import { imageTypeRole } from '../../series/imageType.ts';
import { closeObject, openObject } from '../../workers/jsonPieces.ts';
import { parsePathNumber } from '../parsePath.ts';
import { sendJsonTexts } from '../sendJson.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';
import { writeReferences } from './writeReferences.ts';
import { writeTiles } from './wsiTiles.ts';

const MOST_COMPANIONS = 64;
const MOST_RELATIONSHIPS = 128;

export function wsiRoutes({ catalog, slides, references }: ServerContext) {
  const wsiContext: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const frame = parsePathNumber(c, 'frame');
    const file = catalog.get(index);
    const { signal } = c.req.raw;
    const context = await slides.read(file, frame, signal);
    const declared = await references.read(file, { signal });
    return sendJsonTexts(c, writeContext({ file, frame, context, declared }));
  };
  const wsiTiles: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const layout = await slides.readLayout(file, c.req.raw.signal);
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
