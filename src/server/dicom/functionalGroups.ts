import type { Attributes, DataSet } from './dataSet.ts';
import { PerFrameFunctionalGroupsSequence, SharedFunctionalGroupsSequence } from './tag.ts';

/**
 * The item of one functional group macro that holds for a frame (counted from 0): the frame's own, else the one that
 * all frames share. Undefined in objects without functional groups, where the attribute stands at the top level.
 */
export function findFunctionalGroup(dataSet: Attributes, frame: number, macroSequence: number): DataSet | undefined {
  const own = dataSet.items(PerFrameFunctionalGroupsSequence)[frame]?.items(macroSequence)[0];
  return own ?? dataSet.items(SharedFunctionalGroupsSequence)[0]?.items(macroSequence)[0];
}

/** Where a frame's attribute of a macro is looked up, in the standard's order: per frame, shared, top level. */
export function attributesOfFrame(dataSet: DataSet, frame: number, macroSequence: number): DataSet {
  return findFunctionalGroup(dataSet, frame, macroSequence) ?? dataSet;
}
