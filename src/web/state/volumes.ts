import type { VolumeResponse } from '../../shared/contract/volumes.ts';
import type { PlaneSpace } from '../../shared/geometry.ts';
import type { PositionTable } from '../../shared/positionTable.ts';
import type { FrameAddress } from '../api/frames.ts';
import { createAnswers } from './answers.ts';
import { findFile, stackOf } from './library.ts';
import { loadChunk } from './loadChunk.ts';
import { definePart, type Page } from './page.ts';

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
  /** Unit of the modality values; empty if unknown. */
  readonly unit: string;
  readonly hasOneRescale: boolean;
  /**
   * A modality value of the volume times this is one of its stored frames. They differ for doses: planes are in Gray, and
   * the scaling of a stored frame is a mapping to real-world values.
   */
  readonly toFrameValue: number;
  /** What a user of the volume must know, such as missing slices. */
  readonly warnings: VolumeResponse['warnings'];
};

/** A volume, or why the stack is none. */
export type VolumeTold = StackVolume | { readonly refusal: string };

/** A volume, why the stack is none, or why that is unknown. */
export type VolumeAnswer = VolumeTold | { readonly error: Error };

/** By the first frame of the stack. While a stack that has grown is asked for again, the earlier answer is valid. */
export const volumesOf = definePart((page) =>
  createAnswers<FrameAddress, VolumeTold>(page, {
    async ask(address, signal) {
      const { askVolume } = await loadChunk(page, () => import('./askVolume.ts'));
      const [frameCount, file] = [countStackFrames(page, address), findFile(page, address.fileIndex)];
      return askVolume(page, { address, frameCount, file }, signal);
    },
    keyOf: ({ fileIndex, frame }) => `${fileIndex}/${frame}`,
    stateOf: (address) => countStackFrames(page, address),
  }),
);

export function findVolume(page: Page, address: FrameAddress): VolumeAnswer | undefined {
  const error = volumesOf(page).findError(address);
  return error === undefined ? volumesOf(page).find(address) : { error };
}

export function isVolume(answer: VolumeAnswer | undefined): answer is StackVolume {
  return answer !== undefined && 'table' in answer;
}

/** Asks the server once for each stack, and again after an error or when the stack has other frames. */
export async function loadVolume(page: Page, address: FrameAddress): Promise<VolumeAnswer> {
  const told = await volumesOf(page).load(address);
  return told ?? findVolume(page, address) ?? { error: new Error('the server was started again') };
}

/** The number of frames of the stack that a frame is in now. */
export function countStackFrames(page: Page, { fileIndex }: FrameAddress): number {
  const file = findFile(page, fileIndex);
  return file === undefined ? 0 : stackOf(page, file).frames.length;
}
