import { RT_DOSE_STORAGE } from '../../../shared/contract/layers.ts';
import type { VolumeResponse } from '../../../shared/contract/volumes.ts';
import { buildOrientation, type PlaneSpace } from '../../../shared/geometry.ts';
import type { PositionTable } from '../../../shared/positionTable.ts';
import { nameSpace } from '../../../shared/spaceName.ts';
import type { FrameAddress } from '../api/frames.ts';
import { fetchVolume } from '../api/volumes.ts';
import { createAnswers } from './answers.ts';
import { findFile, libraryOf, stackOf } from './library.ts';
import { definePart, type Page } from './page.ts';
import { noteVolumeProgress } from './volumeProgress.ts';

/** The volume that a stack fills. */
export type StackVolume = {
  /** The first frame of its stack, by which the server is asked. */
  readonly address: FrameAddress;
  /** The file of its first place at the first time, by which the server reports its loading. */
  readonly fileIndex: number;
  /** Frames that the stack had when the server was asked. If it has others now, the volume is another one. */
  readonly frameCount: number;
  readonly table: PositionTable;
  readonly space: PlaneSpace;
  /** Its coordinates, by the name of `nameSpace`. */
  readonly spaceName: string | undefined;
  /** Labels of its times; one empty label if there is only one time. */
  readonly times: readonly string[];
  /** The stored frame of each place, time after time. */
  readonly frames: { readonly fileIndices: readonly number[]; readonly frameIndices: readonly number[] };
  /** When the times are, in their own unit; empty if that is not known of all of them. */
  readonly timeValues: readonly number[];
  /** Unit of the modality values, or of the real-world values; empty if unknown. */
  readonly unit: string;
  /** Its samples are real-world values, which its frames declare one by one. */
  readonly isRealWorld: boolean;
  readonly hasOneRescale: boolean;
  /**
   * A modality value of the volume times this is one of its stored frames. They differ for doses: planes are in Gray, and
   * the scaling of a stored frame is a mapping to real-world values.
   */
  readonly toFrameValue: number;
  /** What a user of the volume must know, such as missing slices. */
  readonly warnings: VolumeResponse['warnings'];
};

/** Why a stack is no volume. */
export type NoVolume = { readonly refusal: string };

/** A volume, why the stack is none, or why that is unknown. */
export type VolumeAnswer = StackVolume | NoVolume | { readonly error: Error };

/**
 * By the first frame of the stack. Asked again when the stack has other frames; until the answer comes, the earlier one is
 * valid.
 */
export const volumesOf = definePart((page) =>
  createAnswers<FrameAddress, StackVolume | NoVolume>(page, {
    async ask(address, signal) {
      const frameCount = countStackFrames(page, address);
      const response = await fetchVolume(address, signal);
      if (response.volume !== null) noteVolumeProgress(page, { ...response.volume, time: 0 });
      return toStackVolume(address, response, {
        frameCount,
        isDose: isDose(page, address),
        seriesInstanceUid: findFile(page, address.fileIndex)?.series_instance_uid,
      });
    },
    keyOf: ({ fileIndex, frame }) => `${fileIndex}/${frame}`,
    stateOf: (address) => countStackFrames(page, address),
  }),
);

export function findVolume(page: Page, address: FrameAddress): VolumeAnswer | undefined {
  const error = volumesOf(page).findError(address);
  return volumesOf(page).find(address) ?? (error && { error });
}

export function isVolume(answer: VolumeAnswer | undefined): answer is StackVolume {
  return answer !== undefined && 'table' in answer;
}

/** Asks the server once for each stack, and again after an error. */
export async function loadVolume(page: Page, address: FrameAddress): Promise<VolumeAnswer> {
  await volumesOf(page).load(address);
  return findVolume(page, address) ?? { error: new Error('the server was restarted') };
}

/** The description as the server sends it, with its table of slices. */
export function toStackVolume(
  address: FrameAddress,
  { volume, refusal, warnings }: VolumeResponse,
  {
    frameCount,
    isDose: isOfDose,
    seriesInstanceUid,
  }: { readonly frameCount: number; readonly isDose: boolean; readonly seriesInstanceUid: string | undefined },
): StackVolume | NoVolume {
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
    spaceName: nameSpace(volume.frame_of_reference_uid, seriesInstanceUid),
    times: volume.times.length === 0 ? [''] : volume.times.map(({ label }) => label),
    frames: { fileIndices: volume.file_indices, frameIndices: volume.frame_indices },
    timeValues: volume.times.every(({ value }) => value !== null) ? volume.times.map(({ value }) => value ?? 0) : [],
    unit: volume.sample.unit,
    isRealWorld: volume.sample.is_real_world,
    hasOneRescale: volume.sample.rescale !== null,
    toFrameValue: isOfDose ? 1 / (volume.sample.rescale?.slope ?? 1) : 1,
    warnings,
  };
}

function isDose(page: Page, { fileIndex }: FrameAddress): boolean {
  return findFile(page, fileIndex)?.sop_class_uid === RT_DOSE_STORAGE;
}

/**
 * The number of frames of the stack that a frame is in now. A file with several frames may be one volume with others of its
 * series, so all frames of the series count.
 */
function countStackFrames(page: Page, { fileIndex }: FrameAddress): number {
  const file = findFile(page, fileIndex);
  if (file === undefined) return 0;
  const own = stackOf(page, file);
  if (file.frame_count < 2 || own.seriesUid === undefined) return own.frames.length;
  let count = 0;
  for (const { seriesUid, studyUid, frames } of libraryOf(page).getState().stacks.values()) {
    if (seriesUid === own.seriesUid && studyUid === own.studyUid) count += frames.length;
  }
  return count;
}
