import type { FileRecord } from '../../../shared/contract/files.ts';
import { createNumberTable } from '../../kit/ui/numberTable.ts';
import { runToEnd, type Sliced, YIELD_EVERY } from '../../kit/ui/runInSlices.ts';

export type NodeKind = 'patient' | 'study' | 'series' | 'stack' | 'object' | 'folder' | 'file';

/** A line of the explorer and its children. */
export type TreeNode = {
  /** Stays the same for the same thing during the scan. */
  readonly id: string;
  readonly kind: NodeKind;
  readonly title: string;
  readonly detail: string;
  readonly hint: string;
  readonly modality: string;
  /** Number of files in it and below. The counts of the children add up to it. */
  readonly fileCount: number;
  readonly warningCount: number;
  readonly children: readonly TreeNode[];
  readonly isOpenAtFirst: boolean;
  /** The stack that a click shows; absent if the line is only a heading. */
  readonly stackId: string | undefined;
  /** Present if the line is one file of a stack. */
  readonly fileIndex: number | undefined;
  /** Present if the line is a study. */
  readonly studyUid?: string | undefined;
  /** What the file is, for its icon; absent for images and for headings. */
  readonly objectKind?: FileRecord['object_kind'] | undefined;
  readonly thumbnail: { readonly fileIndex: number; readonly frame: number } | undefined;
};

export type TreeLine = {
  readonly node: TreeNode;
  /** From 1. */
  readonly level: number;
  /** From 1, among the children of the same parent. */
  readonly place: number;
  readonly siblings: number;
  readonly hasChildren: boolean;
  readonly isOpen: boolean;
};

/**
 * The visible lines, from the top: those not inside a closed one. `toggled` contains the ids whose state differs from
 * the initial one.
 */
export function* growLines(nodes: readonly TreeNode[], toggled: ReadonlySet<string>): Sliced<TreeLine[]> {
  const rows: TreeLine[] = [];
  const add = function* (siblings: readonly TreeNode[], level: number): Sliced<void> {
    let place = 0;
    for (const node of siblings) {
      place += 1;
      const hasChildren = node.children.length > 0;
      const isOpen = hasChildren && node.isOpenAtFirst !== toggled.has(node.id);
      rows.push({ node, level, place, siblings: siblings.length, hasChildren, isOpen });
      if (rows.length % YIELD_EVERY === 0) yield;
      if (isOpen) yield* add(node.children, level + 1);
    }
  };
  yield* add(nodes, 1);
  return rows;
}

/** As `growLines`, at once. */
export function flattenTree(...inputs: Parameters<typeof growLines>): TreeLine[] {
  return runToEnd(growLines(...inputs));
}

/** Finds lines by what they show. Built once for a tree, because it is used for every image while scrolling. */
export interface TreeIndex {
  /**
   * The path from the top to the line of the file, otherwise to the innermost line of the stack; empty if there is
   * none.
   */
  pathTo(shown: { readonly stackId: string; readonly fileIndex: number | undefined }): readonly TreeNode[];
}

/** The index of a tree, and all of its lines with children, which can be closed. */
export type IndexedTree = { readonly index: TreeIndex; readonly headings: readonly TreeNode[] };

export function* growTreeIndex(nodes: readonly TreeNode[]): Sliced<IndexedTree> {
  const byFile = createNumberTable<TreeNode>();
  const byStack = new Map<string, TreeNode>();
  const parents = new Map<TreeNode, TreeNode>();
  // Most lines are files, and a map by object takes far more time and memory.
  const parentsOfFiles = createNumberTable<TreeNode>();
  const parentOf = (node: TreeNode) =>
    node.fileIndex === undefined ? parents.get(node) : parentsOfFiles.find(node.fileIndex);
  const headings: TreeNode[] = [];
  let count = 0;
  const add = function* (siblings: readonly TreeNode[], parent: TreeNode | undefined): Sliced<void> {
    for (const node of siblings) {
      if (node.fileIndex !== undefined) byFile.set(node.fileIndex, node);
      if (parent !== undefined) {
        if (node.fileIndex === undefined) parents.set(node, parent);
        else parentsOfFiles.set(node.fileIndex, parent);
      }
      const known = node.stackId === undefined ? undefined : byStack.get(node.stackId);
      // A series represents its main stack, unless the stack has its own line below.
      if (node.stackId !== undefined && (known === undefined || known === parent)) byStack.set(node.stackId, node);
      count += 1;
      if (count % YIELD_EVERY === 0) yield;
      if (node.children.length === 0) continue;
      headings.push(node);
      yield* add(node.children, node);
    }
  };
  yield* add(nodes, undefined);
  const index: TreeIndex = {
    pathTo({ stackId, fileIndex }) {
      const path: TreeNode[] = [];
      let at = (fileIndex === undefined ? undefined : byFile.find(fileIndex)) ?? byStack.get(stackId);
      for (; at !== undefined; at = parentOf(at)) path.unshift(at);
      return path;
    },
  };
  return { index, headings };
}

/** The index of `growTreeIndex`, at once. */
export function indexTree(nodes: readonly TreeNode[]): TreeIndex {
  return runToEnd(growTreeIndex(nodes)).index;
}

/** The innermost visible line of a path, which represents what is hidden in it. */
export function findSeen(path: readonly TreeNode[], toggled: ReadonlySet<string>): TreeNode | undefined {
  const closed = path.find(({ id, isOpenAtFirst }) => isOpenAtFirst === toggled.has(id));
  return closed ?? path.at(-1);
}

/** All stacks that have a picture, in the order of the lines. */
export function listStacks(nodes: readonly TreeNode[]): string[] {
  const ids = new Set<string>();
  const add = ({ stackId, thumbnail, children }: TreeNode) => {
    if (stackId !== undefined && thumbnail !== undefined) ids.add(stackId);
    for (const child of children) add(child);
  };
  for (const node of nodes) add(node);
  return [...ids];
}
