import type { Attributes, DataSet } from './dataSet.ts';
import { PerFrameFunctionalGroupsSequence, SharedFunctionalGroupsSequence } from './tag.ts';

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
