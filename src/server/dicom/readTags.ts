import type { TaskContext } from '../workers/serveTasks.ts';
import { withSame } from '../origins/origins.ts';
import { writeSelectedTag } from './selectTag.ts';
import type { ReadTagsInput, SelectTagInput } from './tagTasks.ts';
import { writeTagTree } from './tagTree.ts';

/** Implements `readTagsTask`. */
export function readTags({ source, depth, items }: ReadTagsInput, { transfer }: TaskContext): Uint8Array<ArrayBuffer> {
  return transfer(withSame(source, (opened) => writeTagTree(opened, { depth, items })));
}

/** Implements `selectTagTask`. */
export function readSelectedTag(
  { source, tagPath, offset, limit }: SelectTagInput,
  { transfer }: TaskContext,
): Uint8Array<ArrayBuffer> {
  return transfer(withSame(source, (opened) => writeSelectedTag(opened, tagPath, { offset, limit })));
}
