import type { TagNode } from '../../../shared/contract/tags.ts';

export const SHARED_GROUPS = '(5200,9229)';

export function findNode(nodes: readonly TagNode[] | undefined, tag: string): TagNode | undefined {
  return nodes?.find((node) => node.tag === tag);
}

/** The elements of a sequence's first item. */
export function findItem(nodes: readonly TagNode[] | undefined, tag: string): readonly TagNode[] | undefined {
  const node = findNode(nodes, tag);
  return node?.value.type === 'sequence' ? node.value.items[0] : undefined;
}

/** Undefined where it is absent, empty or not a number. */
export function numbersOf(node: TagNode | undefined): readonly number[] | undefined {
  if (node?.value.type === 'number') return [node.value.value];
  return node?.value.type === 'numbers' ? node.value.value : undefined;
}
