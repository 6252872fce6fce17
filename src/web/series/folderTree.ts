import type { FileRecord } from '../../shared/contract/files.ts';
import { stackOf } from '../state/library.ts';
import { fileName, formatKind } from './describeFile.ts';
import type { TreeNode } from './treeNode.ts';

type Folder = { readonly path: string; readonly folders: Map<string, Folder>; readonly files: FileRecord[] };

/** The folders as they lie on the disk. A folder that holds nothing but one other is one line with it. */
export function buildFolderTree(files: readonly FileRecord[]): TreeNode[] {
  const root: Folder = { path: '', folders: new Map(), files: [] };
  for (const file of files) {
    let folder = root;
    const parts = file.path.split(/[/\\]/);
    for (const part of parts.slice(0, -1)) {
      const known = folder.folders.get(part);
      const next = known ?? { path: `${folder.path}${part}/`, folders: new Map(), files: [] };
      if (known === undefined) folder.folders.set(part, next);
      folder = next;
    }
    folder.files.push(file);
  }
  return [...root.folders].map(([name, folder]) => buildFolder(name, folder, 0)).concat(root.files.map(buildFile));
}

function buildFolder(name: string, folder: Folder, depth: number): TreeNode {
  const [only, ...others] = folder.folders;
  if (only !== undefined && others.length === 0 && folder.files.length === 0) {
    return buildFolder(`${name}/${only[0]}`, only[1], depth);
  }
  const children = [
    ...[...folder.folders].map(([child, below]) => buildFolder(child, below, depth + 1)),
    ...folder.files.map(buildFile),
  ];
  return {
    id: `folder/${folder.path}`,
    kind: 'folder',
    title: name === '' ? '/' : name,
    detail: '',
    hint: folder.path,
    modality: '',
    fileCount: children.reduce((sum, { fileCount }) => sum + fileCount, 0),
    warningCount: 0,
    children,
    isOpenAtFirst: depth === 0,
    stackId: undefined,
    fileIndex: undefined,
    thumbnail: undefined,
  };
}

function buildFile(file: FileRecord): TreeNode {
  const stack = stackOf(file);
  return {
    id: `path/${file.path}`,
    kind: 'file',
    title: fileName(file),
    detail: file.support_state === 'renderable' ? '' : formatKind(file.object_kind),
    hint: file.path,
    modality: file.modality,
    fileCount: 1,
    warningCount: 0,
    children: [],
    isOpenAtFirst: false,
    stackId: stack.id,
    fileIndex: file.index,
    thumbnail: undefined,
  };
}
