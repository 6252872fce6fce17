import type { FileRecord } from '../../shared/contract/files.ts';
import { RT_DOSE_STORAGE } from '../../shared/contract/layers.ts';
import type { VolumeResponse } from '../../shared/contract/volumes.ts';
import { buildOrientation } from '../../shared/geometry.ts';
import { nameSpace } from '../../shared/spaceName.ts';
import { fetchVolume } from '../api/volumes.ts';
import type { Page } from './page.ts';
import { noteVolumeProgress } from './volumeProgress.ts';
import type { StackVolume, VolumeTold } from './volumes.ts';

type Filled = Pick<StackVolume, 'address' | 'frameCount'> & { readonly file: FileRecord | undefined };

/** Asks for the volume that the stack of a frame fills. */
export async function askVolume(page: Page, filled: Filled, signal: AbortSignal): Promise<VolumeTold> {
  const response = await fetchVolume(filled.address, signal);
  if (response.volume !== null && !signal.aborted) noteVolumeProgress(page, { ...response.volume, time: 0 });
  return toStackVolume(filled, response);
}

/** The description as the server sends it, with its table of slices. */
function toStackVolume(
  { address, frameCount, file }: Filled,
  { volume, refusal, warnings }: VolumeResponse,
): VolumeTold {
  const orientation = buildOrientation(volume?.orientation);
  if (volume === null || orientation === undefined) {
    return { refusal: refusal?.message ?? 'the orientation of its images is unknown' };
  }
  const positionsMm = Float64Array.from(volume.positions_mm);
  const isHole = Uint8Array.from({ length: positionsMm.length - 1 }, (_, gap) => {
    const middle = (positionsMm[gap]! + positionsMm[gap + 1]!) / 2;
    return Number(volume.holes.some(([from, to]) => from <= middle && middle <= to));
  });
  return {
    address,
    fileIndex: volume.file_index,
    frameCount,
    table: {
      ...orientation,
      rows: volume.rows,
      columns: volume.columns,
      rowSpacingMm: volume.pixel_spacing_mm[0],
      columnSpacingMm: volume.pixel_spacing_mm[1],
      positionsMm,
      points: Float64Array.from(volume.first_points),
      isHole,
      spacingMm: volume.spacing_mm,
    },
    space: volume.space,
    spaceName: nameSpace(volume.frame_of_reference_uid, file?.series_instance_uid),
    times: volume.times.length === 0 ? [''] : volume.times.map(({ label }) => label),
    frames: { fileIndices: volume.file_indices, frameIndices: volume.frame_indices },
    timeValues: volume.times.every(({ value }) => value !== null) ? volume.times.map(({ value }) => value ?? 0) : [],
    unit: volume.sample.unit,
    hasOneRescale: volume.sample.rescale !== null,
    toFrameValue: file?.sop_class_uid === RT_DOSE_STORAGE ? 1 / (volume.sample.rescale?.slope ?? 1) : 1,
    warnings,
  };
}
