export type NodeKind = 'patient' | 'study' | 'series' | 'stack' | 'object' | 'folder' | 'file';

/** A line of the explorer and what lies below it. */
export type TreeNode = {
  /** The same for the same thing while the scan goes on. */
  readonly id: string;
  readonly kind: NodeKind;
  readonly title: string;
  readonly detail: string;
  readonly hint: string;
  readonly modality: string;
  /** Files in it and below. The counts of the children add up to it. */
  readonly fileCount: number;
  readonly warningCount: number;
  readonly children: readonly TreeNode[];
  readonly isOpenAtFirst: boolean;
  /** What a click shows; absent where the line is only a heading. */
  readonly stackId: string | undefined;
  /** Present where the line is one file of a stack. */
  readonly fileIndex: number | undefined;
  readonly thumbnail: { readonly fileIndex: number; readonly frame: number } | undefined;
};

export type TreeRow = {
  readonly node: TreeNode;
  /** From 1. */
  readonly level: number;
  /** From 1, among the children of the same parent. */
  readonly place: number;
  readonly siblings: number;
  readonly hasChildren: boolean;
  readonly isOpen: boolean;
};

/** The lines that are not hidden in a closed one, from the top. `toggled` holds those that are not as at first. */
export function flattenTree(nodes: readonly TreeNode[], toggled: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (siblings: readonly TreeNode[], level: number) => {
    for (const [i, node] of siblings.entries()) {
      const hasChildren = node.children.length > 0;
      const isOpen = hasChildren && node.isOpenAtFirst !== toggled.has(node.id);
      rows.push({ node, level, place: i + 1, siblings: siblings.length, hasChildren, isOpen });
      if (isOpen) add(node.children, level + 1);
    }
  };
  add(nodes, 1);
  return rows;
}

/** The lines above those that show a stack: while one of them is closed, it stands for what is in it. */
export function findAncestors(nodes: readonly TreeNode[], stackId: string): Set<string> {
  const ids = new Set<string>();
  const visit = (node: TreeNode): boolean => {
    const below = node.children.filter(visit).length > 0;
    if (below) ids.add(node.id);
    return below || node.stackId === stackId;
  };
  for (const node of nodes) visit(node);
  return ids;
}

/** From the top down to the line of a file of the stack, or else to the first line of the stack. */
export function findPath(
  nodes: readonly TreeNode[],
  { stackId, fileIndex }: { readonly stackId: string; readonly fileIndex: number | undefined },
): readonly TreeNode[] {
  let first: readonly TreeNode[] = [];
  const visit = (siblings: readonly TreeNode[], above: readonly TreeNode[]): readonly TreeNode[] | undefined => {
    for (const node of siblings) {
      const path = [...above, node];
      if (node.stackId === stackId && node.fileIndex === fileIndex) return path;
      if (node.stackId === stackId && first.length === 0) first = path;
      const below = visit(node.children, path);
      if (below !== undefined) return below;
    }
    return undefined;
  };
  return visit(nodes, []) ?? first;
}

/** All that has a picture, in the order of the lines. */
export function listStacks(nodes: readonly TreeNode[]): string[] {
  const ids = new Set<string>();
  const add = ({ stackId, thumbnail, children }: TreeNode) => {
    if (stackId !== undefined && thumbnail !== undefined) ids.add(stackId);
    for (const child of children) add(child);
  };
  for (const node of nodes) add(node);
  return [...ids];
}
