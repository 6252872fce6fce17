import type { TagNode } from '../../shared/contract/tags.ts';
import { send } from './send.ts';

export type TagTreeLimits = { readonly depth: number; readonly items: number };

/** API path of a file's elements: a file of the list, or one that is not shown. */
export type TagPlace = `file/${number}` | `not-shown/${number}`;

export function fetchTags(fileIndex: number, limits: TagTreeLimits, signal: AbortSignal) {
  return fetchTagsAt(`file/${fileIndex}`, limits, signal);
}

export async function fetchTagsAt(place: TagPlace, { depth, items }: TagTreeLimits, signal: AbortSignal) {
  const response = await send(`api/${place}/tags?depth=${depth}&items=${items}`, { signal });
  const body: TagNode[] = await response.json();
  return body;
}

export type TagSelection = { readonly path: string; readonly offset?: number; readonly limit?: number };

export function fetchTag(fileIndex: number, selection: TagSelection, signal: AbortSignal) {
  return fetchTagAt(`file/${fileIndex}`, selection, signal);
}

/** One complete element; for a sequence, `limit` items from `offset`. */
export async function fetchTagAt(place: TagPlace, { path, offset, limit }: TagSelection, signal: AbortSignal) {
  const query = new URLSearchParams({ path });
  if (offset !== undefined) query.set('offset', String(offset));
  if (limit !== undefined) query.set('limit', String(limit));
  const response = await send(`api/${place}/tags/select?${query}`, { signal });
  const body: TagNode = await response.json();
  return body;
}
