import { type CellWindow, cellOf, toWindowChoice } from '../../../kit/state/cells.ts';
import { findInfo } from '../../../kit/state/fileInfo.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { findPixelState } from '../../../kit/state/presentations.ts';
import { findStackWindow, isShownAsStack, isWindowAwaited } from '../../../kit/state/stackWindows.ts';
import type { PictureSource } from '../pictureSource.ts';
import type { Scene } from './scene.ts';

/** What a cell shows of its source according to the state of the page; undefined if there is no picture. */
export function sceneOf(page: Page, cell: number, source: PictureSource | undefined): Scene | undefined {
  if (source === undefined || source.positions === 0) return undefined;
  const { position, window, invert, colorMap, view, interpolation, cine } = cellOf(page, cell);
  const state = findPixelState(page, cell);
  return {
    source,
    state,
    serverRun: libraryOf(page).getState().serverRuns,
    position,
    window,
    ...resolveWindow(page, window, { source, position, state }),
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
  { source, position, state }: Pick<Scene, 'source' | 'position' | 'state'>,
): Pick<Scene, 'choice' | 'stackWindow' | 'awaitsWindow'> {
  const { stack } = source;
  const { file, frame = 0 } = source.fileOf(position) ?? {};
  // The server takes the window of the state, if the user has chosen no other.
  const isOfState = file !== undefined && state?.names(file.index, frame) === true;
  if (isOfState && DECLARED.has(window.kind)) return { choice: { kind: 'default' } };
  const awaitsWindow =
    stack !== undefined && source.traits.sharesWindow && isWindowAwaited(page, window, { file, stack });
  const isForStack = stack !== undefined && isShownAsStack(page, window, { file, stack });
  const stackWindow = isForStack ? findStackWindow(page, stack.id) : undefined;
  if (stackWindow !== undefined) return { choice: { kind: 'explicit', ...pickWindow(stackWindow) }, stackWindow };
  if (window.kind !== 'file' || window.index === 0 || file === undefined) {
    return { choice: toWindowChoice(window), awaitsWindow };
  }
  const declared = findInfo(page, file.index)?.windows[window.index];
  return { choice: declared === undefined ? { kind: 'default' } : { kind: 'explicit', ...pickWindow(declared) } };
}

/** Windows that the user has not set. */
const DECLARED: ReadonlySet<CellWindow['kind']> = new Set<CellWindow['kind']>(['file', 'stack', 'slice']);

function pickWindow({ center, width }: { center: number; width: number }) {
  return { center, width };
}
