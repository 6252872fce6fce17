import type { NarrativeNode } from '../../../../shared/contract/narrative.ts';

export type NarrativeTree = NarrativeNode & { readonly children: NarrativeTree[] };

/** A part holds those that follow it with a greater depth. */
export function buildNarrativeTree(nodes: readonly NarrativeNode[]): NarrativeTree[] {
  const roots: NarrativeTree[] = [];
  const open: NarrativeTree[] = [];
  for (const node of nodes) {
    while (open.length > 0 && open.at(-1)!.depth >= node.depth) open.pop();
    const tree = { ...node, children: [] };
    (open.at(-1)?.children ?? roots).push(tree);
    open.push(tree);
  }
  return roots;
}
