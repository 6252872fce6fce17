import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { isDicom } from './findDataSet.ts';
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

/** Implements `checkDicomTask`. */
export function checkDicom({ source }: { readonly source: KnownSource }): void {
  if (!withSame(source, isDicom))
    throw new ViewerError('malformed_content', 'the file is not DICOM, so it is not sent');
}
