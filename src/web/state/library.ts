import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FileRecord, FilesResponse } from '../../shared/contract/files.ts';
import { chooseOpeningFrame } from '../../shared/openingFrame.ts';
import { buildFileStack, fileOfStackId, findPosition, type ViewStack } from './stacks.ts';

export type FilesSummary = Omit<FilesResponse, 'files'>;

/** What the page knows of the server's files. */
export type LibraryState = {
  /** By index. */
  readonly files: readonly FileRecord[];
  /** The latest answer of /files without its files; undefined before the first one. */
  readonly summary: FilesSummary | undefined;
  /** Of /series, by id, in its order. */
  readonly stacks: ReadonlyMap<string, ViewStack>;
  /** The stack of each file that is in one. */
  readonly stackOfFile: ReadonlyMap<number, ViewStack>;
  /** Whether /series has answered for all the files, with their places in space. */
  readonly isSeriesComplete: boolean;
  readonly connection: 'connecting' | 'live' | 'lost' | 'needs_token';
  /** How often the page has met another run of the server: what was kept by file index is void each time. */
  readonly serverRuns: number;
  /** How often the user has asked not to wait for the next try. */
  readonly retries: number;
};

export const EMPTY_LIBRARY: LibraryState = {
  files: [],
  summary: undefined,
  stacks: new Map(),
  stackOfFile: new Map(),
  isSeriesComplete: false,
  connection: 'connecting',
  serverRuns: 0,
  retries: 0,
};

export const libraryStore = createStore<LibraryState>(() => EMPTY_LIBRARY);

export function useLibrary<T>(select: (state: LibraryState) => T): T {
  return useStore(libraryStore, select);
}

export function retryConnection(): void {
  libraryStore.setState(({ retries }) => ({ retries: retries + 1 }));
}

export function findFile(index: number | undefined): FileRecord | undefined {
  return index === undefined ? undefined : libraryStore.getState().files[index];
}

/** A stack of /series, or the one that a file is by itself. */
export function findStack(id: string | undefined): ViewStack | undefined {
  if (id === undefined) return undefined;
  return libraryStore.getState().stacks.get(id) ?? fileStacks.find(id);
}

/** The stack that shows this file: the series' one, else its own. */
export function stackOf(file: FileRecord): ViewStack {
  return libraryStore.getState().stackOfFile.get(file.index) ?? fileStacks.of(file);
}

/**
 * Whether what is said of one file may stay on the screen while the other is asked about: both are images of one stack,
 * through which a hand scrolls. What is said of anything else would stand beside another patient's name.
 */
export function areOfOneStack(a: number | undefined, b: number | undefined): boolean {
  const [first, second] = [findFile(a), findFile(b)];
  if (first === undefined || second === undefined) return false;
  return first === second || stackOf(first) === stackOf(second);
}

/** Where a stack is opened that no image was asked of: at this file, or else at its beginning. */
export function openingPosition(stack: ViewStack, file?: FileRecord): number {
  const sopClassUid = findFile(stack.fileIndex)?.sop_class_uid ?? '';
  if (file === undefined) return chooseOpeningFrame({ sopClassUid, frameCount: stack.frames.length });
  const frame = chooseOpeningFrame({ sopClassUid, frameCount: file.frame_count });
  return findPosition(stack, file.index, frame) ?? 0;
}

/** Made when they are asked for, and then kept, so that the same file is always the same object. */
const fileStacks = createFileStacks();

function createFileStacks() {
  const byRecord = new WeakMap<FileRecord, ViewStack>();
  const of = (file: FileRecord) => {
    const known = byRecord.get(file);
    if (known !== undefined) return known;
    const built = buildFileStack(file);
    byRecord.set(file, built);
    return built;
  };
  const find = (id: string) => {
    const file = findFile(fileOfStackId(id));
    return file === undefined ? undefined : of(file);
  };
  return { of, find };
}
