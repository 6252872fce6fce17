import type { TagNode } from '../../../shared/contract/tags.ts';

/** The tree with the element at the path replaced by the result of `change`. */
export function replaceNode(
  nodes: readonly TagNode[],
  path: string,
  change: (node: TagNode) => TagNode,
): readonly TagNode[] {
  const [tag, item, ...rest] = path.split('/');
  return nodes.map((node) => {
    if (node.tag !== tag) return node;
    if (item === undefined) return change(node);
    if (node.value.type !== 'sequence') return node;
    const items = node.value.items.map((below, i) =>
      i === Number(item) ? [...replaceNode(below, rest.join('/'), change)] : below,
    );
    return { ...node, value: { ...node.value, items } };
  });
}

/** A sequence with the items of the next page appended. */
export function addItems(node: TagNode, page: TagNode): TagNode {
  if (node.value.type !== 'sequence' || page.value.type !== 'sequence') return page;
  const items = [...node.value.items, ...page.value.items];
  const { truncated: _, ...whole } = node;
  const total = Math.max(node.total ?? 0, page.total ?? 0);
  const isWhole = items.length >= total;
  return { ...(isWhole ? whole : node), value: { type: 'sequence', items } };
}
