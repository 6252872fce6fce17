import type { ByteSource } from '../dicom/byteSource.ts';
import type { DataSet } from '../dicom/dataSet.ts';
import { type FrameGroupsOptions, readFrameGroups } from '../dicom/readFrameGroups.ts';

/** Where the attributes of one frame are looked up: its own functional groups, the shared ones, the top level. */
export type FrameAttributes = {
  /** Counts from 0. */
  readonly frame: number;
  readonly own: DataSet | undefined;
  readonly shared: DataSet | undefined;
  readonly dataSet: DataSet;
};

/** Every frame of an object, also of one without functional groups. */
export function* eachFrame(source: ByteSource, options: FrameGroupsOptions): Generator<FrameAttributes, void> {
  let next = 0;
  let around: Pick<FrameAttributes, 'shared' | 'dataSet'> | undefined;
  for (const { firstFrame, frames, shared, dataSet } of readFrameGroups(source, options)) {
    around ??= { shared, dataSet };
    for (const [at, own] of frames.entries()) {
      next = firstFrame + at;
      if (next >= options.frameCount) return;
      yield { ...around, frame: next, own };
      next += 1;
    }
  }
  if (around === undefined) return;
  for (; next < options.frameCount; next += 1) yield { ...around, frame: next, own: undefined };
}

/** The item of a macro that holds for a frame; undefined where it stands at the top level, or nowhere. */
export function findMacro({ own, shared }: FrameAttributes, macroSequence: number): DataSet | undefined {
  return own?.items(macroSequence)[0] ?? shared?.items(macroSequence)[0];
}
