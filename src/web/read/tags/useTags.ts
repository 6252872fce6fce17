import { useState } from 'react';
import type { TagNode } from '../../../shared/contract/tags.ts';
import { fetchTagAt, fetchTagsAt, type TagPlace, type TagSelection } from '../../kit/api/tags.ts';
import { askServer } from '../../kit/state/answers.ts';
import { areOfOneStack } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { useAsked } from '../../kit/state/useAsked.ts';
import { useAtRest } from '../../kit/state/useAtRest.ts';
import { addItems, replaceNode } from './replaceNode.ts';

export type Tags = {
  /** The file that the tags are from. While the next image of a stack is loading, still the previous one. */
  readonly place: TagPlace | undefined;
  readonly nodes: readonly TagNode[];
  readonly error: string | undefined;
  /** Loads the next items of a sequence, or the whole of a truncated value. */
  readonly loadMore: (path: string) => Promise<void>;
};

/** What was loaded after the preview. */
type Grown = { readonly preview: readonly TagNode[]; readonly nodes: readonly TagNode[]; readonly error?: string };

const PREVIEW = { depth: 4, items: 16 };
const PAGE = 64;
const NO_NODES: readonly TagNode[] = [];
const NEVER = new AbortController().signal;

/** Valid for one run of the server, because another run assigns other file indices. */
export function useTags(place: TagPlace | undefined): Tags {
  const page = usePage();
  const { question: of, value: preview = NO_NODES, error } = useAsked(place, { ask: askPreview, begin: useAtRest() });
  const [grown, setGrown] = useState<Grown>({ preview: NO_NODES, nodes: NO_NODES });
  const current = grown.preview === preview ? grown : { preview, nodes: preview };

  const loadMore = async (path: string) => {
    const known = findNodeAt(current.nodes, path);
    if (of === undefined || known === undefined) return;
    const isSequence = known.value.type === 'sequence';
    const offset = known.value.type === 'sequence' ? known.value.items.length : 0;
    await askServer<TagSelection, TagNode>(page, isSequence ? { path, offset, limit: PAGE } : { path }, {
      ask: (selection, signal) => fetchTagAt(of, selection, signal),
      signal: NEVER,
      tell({ value: fetched, error: problem }) {
        setGrown((before) => {
          const { nodes } = before.preview === preview ? before : current;
          if (fetched === undefined) return { preview, nodes, ...(problem && { error: problem.message }) };
          const change = (node: TagNode) => (isSequence ? addItems(node, fetched) : fetched);
          return { preview, nodes: replaceNode(nodes, path, change) };
        });
      },
    });
  };

  const stays = of === place || areOfOneStack(page, fileIndexOf(of), fileIndexOf(place));
  if (!stays) return { place: undefined, nodes: NO_NODES, error: undefined, loadMore };
  return { place: of, nodes: current.nodes, error: error ?? current.error, loadMore };
}

function askPreview(place: TagPlace, signal: AbortSignal): Promise<readonly TagNode[]> {
  return fetchTagsAt(place, PREVIEW, signal);
}

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
