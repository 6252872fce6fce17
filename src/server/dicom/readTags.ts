import type { TagNode } from '../../shared/contract/tags.ts';
import { withSameFile } from './openSameFile.ts';
import { selectTag } from './selectTag.ts';
import type { ReadTagsInput, SelectTagInput } from './tagTasks.ts';
import { buildTagTree } from './tagTree.ts';

/** What stands behind `readTagsTask`. */
export function readTags({ path, identity, depth, items }: ReadTagsInput): readonly TagNode[] {
  return withSameFile({ path, identity }, (source) => buildTagTree(source, { depth, items }));
}

/** What stands behind `selectTagTask`. */
export function readSelectedTag({ path, identity, tagPath, offset, limit }: SelectTagInput): TagNode {
  return withSameFile({ path, identity }, (source) => selectTag(source, tagPath, { offset, limit }));
}
