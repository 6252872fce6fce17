import { asError } from '../../shared/asError.ts';
import type { FileRecord } from '../../shared/contract/files.ts';
import type { PageAnswer, PageFailure, PageRequest, ShownView, ViewWish } from '../../shared/contract/view.ts';
import { sendPicture } from '../kit/api/view.ts';
import { formatScreen } from '../show/pictures/formatScreen.ts';
import { pictureOf } from '../show/pictures/pictureKinds.ts';
import { scrollTo } from '../show/pictures/scroll.ts';
import { visibleCells } from '../show/pictures/shownFrame.ts';
import { reportOf, viewportsOf } from '../show/pictures/viewports.ts';
import {
  activateCell,
  cellOf,
  cellsOf,
  cellsOfLayout,
  openAtStart,
  openInCell,
  setWindow,
} from '../kit/state/cells.ts';
import { showCells } from '../kit/state/cohortPlace.ts';
import { filesWithUid } from '../kit/state/fileNames.ts';
import { findFile, libraryOf, stackOf } from '../kit/state/library.ts';
import { say } from '../kit/state/messages.ts';
import type { Page } from '../kit/state/page.ts';
import { findPosition } from '../kit/state/stacks.ts';
import { wait } from '../kit/state/wait.ts';
import { waitUntil } from '../kit/state/waitUntil.ts';
import { captureView } from './captureView.ts';

/** A page that still loads says so after this. The server waits longer. */
const PATIENCE_MS = 20_000;

class Refused extends Error {
  readonly code: PageFailure;

  constructor(code: PageFailure, message: string) {
    super(message);
    this.code = code;
  }
}

/** Does what a program asks of the page. */
export async function answerRequest(page: Page, asked: PageRequest, signal: AbortSignal): Promise<PageAnswer | null> {
  const { request, show, picture } = asked;
  try {
    if (show !== null) await showWish(page, show, signal);
    if (picture === null) return { request, view: describeView(page), failure: null };
    await settle(page, visibleCells(page), signal);
    await sendPicture(request, await inTime(takePicture(page, picture), signal), signal);
    return null;
  } catch (error) {
    if (signal.aborted) throw error;
    const code = error instanceof Refused ? error.code : 'nothing_shown';
    const message = asError(error).message;
    if (show !== null) say(page, message, 'failed');
    return { request, view: null, failure: { code, message: message.slice(0, 1000) } };
  }
}

function takePicture(page: Page, { cell, overlays = true, size = 'screen' }: NonNullable<PageRequest['picture']>) {
  if (document.visibilityState !== 'visible') {
    throw new Refused('nothing_shown', 'the page is in a hidden tab, in which browsers draw nothing');
  }
  if (cell !== undefined && !visibleCells(page).includes(cell)) {
    throw new Refused('bad_request', `cell ${cell} is not on the screen`);
  }
  return captureView(page, { cell, withOverlays: overlays, size });
}

/** Browsers draw nothing for frames that are out of sight, and code that waits for drawing would wait for ever. */
async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = wait(PATIENCE_MS, signal).then(() => {
    throw new Refused('page_timeout', 'the browser did not draw the page; is it out of sight?');
  });
  late.catch(() => undefined);
  return Promise.race([work, late]);
}

async function showWish(page: Page, wish: ViewWish, signal: AbortSignal): Promise<void> {
  if (wish.address !== undefined) {
    // The page follows its address, which is also how the user gets back.
    location.hash = `#${wish.address.replace(/^#/, '')}`;
    await wait(0, signal);
  }
  const { activeCell, layout } = cellsOf(page).getState();
  const cell = wish.cell ?? activeCell;
  if (!cellsOfLayout(layout).includes(cell)) {
    throw new Refused('bad_request', `there is no cell ${cell} on the screen`);
  }
  const file = await findWished(page, wish, signal);
  if (file !== undefined) {
    showCells(page);
    openFile(page, cell, file, wish);
  } else if (wish.frame !== undefined) scrollTo(page, cell, wish.frame);
  if (wish.window === null) setWindow(page, cell, { kind: 'file', index: 0 });
  else if (wish.window !== undefined) setWindow(page, cell, { kind: 'custom', ...wish.window });
  if (wish.cell !== undefined || file !== undefined) activateCell(page, cell);
  await settle(page, wish.address === undefined ? [cell] : visibleCells(page), signal);
}

