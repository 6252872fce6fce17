import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { WireAttachment } from '../../../shared/contract/attachments.ts';
import type { FileRecord, FilesResponse } from '../../../shared/contract/files.ts';
import { toLayerRef } from '../../../shared/layerRef.ts';
import { chooseOpeningFrame } from '../../../shared/openingFrame.ts';
import type { AttachmentRecord, LayerRecord } from './attachments.ts';
import { definePart, type Page, usePage } from './page.ts';
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
  /** Model output that lies over images, as records of the studies of these images. */
  readonly attachments: readonly AttachmentRecord[];
  /** Model output that lies over none, with the reason. */
  readonly unplaced: readonly WireAttachment[];
  /** All of it, as the server lists it. */
  readonly listedAttachments: readonly WireAttachment[];
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
  attachments: [],
  unplaced: [],
  listedAttachments: [],
  isSeriesComplete: false,
  connection: 'connecting',
  serverRuns: 0,
  retries: 0,
};

export const libraryOf = definePart((page) => {
  const store = createStore<LibraryState>(() => EMPTY_LIBRARY);
  // The first subscriber, so that no part is asked about new files before it has forgotten the old ones.
  store.subscribe(({ serverRuns }, before) => {
    if (serverRuns !== before.serverRuns) page.restart();
  });
  return store;
});

export function useLibrary<T>(select: (state: LibraryState) => T): T {
  return useStore(libraryOf(usePage()), select);
}

export function retryConnection(page: Page): void {
  libraryOf(page).setState(({ retries }) => ({ retries: retries + 1 }));
}

export function findFile(page: Page, index: number | undefined): FileRecord | undefined {
  return index === undefined ? undefined : libraryOf(page).getState().files[index];
}

/** The file or the attachment that a layer comes from. */
export function findLayer(page: Page, number: number): LayerRecord | undefined {
  const isFile = 'file' in toLayerRef(number);
  return isFile
    ? findFile(page, number)
    : libraryOf(page)
        .getState()
        .attachments.find(({ index }) => index === number);
}

/** A stack from /series, or the single-file stack of a file. */
export function findStack(page: Page, id: string | undefined): ViewStack | undefined {
  if (id === undefined) return undefined;
  return libraryOf(page).getState().stacks.get(id) ?? findFileStack(page, id);
}

/** The stack that shows this file: that of its series, else its single-file stack. */
export function stackOf(page: Page, file: FileRecord): ViewStack {
  return libraryOf(page).getState().stackOfFile.get(file.index) ?? fileStackOf(page, file);
}

/**
 * Whether information about one file may stay on screen while that about the other is loading: both are images of one
 * stack, through which the user scrolls. Information about any other file would appear beside another patient's name.
 */
export function areOfOneStack(page: Page, a: number | undefined, b: number | undefined): boolean {
  const [first, second] = [findFile(page, a), findFile(page, b)];
  if (first === undefined || second === undefined) return false;
  return first === second || stackOf(page, first) === stackOf(page, second);
}

/** The position at which a stack opens if no image was requested: at this file, or else at the start of the stack. */
export function openingPosition(page: Page, stack: ViewStack, file?: FileRecord): number {
  const sopClassUid = findFile(page, stack.fileIndex)?.sop_class_uid ?? '';
  if (file === undefined) return chooseOpeningFrame({ sopClassUid, frameCount: stack.frames.length });
  const frame = chooseOpeningFrame({ sopClassUid, frameCount: file.frame_count });
  return findPosition(stack, file.index, frame) ?? 0;
}

/** Single-file stacks, cached so that the same file always has the same object. */
const fileStacksOf = definePart(() => new WeakMap<FileRecord, ViewStack>());

function fileStackOf(page: Page, file: FileRecord): ViewStack {
  const known = fileStacksOf(page);
  const stack = known.get(file) ?? buildFileStack(file);
  known.set(file, stack);
  return stack;
}

/** Notes how many frames the stream of a file has. Its stack is built again if that is not what the file declares. */
export function noteFrameCount(page: Page, file: FileRecord, count: number): void {
  if (fileStackOf(page, file).frames.length === count) return;
  fileStacksOf(page).set(file, buildFileStack(file, count));
  libraryOf(page).setState({});
}

function findFileStack(page: Page, id: string): ViewStack | undefined {
  const file = findFile(page, fileOfStackId(id));
  return file && fileStackOf(page, file);
}
