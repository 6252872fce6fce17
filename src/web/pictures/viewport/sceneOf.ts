import { type CellWindow, cellOf, stackOfCell, toWindowChoice } from '../../state/cells.ts';
import { findInfo } from '../../state/fileInfo.ts';
import { findFile, libraryOf } from '../../state/library.ts';
import type { Page } from '../../state/page.ts';
import { isSlideStack } from '../slides.ts';
import type { ViewStack } from '../../state/stacks.ts';
import { findStackWindow, isShownAsStack } from '../../state/stackWindows.ts';
import type { Scene } from './createViewport.ts';

/** What a cell shows according to the state of the page; undefined if it shows no frame of a stack. */
export function sceneOf(page: Page, cell: number): Scene | undefined {
  const stack = stackOfCell(page, cell);
  // A slide is drawn from its tiles by another part of the page.
  if (stack === undefined || stack.frames.length === 0 || isSlideStack(page, stack)) return undefined;
  const { position, window, invert, colorMap, view, interpolation, cine } = cellOf(page, cell);
  const frame = stack.frames[position];
  return {
    stack,
    serverRun: libraryOf(page).getState().serverRuns,
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

/** Only the first declared window comes with the frame; the others are applied by center and width. */
function resolveWindow(
  page: Page,
  window: CellWindow,
  { stack, fileIndex }: { readonly stack: ViewStack; readonly fileIndex: number | undefined },
): Pick<Scene, 'choice' | 'stackWindow'> {
  // Until the stack window is known, each image is shown with its own window, so that none has to wait.
  const isForStack = isShownAsStack(page, window, { file: findFile(page, fileIndex), stack });
  const stackWindow = isForStack ? findStackWindow(page, stack.id) : undefined;
  if (stackWindow !== undefined) return { choice: { kind: 'explicit', ...pickWindow(stackWindow) }, stackWindow };
  if (window.kind !== 'file' || window.index === 0 || fileIndex === undefined)
    return { choice: toWindowChoice(window) };
  const declared = findInfo(page, fileIndex)?.windows[window.index];
  return { choice: declared === undefined ? { kind: 'default' } : { kind: 'explicit', ...pickWindow(declared) } };
}

function pickWindow({ center, width }: { center: number; width: number }) {
  return { center, width };
}
