import { type Static, Type, nullable } from './schema.ts';
import { Reference } from './references.ts';

const Matrix = Type.Object({ rows: Type.Integer(), columns: Type.Integer() });

/** A rectangle of the total pixel matrix, from 0, clipped to the matrix. */
const TileRectangle = Type.Object({
  x: Type.Integer(),
  y: Type.Integer(),
  width: Type.Integer(),
  height: Type.Integer(),
});

export const WirePyramidLevel = Type.Object({
  file_indices: Type.Array(Type.Integer()),
  rows: Type.Integer(),
  columns: Type.Integer(),
  tile_rows: Type.Integer(),
  tile_columns: Type.Integer(),
  mm_per_pixel: nullable(Type.Number()),
  /**
   * Position of its first sample, in samples of the largest level, if its Total Pixel Matrix Origin shows that it
   * covers a different area. Null if it covers the same area or does not say.
   */
  offset: nullable(Type.Object({ columns: Type.Number(), rows: Type.Number() })),
});
export type WirePyramidLevel = Static<typeof WirePyramidLevel>;

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
  pyramid_levels: Type.Array(WirePyramidLevel),
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

/** The layout of all frames of a slide image over its total pixel matrix. */
export const WsiTilesResponse = Type.Object({
  source_file_index: Type.Integer(),
  tiling_status: Type.Enum(['full', 'sparse', 'unknown']),
  total_pixel_matrix: nullable(Matrix),
  tile_rows: Type.Integer(),
  tile_columns: Type.Integer(),
  frame_count: Type.Integer(),
  /** In file order; at least one. */
  optical_paths: Type.Array(
    Type.Object({
      identifier: nullable(Type.String()),
      description: nullable(Type.String()),
      /** Objective Lens Power, such as 40. */
      objective_power: nullable(Type.Number()),
      /** Wavelength of the illumination, in nanometres. */
      wavelength_nm: nullable(Type.Number()),
    }),
  ),
  /** Sorted by height above the glass, in micrometres; at least one. */
  focal_planes: Type.Array(Type.Object({ z_offset_slide: nullable(Type.Number()) })),
  /** The color that the file recommends where it has no tile. */
  absent_pixel_rgb: nullable(Type.Array(Type.Integer(), { minItems: 3, maxItems: 3 })),
  /**
   * TILED_FULL: the tile in a column and row of the grid, counted from 0, is frame `((optical path x focal planes +
   * focal plane) x tiles_down + row) x tiles_across + column - frame_offset`.
   */
  raster: nullable(
    Type.Object({ frame_offset: Type.Integer(), tiles_across: Type.Integer(), tiles_down: Type.Integer() }),
  ),
  /**
   * If the file gives the position of each frame: columns with one entry per frame. `x` and `y` are those of the top
   * left sample, counted from 0; null for a frame without a position. The other two are indices into the lists above,
   * with -1 for a frame that does not say, and are null if all frames belong to the first entry.
   */
  tiles: nullable(
    Type.Object({
      x: Type.Array(nullable(Type.Number())),
      y: Type.Array(nullable(Type.Number())),
      optical_path: nullable(Type.Array(Type.Integer())),
      focal_plane: nullable(Type.Array(Type.Integer())),
    }),
  ),
});
export type WsiTilesResponse = Static<typeof WsiTilesResponse>;
