import type { FileRecord } from '../../../shared/contract/files.ts';
import { type LibraryState, libraryOf } from '../../kit/state/library.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import type { ExplorerOrder } from '../../kit/state/panels.ts';
import { fileStackId } from '../../kit/state/stacks.ts';
import { createNumberTable, type NumberTable } from '../../kit/ui/numberTable.ts';
import { runToEnd, type Sliced, sortInSlices, visitInSlices } from '../../kit/ui/runInSlices.ts';
import { compareTexts } from '../../../shared/compareTexts.ts';
import { compareNames } from './compareNames.ts';
import { describeDocument, fileName } from './describeFile.ts';
import type { TreeNode } from './treeNode.ts';

type Folder = { readonly path: string; readonly folders: Map<string, Folder>; readonly files: FileRecord[] };

/** The folders as on the disk. A folder that contains only one other folder is joined with it into one line. */
export function* growFolderTree(
  page: Page,
  files: readonly FileRecord[],
  { order = 'found', areOpen = false, stackOfFile = libraryOf(page).getState().stackOfFile }: FolderTreeOptions = {},
): Sliced<TreeNode[]> {
  const root: Folder = { path: '', folders: new Map(), files: [] };
  yield* visitInSlices(files, (file) => {
    let folder = root;
    for (const part of file.path.split(/[/\\]/).slice(0, -1)) {
      const known = folder.folders.get(part);
      const next = known ?? { path: `${folder.path}${part}/`, folders: new Map(), files: [] };
      if (known === undefined) folder.folders.set(part, next);
      folder = next;
    }
    folder.files.push(file);
  });
  return yield* growContents(root, { order, areOpen, stackOfFile, lines: fileLinesOf(page), depth: 0 });
}

/** As `growFolderTree`, at once. */
export function buildFolderTree(...inputs: Parameters<typeof growFolderTree>): TreeNode[] {
  return runToEnd(growFolderTree(...inputs));
}

export type FolderTreeOptions = {
  readonly order?: ExplorerOrder;
  /** Opens all folders instead of only the outermost, so that all results of a filter are visible. */
  readonly areOpen?: boolean;
  readonly stackOfFile?: LibraryState['stackOfFile'];
};

type Build = Required<FolderTreeOptions> & { readonly lines: NumberTable<FileLine>; readonly depth: number };

/** The folders in a folder, then its files. */
function* growContents({ folders, files }: Folder, build: Build): Sliced<TreeNode[]> {
  const nodes: TreeNode[] = [];
  for (const [name, folder] of yield* sortFolders([...folders], build.order)) {
    nodes.push(yield* growFolder(name, folder, build));
  }
  yield* visitInSlices(yield* sortFiles(files, build.order), (file) => nodes.push(findLine(file, build)));
  return nodes;
}

function* growFolder(name: string, folder: Folder, build: Build): Sliced<TreeNode> {
  const [only, ...others] = folder.folders;
  if (only !== undefined && others.length === 0 && folder.files.length === 0) {
    return yield* growFolder(`${name}/${only[0]}`, only[1], build);
  }
  const children = yield* growContents(folder, { ...build, depth: build.depth + 1 });
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
    isOpenAtFirst: build.depth === 0 || build.areOpen,
    stackId: undefined,
    fileIndex: undefined,
    thumbnail: undefined,
  };
}

/** The scan finds folders in the natural order of their names; only the inputs are in the order given. */
function* sortFolders(folders: [string, Folder][], order: ExplorerOrder): Sliced<readonly [string, Folder][]> {
  return order === 'found' ? folders : yield* sortInSlices(folders, ([a], [b]) => compareNames(a, b));
}

function* sortFiles(files: readonly FileRecord[], order: ExplorerOrder): Sliced<readonly FileRecord[]> {
  if (order === 'found') return files;
  return yield* sortInSlices(files, (a, b) => {
    const byDate = order === 'newest' ? compareTexts(b.study_date, a.study_date) : 0;
    return byDate || compareNames(fileName(a), fileName(b));
  });
}

type FileLine = { readonly file: FileRecord; readonly node: TreeNode };

/** The lines of files by index. They are the same for every filter, and 100,000 new ones are much garbage. */
const fileLinesOf = definePart((page) => {
  const lines = createNumberTable<FileLine>();
  page.onRestart(() => lines.clear());
  return lines;
});

function findLine(file: FileRecord, { lines, stackOfFile }: Build): TreeNode {
  const stackId = stackOfFile.get(file.index)?.id ?? fileStackId(file);
  const known = lines.find(file.index);
  if (known !== undefined && known.file === file && known.node.stackId === stackId) return known.node;
  const node = buildFile(file, stackId);
  lines.set(file.index, { file, node });
  return node;
}

function buildFile(file: FileRecord, stackId: string): TreeNode {
  return {
    id: `path/${file.path}`,
    kind: 'file',
    title: fileName(file),
    detail: file.support_state === 'renderable' ? '' : describeDocument(file),
    hint: file.path,
    modality: file.modality,
    fileCount: 1,
    warningCount: 0,
    children: [],
    isOpenAtFirst: false,
    stackId,
    fileIndex: file.index,
    objectKind: file.support_state === 'renderable' ? undefined : file.object_kind,
    thumbnail: undefined,
  };
}
