import type { TaskContext } from '../workers/serveTasks.ts';
import { withSameFile } from './openSameFile.ts';
import { selectTag } from './selectTag.ts';
import type { ReadTagsInput, SelectTagInput } from './tagTasks.ts';
import { buildTagTree } from './tagTree.ts';

/** What stands behind `readTagsTask`. */
export function readTags({ depth, items, ...file }: ReadTagsInput, { transfer }: TaskContext): Uint8Array<ArrayBuffer> {
  return transfer(toJson(withSameFile(file, (source) => buildTagTree(source, { depth, items }))));
}

/** What stands behind `selectTagTask`. */
export function readSelectedTag(
  { tagPath, offset, limit, ...file }: SelectTagInput,
  { transfer }: TaskContext,
): Uint8Array<ArrayBuffer> {
  return transfer(toJson(withSameFile(file, (source) => selectTag(source, tagPath, { offset, limit }))));
}

function toJson(value: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}
