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

/** Finds lines by what they show. Made once for a tree, because it is asked with every image that is scrolled to. */
export interface TreeIndex {
  /** From the top down to the line of the file, or else to the innermost line of the stack; empty where there is none. */
  pathTo(shown: { readonly stackId: string; readonly fileIndex: number | undefined }): readonly TreeNode[];
}

export function indexTree(nodes: readonly TreeNode[]): TreeIndex {
  const byFile = new Map<number, TreeNode>();
  const byStack = new Map<string, TreeNode>();
  const parents = new Map<TreeNode, TreeNode>();
  const add = (siblings: readonly TreeNode[], parent: TreeNode | undefined) => {
    for (const node of siblings) {
      if (parent !== undefined) parents.set(node, parent);
      if (node.fileIndex !== undefined) byFile.set(node.fileIndex, node);
      const known = node.stackId === undefined ? undefined : byStack.get(node.stackId);
      // A series stands for its main stack, until the stack has a line of its own below it.
      if (node.stackId !== undefined && (known === undefined || known === parent)) byStack.set(node.stackId, node);
      add(node.children, node);
    }
  };
  add(nodes, undefined);
  return {
    pathTo({ stackId, fileIndex }) {
      const path: TreeNode[] = [];
      let at = (fileIndex === undefined ? undefined : byFile.get(fileIndex)) ?? byStack.get(stackId);
      for (; at !== undefined; at = parents.get(at)) path.unshift(at);
      return path;
    },
  };
}

/** The innermost line of a path that can be seen, which stands for what is hidden in it. */
export function findSeen(path: readonly TreeNode[], toggled: ReadonlySet<string>): TreeNode | undefined {
  const closed = path.find(({ id, isOpenAtFirst }) => isOpenAtFirst === toggled.has(id));
  return closed ?? path.at(-1);
}

/** All lines with others below them, which can be closed. */
export function listHeadings(nodes: readonly TreeNode[]): TreeNode[] {
  return nodes.flatMap((node) => (node.children.length === 0 ? [] : [node, ...listHeadings(node.children)]));
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
