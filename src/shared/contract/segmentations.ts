import { type Static, Type, nullable } from './schema.ts';
import { Overlay, Segment } from './semantics.ts';

export const SegmentationResponse = Type.Object({
  file_index: Type.Integer(),
  segmentation_type: nullable(Type.String()),
  segmentation_fractional_type: nullable(Type.String()),
  maximum_fractional_value: nullable(Type.Integer()),
  frame_count: Type.Integer(),
  segments: Type.Array(Segment),
  overlay: Overlay,
  /** The source frames that have a mask, per file. */
  sources: Type.Array(Type.Object({ file_index: Type.Integer(), frame_indices: Type.Array(Type.Integer()) })),
  /** Slide images of its coordinate system, which it lies over as a whole. */
  slide_file_indices: Type.Array(Type.Integer()),
  /** Frames that could not be mapped to a source frame, one entry per reason. */
  unmapped: Type.Array(
    Type.Object({
      mapping_status: Type.Enum(['missing', 'ambiguous']),
      mapping_reason: Type.String(),
      frame_count: Type.Integer(),
      first_frame: Type.Integer(),
      segment_numbers: Type.Array(Type.Integer()),
    }),
  ),
  warnings: Type.Array(Type.String()),
});
export type SegmentationResponse = Static<typeof SegmentationResponse>;

const SourceFrame = Type.Object({ file_index: Type.Integer(), frame_index: Type.Integer() });

export const SegmentStatistics = Type.Object({
  number: Type.Integer(),
  voxel_count: Type.Number(),
  volume_mm3: nullable(Type.Number()),
  /** Number of frames that contain the segment. */
  frame_count: Type.Integer(),
  first_frame: nullable(Type.Integer()),
  last_frame: nullable(Type.Integer()),
  first_source: nullable(SourceFrame),
  last_source: nullable(SourceFrame),
  /** Number of truncated or damaged frames of the segment; for a label map, all such frames. */
  damaged_frames: Type.Integer(),
});
export type SegmentStatistics = Static<typeof SegmentStatistics>;

export const SegmentStatisticsResponse = Type.Object({
  file_index: Type.Integer(),
  /** What `voxel_count` counts. */
  counts: Type.Enum(['voxels', 'sum_of_fractions']),
  slice_spacing_mm: nullable(Type.Number()),
  slice_spacing_source: nullable(Type.Enum(['declared', 'plane_positions'])),
  /** Why there is no volume. */
  volume_reason: nullable(Type.String()),
  segments: Type.Array(SegmentStatistics),
  /** The source frame with the most voxels of all segments together. */
  fullest_source: nullable(SourceFrame),
  /** Number of truncated or damaged frames; if it is not 0, the numbers above are unreliable. */
  damaged_frames: Type.Integer(),
});
export type SegmentStatisticsResponse = Static<typeof SegmentStatisticsResponse>;
