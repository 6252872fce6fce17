import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import type { Attributes, DataSet } from './dataSet.ts';
import { type FrameGroupsOptions, readFrameGroups } from './readFrameGroups.ts';
import { PerFrameFunctionalGroupsSequence, SharedFunctionalGroupsSequence } from './tag.ts';

/**
 * Where the attributes of one frame are looked up: in its own functional groups, in the shared ones, at the top level.
 */
export type FrameAttributes = {
  /** Counts from 0. */
  readonly frame: number;
  readonly own: DataSet | undefined;
  readonly shared: DataSet | undefined;
  readonly dataSet: Attributes;
};

/** Yields every frame of an object, including objects without functional groups. */
export function* eachFrame(source: ByteSource, options: FrameGroupsOptions): Generator<FrameAttributes, void> {
  let next = 0;
  let around: Pick<FrameAttributes, 'shared' | 'dataSet'> | undefined;
  for (const { firstFrame, frames, shared, dataSet } of readFrameGroups(source, options)) {
    around ??= { shared, dataSet };
    for (const [at, own] of frames.entries()) {
      next = firstFrame + at;
      if (next >= options.frameCount) return;
      yield { frame: next, own, shared: around.shared, dataSet: around.dataSet };
      next += 1;
    }
  }
  if (around === undefined) return;
  // Written out, because copying the properties would take most of the time for an object of a million frames.
  const { shared, dataSet } = around;
  for (; next < options.frameCount; next += 1) yield { frame: next, own: undefined, shared, dataSet };
}

/** The first frame of a header that has already been read. */
export function firstFrameOf(dataSet: Attributes): FrameAttributes {
  return {
    frame: 0,
    own: dataSet.items(PerFrameFunctionalGroupsSequence)[0],
    shared: dataSet.items(SharedFunctionalGroupsSequence)[0],
    dataSet,
  };
}

/** The macro item that applies to a frame; undefined if the attributes are at the top level or absent. */
export function findMacro({ own, shared }: FrameAttributes, macroSequence: number): DataSet | undefined {
  return own?.items(macroSequence)[0] ?? shared?.items(macroSequence)[0];
}
