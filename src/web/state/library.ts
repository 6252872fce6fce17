import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FileRecord, FilesResponse } from '../../shared/contract/files.ts';
import { chooseOpeningFrame } from '../../shared/openingFrame.ts';
import { buildFileStack, fileOfStackId, findPosition, type ViewStack } from './stacks.ts';

export type FilesSummary = Omit<FilesResponse, 'files'>;

/** What the page knows about the server's files. */
export type LibraryState = {
  /** Ordered by file index. */
  readonly files: readonly FileRecord[];
  /** The latest response of /files without its files; undefined before the first response. */
  readonly summary: FilesSummary | undefined;
  /** Stacks from /series by id, in the order of the response. */
  readonly stacks: ReadonlyMap<string, ViewStack>;
  /** The stack of each file that is in one, by file index. */
  readonly stackOfFile: ReadonlyMap<number, ViewStack>;
  /** Whether /series has responded for all files, including their geometry. */
  readonly isSeriesComplete: boolean;
  readonly connection: 'connecting' | 'live' | 'lost' | 'needs_token';
  /** Number of server restarts that the page has seen. Each one invalidates what was stored by file index. */
  readonly serverRuns: number;
  /** Number of times that the user has asked to reconnect without waiting. */
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

/** A stack from /series, or the single-file stack of a file. */
export function findStack(id: string | undefined): ViewStack | undefined {
  if (id === undefined) return undefined;
  return libraryStore.getState().stacks.get(id) ?? fileStacks.find(id);
}

/** The stack that shows this file: that of its series, else its single-file stack. */
export function stackOf(file: FileRecord): ViewStack {
  return libraryStore.getState().stackOfFile.get(file.index) ?? fileStacks.of(file);
}

/**
 * Whether information about one file may stay on screen while that about the other is loading: both are images of one
 * stack, through which the user scrolls. Information about any other file would appear beside another patient's name.
 */
export function areOfOneStack(a: number | undefined, b: number | undefined): boolean {
  const [first, second] = [findFile(a), findFile(b)];
  if (first === undefined || second === undefined) return false;
  return first === second || stackOf(first) === stackOf(second);
}

/** The position at which a stack opens if no image was requested: at this file, or else at the start of the stack. */
export function openingPosition(stack: ViewStack, file?: FileRecord): number {
  const sopClassUid = findFile(stack.fileIndex)?.sop_class_uid ?? '';
  if (file === undefined) return chooseOpeningFrame({ sopClassUid, frameCount: stack.frames.length });
  const frame = chooseOpeningFrame({ sopClassUid, frameCount: file.frame_count });
  return findPosition(stack, file.index, frame) ?? 0;
}

/** Created on demand and cached, so that the same file always has the same object. */
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
