import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import type { Attributes, DataSet } from './dataSet.ts';
import { type FrameGroupsOptions, readFrameGroups } from './readFrameGroups.ts';
import { PerFrameFunctionalGroupsSequence, SharedFunctionalGroupsSequence } from './tag.ts';
import * as Tag from './tag.ts';

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

/**
 * The item of a functional group macro that applies to a frame (counted from 0): the frame's own, or else the shared
 * one. Undefined in objects without functional groups, where the attribute is at the top level.
 */
export function findFunctionalGroup(dataSet: Attributes, frame: number, macroSequence: number): DataSet | undefined {
  const own = dataSet.items(PerFrameFunctionalGroupsSequence)[frame]?.items(macroSequence)[0];
  return own ?? dataSet.items(SharedFunctionalGroupsSequence)[0]?.items(macroSequence)[0];
}

/**
 * The data set in which a macro attribute of a frame is looked up, in the standard's order: per frame, shared, top
 * level.
 */
export function attributesOfFrame(dataSet: DataSet, frame: number, macroSequence: number): DataSet {
  return findFunctionalGroup(dataSet, frame, macroSequence) ?? dataSet;
}

/**
 * Referenced Frame Number (0008,1160) of an item that names an image, as declared, up to `most`; empty if the item has none,
 * which means all frames. Values that are no whole numbers, such as 1.5, are left out. If no other is declared, a 0 stands
 * for them, which is no frame: an empty list would mean all frames.
 */
export function readFrameNumbers(item: Attributes, most: number): readonly number[] {
  const declared = item.numbers(Tag.ReferencedFrameNumber, most);
  const whole = declared.filter((number) => number === (number | 0));
  return whole.length === 0 && declared.length > 0 ? [0] : whole;
}
