import { type CellWindow, cellOf, stackOfCell, toWindowChoice } from '../state/cells.ts';
import { findInfo } from '../state/fileInfo.ts';
import { findFile, libraryStore } from '../state/library.ts';
import type { Page } from '../state/page.ts';
import { isSlideStack } from '../state/slides.ts';
import type { ViewStack } from '../state/stacks.ts';
import { findStackWindow, isShownAsStack } from '../state/stackWindows.ts';
import type { Scene } from './createViewport.ts';

/** What a cell shows by the state of the page; undefined where it shows no frame of a stack. */
export function sceneOf(page: Page, cell: number): Scene | undefined {
  const stack = stackOfCell(cell);
  // A slide is drawn from its tiles, in another part of the page.
  if (stack === undefined || stack.frames.length === 0 || isSlideStack(stack)) return undefined;
  const { position, window, invert, colorMap, view, interpolation, cine } = cellOf(cell);
  const frame = stack.frames[position];
  return {
    stack,
    serverRun: libraryStore.getState().serverRuns,
    position,
    window,
    ...resolveWindow(page, window, { stack, fileIndex: frame?.fileIndex }),
    invert,
    colorMap,
    view,
    interpolation,
    isPlaying: cine.playing,
  };
}

/** With a frame comes only its first declared window; the others are known by their numbers. */
function resolveWindow(
  page: Page,
  window: CellWindow,
  { stack, fileIndex }: { readonly stack: ViewStack; readonly fileIndex: number | undefined },
): Pick<Scene, 'choice' | 'stackWindow'> {
  // Until it is known, each image is shown by itself: none waits for it.
  const isForStack = isShownAsStack(page, window, { file: findFile(fileIndex), stack });
  const stackWindow = isForStack ? findStackWindow(page, stack.id) : undefined;
  if (stackWindow !== undefined) return { choice: { kind: 'explicit', ...pickWindow(stackWindow) }, stackWindow };
  if (window.kind !== 'file' || window.index === 0 || fileIndex === undefined)
    return { choice: toWindowChoice(window) };
  const declared = findInfo(fileIndex)?.windows[window.index];
  return { choice: declared === undefined ? { kind: 'default' } : { kind: 'explicit', ...pickWindow(declared) } };
}

function pickWindow({ center, width }: { center: number; width: number }) {
  return { center, width };
}
