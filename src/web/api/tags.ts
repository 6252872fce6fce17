import type { TagNode } from '../../shared/contract/tags.ts';
import { send } from './send.ts';

export type TagTreeLimits = { readonly depth: number; readonly items: number };

export async function fetchTags(fileIndex: number, { depth, items }: TagTreeLimits, signal: AbortSignal) {
  const response = await send(`api/file/${fileIndex}/tags?depth=${depth}&items=${items}`, { signal });
  const body: TagNode[] = await response.json();
  return body;
}

export type TagSelection = { readonly path: string; readonly offset?: number; readonly limit?: number };

/** One element whole; of a sequence, `limit` items from `offset`. */
export async function fetchTag(fileIndex: number, { path, offset, limit }: TagSelection, signal: AbortSignal) {
  const query = new URLSearchParams({ path });
  if (offset !== undefined) query.set('offset', String(offset));
  if (limit !== undefined) query.set('limit', String(limit));
  const response = await send(`api/file/${fileIndex}/tags/select?${query}`, { signal });
  const body: TagNode = await response.json();
  return body;
}
