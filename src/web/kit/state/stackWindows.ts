import { createStore } from 'zustand/vanilla';
import type { StackWindow } from '../../../shared/chooseStackWindow.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { CellWindow } from './cells.ts';
import { libraryOf } from './library.ts';
import { definePart, type Page } from './page.ts';
import type { ViewStack } from './stacks.ts';

/** By stack id; written by `followStackWindows`. */
export const stackWindowsOf = definePart((page) => {
  const store = createStore<{ readonly windows: ReadonlyMap<string, StackWindow> }>(() => ({ windows: new Map() }));
  page.onRestart(() => store.setState({ windows: new Map() }));
  return store;
});

export function findStackWindow(page: Page, stackId: string | undefined): StackWindow | undefined {
  return stackId === undefined ? undefined : stackWindowsOf(page).getState().windows.get(stackId);
}

type WindowedStack = { readonly file: FileRecord | undefined; readonly stack: ViewStack };

/** Grayscale images that declare no window share one window, unless the user chooses otherwise. */
export function isShownAsStack(page: Page, window: CellWindow, { file, stack }: WindowedStack): boolean {
  if (stack.frames.length < 2 || file?.photometric_interpretation.startsWith('MONOCHROME') !== true) return false;
  if (window.kind === 'stack') return true;
  return window.kind === 'file' && window.index === 0 && isWindowUndeclared(page, file, stack);
}

/**
 * Whether an image is about to be shown with the window of its stack, which is not known yet. A single file counts if it
 * is about to become a stack with its neighbours.
 */
export function isWindowAwaited(page: Page, window: CellWindow, { file, stack }: WindowedStack): boolean {
  if (file?.photometric_interpretation.startsWith('MONOCHROME') !== true) return false;
  if (findStackWindow(page, stack.id) !== undefined) return false;
  const isOfStack = window.kind === 'stack' || (window.kind === 'file' && window.index === 0 && !file.default_window);
  if (!isOfStack) return false;
  if (stack.kind !== 'file') return stack.frames.length > 1;
  const { files, isSeriesComplete } = libraryOf(page).getState();
  const isSibling = (other: FileRecord | undefined) =>
    other !== undefined && other.series_instance_uid === file.series_instance_uid;
  return !isSeriesComplete && (file.frame_count > 1 || [-1, 1].some((step) => isSibling(files[file.index + step])));
}

export function isWindowUndeclared(page: Page, { default_window }: FileRecord, { id }: ViewStack): boolean {
  return default_window === null && findStackWindow(page, id)?.hasOwnVoi !== true;
}
