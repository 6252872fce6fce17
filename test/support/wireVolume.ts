import type { VolumeResponse } from '../../src/shared/contract/volumes.ts';
import type { StackVolume } from '../../src/web/kit/state/volumes.ts';

/** What the server says of a volume of HU, without holes. */
export function toVolumeResponse({ table, frames, times, ...volume }: StackVolume): VolumeResponse {
  return {
    volume: {
      file_index: volume.fileIndex,
      rows: table.rows,
      columns: table.columns,
      places: table.positionsMm.length,
      space: volume.space,
      frame_of_reference_uid: volume.spaceName ?? null,
      orientation: [...table.rowDirection, ...table.columnDirection],
      pixel_spacing_mm: [table.rowSpacingMm, table.columnSpacingMm],
      first_points: [...table.points],
      positions_mm: [...table.positionsMm],
      file_indices: [...frames.fileIndices],
      frame_indices: [...frames.frameIndices],
      first_rows: null,
      first_columns: null,
      spacing_mm: table.spacingMm,
      holes: [],
      tilt_degrees: 0,
      times: times.map((label) => ({ label, kind: 'unknown', value: null, unit: null })),
      sample: {
        kind: 'integer',
        bits: 16,
        signed: true,
        rescale: { slope: 1, intercept: 0 },
        unit: 'HU',
        is_real_world: false,
      },
      bytes: 0,
      storage: 'none',
      places_loaded: 0,
    },
    refusal: null,
    warnings: [],
  };
}
