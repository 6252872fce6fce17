import { type Static, Type } from 'typebox';
import { nullable } from './nullable.ts';
import { Reference } from './references.ts';

const Matrix = Type.Object({ rows: Type.Integer(), columns: Type.Integer() });

/** A rectangle of the total pixel matrix, from 0, clipped to it. */
const TileRectangle = Type.Object({
  x: Type.Integer(),
  y: Type.Integer(),
  width: Type.Integer(),
  height: Type.Integer(),
});

export const PyramidLevel = Type.Object({
  file_indices: Type.Array(Type.Integer()),
  rows: Type.Integer(),
  columns: Type.Integer(),
  tile_rows: Type.Integer(),
  tile_columns: Type.Integer(),
  mm_per_pixel: nullable(Type.Number()),
});
export type PyramidLevel = Static<typeof PyramidLevel>;

export const WsiCompanion = Type.Object({
  file_index: Type.Integer(),
  sop_instance_uid: Type.String(),
  image_type_role: nullable(Type.String()),
  pyramid_uid: nullable(Type.String()),
});
export type WsiCompanion = Static<typeof WsiCompanion>;

export const WsiContextResponse = Type.Object({
  source_file_index: Type.Integer(),
  frame_index: Type.Integer(),
  tile_frame_path: Type.String(),
  positioning_status: Type.Enum(['positioned', 'unavailable']),
  position_source: Type.Enum(['dicom_tiled_full_raster', 'declared_per_frame', 'unavailable']),
  tiling_status: Type.Enum(['full', 'sparse', 'unknown']),
  total_pixel_matrix: nullable(Matrix),
  tile_rectangle: nullable(TileRectangle),
  tile_row: nullable(Type.Integer()),
  tile_column: nullable(Type.Integer()),
  pyramid_uid: nullable(Type.String()),
  /** 0 is the largest level. */
  pyramid_level: nullable(Type.Integer()),
  pyramid_levels: Type.Array(PyramidLevel),
  optical_path: nullable(Type.Object({ index: nullable(Type.Integer()), identifier: nullable(Type.String()) })),
  focal_plane: nullable(Type.Object({ index: nullable(Type.Integer()), z_offset_slide: nullable(Type.Number()) })),
  image_type_role: nullable(Type.String()),
  companions: Type.Array(WsiCompanion),
  companions_truncated: Type.Boolean(),
  relationships: Type.Array(Reference),
  relationships_truncated: Type.Boolean(),
  reconstruction_claimed: Type.Literal(false),
  warnings: Type.Array(Type.String()),
});
export type WsiContextResponse = Static<typeof WsiContextResponse>;
