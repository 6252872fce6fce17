import type { TagNode } from '../../../shared/contract/tags.ts';
import { fetchJson } from './send.ts';

export type TagTreeLimits = { readonly depth: number; readonly items: number };

/** API path of a file's elements: a file of the list, or one that is not shown. */
export type TagPlace = `file/${number}` | `not-shown/${number}`;

export function fetchTags(fileIndex: number, limits: TagTreeLimits, signal: AbortSignal) {
  return fetchTagsAt(`file/${fileIndex}`, limits, signal);
}

export function fetchTagsAt(place: TagPlace, { depth, items }: TagTreeLimits, signal: AbortSignal): Promise<TagNode[]> {
  return fetchJson(`api/${place}/tags?depth=${depth}&items=${items}`, { signal });
}

export type TagSelection = { readonly path: string; readonly offset?: number; readonly limit?: number };

export function fetchTag(fileIndex: number, selection: TagSelection, signal: AbortSignal) {
  return fetchTagAt(`file/${fileIndex}`, selection, signal);
}

/** One complete element; for a sequence, `limit` items from `offset`. */
export function fetchTagAt(
  place: TagPlace,
  { path, offset, limit }: TagSelection,
  signal: AbortSignal,
): Promise<TagNode> {
  const query = new URLSearchParams({ path });
  if (offset !== undefined) query.set('offset', String(offset));
  if (limit !== undefined) query.set('limit', String(limit));
  return fetchJson(`api/${place}/tags/select?${query}`, { signal });
}
