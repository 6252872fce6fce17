import { useEffect, useState } from 'react';
import type { TagNode } from '../../shared/contract/tags.ts';
import { fetchTagAt, fetchTagsAt, type TagPlace } from '../api/tags.ts';
import { areOfOneStack } from '../state/library.ts';
import { usePage } from '../state/page.ts';
import { type Turn, useAtRest } from '../state/useAtRest.ts';
import { addItems, replaceNode } from './replaceNode.ts';

export type TagsState = {
  /** The file that the tags are from. While the next image of a stack is loading, still the previous one. */
  readonly place: TagPlace | undefined;
  readonly nodes: readonly TagNode[];
  readonly error: string | undefined;
};

export type Tags = TagsState & {
  /** Loads the next items of a sequence, or the whole of a truncated value. */
  readonly loadMore: (path: string) => Promise<void>;
};

const PREVIEW = { depth: 4, items: 16 };
const PAGE = 64;

/** Valid for one run of the server, because another run assigns other file indices. */
export function useTags(place: TagPlace | undefined): Tags {
  const page = usePage();
  const [state, setState] = useState<TagsState>(NOTHING);
  const atRest = useAtRest();

  useEffect(() => {
    if (place === undefined) return undefined;
    const load = async ({ signal, show }: Turn) => {
      try {
        const nodes = await fetchTagsAt(place, PREVIEW, signal);
        show(() => setState({ place, nodes, error: undefined }));
      } catch (error) {
        show(() => setState({ place, nodes: [], error: describeError(error) }));
      }
    };
    return atRest((turn) => void load(turn));
  }, [place, atRest]);

  const loadMore = async (path: string) => {
    const { place: of } = state;
    if (of === undefined) return;
    const known = findNodeAt(state.nodes, path);
    if (known === undefined) return;
    const isSequence = known.value.type === 'sequence';
    const offset = known.value.type === 'sequence' ? known.value.items.length : 0;
    const selection = isSequence ? { path, offset, limit: PAGE } : { path };
    try {
      const fetched = await fetchTagAt(of, selection, new AbortController().signal);
      const change = (node: TagNode) => (isSequence ? addItems(node, fetched) : fetched);
      setState((current) =>
        current.place === of ? { ...current, nodes: replaceNode(current.nodes, path, change) } : current,
      );
    } catch (error) {
      setState((current) => ({ ...current, error: describeError(error) }));
    }
  };

  const stays = state.place === place || areOfOneStack(page, fileIndexOf(state.place), fileIndexOf(place));
  return { ...(stays ? state : NOTHING), loadMore };
}

const NOTHING: TagsState = { place: undefined, nodes: [], error: undefined };

/** Undefined for a file that is not shown, because it is in no stack. */
export function fileIndexOf(place: TagPlace | undefined): number | undefined {
  return place?.startsWith('file/') === true ? Number(place.slice('file/'.length)) : undefined;
}

export function findNodeAt(nodes: readonly TagNode[], path: string): TagNode | undefined {
  const [tag, item, ...rest] = path.split('/');
  const node = nodes.find((one) => one.tag === tag);
  if (item === undefined || node === undefined) return node;
  const below = node.value.type === 'sequence' ? node.value.items[Number(item)] : undefined;
  return below === undefined ? undefined : findNodeAt(below, rest.join('/'));
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