/** The file of a wish, once the list has it. Undefined if the wish names none. */
async function findWished(page: Page, { file, sop, series }: ViewWish, signal: AbortSignal) {
  if (file === undefined && sop === undefined && series === undefined) return undefined;
  const find = (): FileRecord | undefined => {
    if (file !== undefined) return findFile(page, file);
    if (sop !== undefined) return filesWithUid(page, sop)[0];
    return libraryOf(page)
      .getState()
      .files.find((one) => one.series_instance_uid === series);
  };
  const isOver = () => {
    const { summary } = libraryOf(page).getState();
    return summary?.scan_complete === true && !summary.more;
  };
  const isDecided = () => find() !== undefined || isOver();
  await waitUntil(isDecided, { stores: [libraryOf(page)], longestMs: PATIENCE_MS, signal });
  const found = find();
  if (found === undefined) throw new Refused('not_found', `${sop ?? series ?? `file ${file}`} is not open`);
  return found;
}

/** Scrolls if the cell already shows the stack of the file, so that window and zoom stay. */
function openFile(page: Page, cell: number, file: FileRecord, { series, frame }: ViewWish): void {
  const stack = stackOf(page, file);
  const position = series === undefined ? findPosition(stack, file.index, frame ?? 0) : frame;
  if (position === undefined) openAtStart(page, cell, stack, series === undefined ? file : undefined);
  else if (cellOf(page, cell).pictureId === stack.id) scrollTo(page, cell, position);
  else openInCell(page, cell, stack.id, Math.min(position, stack.frames.length - 1));
}

/** Waits until the cells show what they are to show, or say why they cannot. */
async function settle(page: Page, cells: readonly number[], signal: AbortSignal): Promise<void> {
  const stores = [viewportsOf(page), cellsOf(page), libraryOf(page)];
  const areShown = () => cells.every((cell) => isShown(page, cell));
  await waitUntil(areShown, { stores, longestMs: PATIENCE_MS, signal });
  signal.throwIfAborted();
}

function isShown(page: Page, cell: number): boolean {
  const picture = pictureOf(page, cell);
  const { status, quality, shown, tiles } = reportOf(page, cell);
  if (picture === undefined) return cellOf(page, cell).pictureId === undefined;
  if (status === 'failed' || picture.isPaper === true) return status === 'failed' || status === 'ready';
  const { position, window } = cellOf(page, cell);
  const isThis = shown?.source.id === picture.id && (tiles !== undefined || shown.position === position);
  // A picture in color has no window.
  const isWindowed = window.kind !== 'custom' || reportOf(page, cell).window === undefined || shown?.chosen === window;
  return status === 'ready' && quality === 'exact' && isThis && isWindowed;
}

/** What the page shows, for programs. */
function describeView(page: Page): ShownView {
  const { layout, activeCell } = cellsOf(page).getState();
  return {
    address: formatScreen(page),
    rows: layout.rows,
    columns: layout.columns,
    active_cell: activeCell,
    cells: cellsOfLayout(layout).map((cell) => {
      const { status, error, shown, window } = reportOf(page, cell);
      const picture = pictureOf(page, cell);
      const { position } = cellOf(page, cell);
      const place = shown?.source.fileOf(shown.position) ?? picture?.fileOf(position);
      return {
        cell,
        file_index: place?.file.index ?? null,
        frame_index: place?.frame ?? null,
        position: shown?.position ?? position,
        positions: picture?.positions ?? 0,
        status,
        error: error?.message ?? null,
        window: window === undefined ? null : { center: window.center, width: window.width },
      };
    }),
  };
}
