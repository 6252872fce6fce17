import type { TaskContext } from '../workers/serveTasks.ts';
import { withSameFile } from './openSameFile.ts';
import { writeSelectedTag } from './selectTag.ts';
import type { ReadTagsInput, SelectTagInput } from './tagTasks.ts';
import { writeTagTree } from './tagTree.ts';

/** What stands behind `readTagsTask`. */
export function readTags({ depth, items, ...file }: ReadTagsInput, { transfer }: TaskContext): Uint8Array<ArrayBuffer> {
  return transfer(withSameFile(file, (source) => writeTagTree(source, { depth, items })));
}

/** What stands behind `selectTagTask`. */
export function readSelectedTag(
  { tagPath, offset, limit, ...file }: SelectTagInput,
  { transfer }: TaskContext,
): Uint8Array<ArrayBuffer> {
  return transfer(withSameFile(file, (source) => writeSelectedTag(source, tagPath, { offset, limit })));
}
