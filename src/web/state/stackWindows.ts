import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../shared/contract/files.ts';
import type { CellWindow } from './cells.ts';
import type { ViewStack } from './stacks.ts';

/** One window for all images of a stack, so that brightness means the same in each of them. */
export type StackWindow = {
  /** In modality units. */
  readonly center: number;
  readonly width: number;
  /** How it was chosen, in a few words. */
  readonly how: string;
  /** The same in a sentence. */
  readonly explanation: string;
  /** Whether images of the stack declare how they are to be shown, if only by a VOI LUT. */
  readonly hasOwnVoi: boolean;
};

/** By id of the stack; written by `followStackWindows`. */
export const stackWindowsStore = createStore<{ readonly windows: ReadonlyMap<string, StackWindow> }>(() => ({
  windows: new Map(),
}));

export function findStackWindow(stackId: string | undefined): StackWindow | undefined {
  return stackId === undefined ? undefined : stackWindowsStore.getState().windows.get(stackId);
}

/** Gray images that declare no window are shown through one for all of them, unless the user chooses otherwise. */
export function isShownAsStack(window: CellWindow, file: FileRecord | undefined, stack: ViewStack): boolean {
  if (stack.frames.length < 2 || file?.photometric_interpretation.startsWith('MONOCHROME') !== true) return false;
  if (window.kind === 'stack') return true;
  return window.kind === 'file' && window.index === 0 && isWindowUndeclared(file, stack);
}

export function isWindowUndeclared({ default_window }: FileRecord, { id }: ViewStack): boolean {
  return default_window === null && findStackWindow(id)?.hasOwnVoi !== true;
}
