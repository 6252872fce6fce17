import { createStore } from 'zustand/vanilla';
import {
  type CellAddress,
  EMPTY_ADDRESS,
  type LayerAddress,
  parseAddress,
  type ViewAddress,
} from '../../kit/state/address.ts';
import {
  type CellLinks,
  cellsOfLayout,
  cellsOf,
  cellOf,
  EMPTY_CELL,
  openAtStart,
  updateCell,
} from '../../kit/state/cells.ts';
import { crosshairOf } from '../../kit/state/crosshair.ts';
import { findNamedLayer } from '../../kit/state/fileNames.ts';
import { followStacks } from '../../kit/state/followStacks.ts';
import {
  chooseVolume,
  forgetShownLayers,
  layersOf,
  opensOverImages,
  setCombined,
  setFilter,
  setLayerShown,
} from '../../kit/state/layers.ts';
import { libraryOf, stackOf } from '../../kit/state/library.ts';
import { loadChunk } from '../../kit/state/loadChunk.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { panelsOf, parseTab, setPanels } from '../../kit/state/panels.ts';
import { isMaybeCompanion } from '../../kit/state/isMaybeCompanion.ts';
import { applyPreferredRegistrations, preferredRegistrationsOf } from '../../kit/state/registrationChoices.ts';
import { volumesOf } from '../../kit/state/volumes.ts';
import { locatePicture, pictureOf } from './pictureKinds.ts';

/** Whether a link has named what is shown, as far as that is known. */
export const firstOpenedOf = definePart(() => ({ isNamed: true }));

type ScreenFormat = { readonly format: ((page: Page) => string) | undefined };

/** What writes the screen into the URL. Its code is loaded after the first image; until then the URL stays as it is. */
export const screenFormatOf = definePart(() => createStore<ScreenFormat>(() => ({ format: undefined })));

/** Browsers reject more than 100 changes of the URL in 30 s. */
const WRITE_AFTER_MS = 350;

/**
 * Keeps the URL and the screen in sync until the returned function is called. Images that the URL names are opened as
 * soon as the library has them; if it names none, the first image is opened. Must start before the viewports, which
 * would otherwise draw a cell between the change of its stack and the change of its position.
 */
export function followAddress(page: Page): () => void {
  /** By cell: images that the URL names and the library does not have yet. */
  let awaited = new Map<number, CellAddress>();
  let awaitedLayers: readonly LayerAddress[] = [];
  /** Decisions that the URL names: layers lie where it says only after these. */
  let awaitedChoices: Pick<ViewAddress, 'choices' | 'registrations'> = EMPTY_ADDRESS;
  let isDeciding = false;
  /** Cells are linked after all of them have been opened. Otherwise each would move the others. */
  let awaitedLinks: CellLinks | undefined;
  let isFirstWanted = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The view in the current history entry. Going back leads to another series or layout, not to another slice. */
  let written: string | undefined;

  const apply = (address: ViewAddress) => {
    awaited = new Map();
    for (const [cell, wanted] of address.cells.entries()) if (wanted !== undefined) awaited.set(cell, wanted);
    isFirstWanted = awaited.size === 0;
    written = undefined;
    const { layout, activeCell } = address;
    cellsOf(page).setState({ layout, activeCell, maximisedCell: undefined, links: EMPTY_ADDRESS.links });
    awaitedLinks = address.links;
    for (const cell of cellsOfLayout(address.layout)) if (!awaited.has(cell)) updateCell(page, cell, EMPTY_CELL);
    awaitedLayers = address.layers;
    awaitedChoices = address;
    crosshairOf(page).setState({ points: new Map(address.crosshairs.map(({ space, point }) => [space, point])) });
    forgetShownLayers(page);
    const tab = parseTab(address.tab);
    setPanels(page, {
      ...address.cohort,
      compareText: address.compareText,
      ...(tab !== undefined && { tab, tabBy: 'user' }),
    });
    settle();
  };

  const settle = () => {
    const { summary, isSeriesComplete } = libraryOf(page).getState();
    for (const [cell, address] of awaited) if (openAddress(page, cell, address)) awaited.delete(cell);
    awaitedLayers = awaitedLayers.filter((one) => !putOnLayer(page, one));
    const isOver = summary?.scan_complete === true && !summary.more;
    // Attachments are listed when all stacks are known.
    if (isOver && (summary.attachments === 0 || isSeriesComplete)) {
      void decide();
      if (!isDeciding) awaitedLayers = [];
    }
    if (isOver && awaited.size > 0) {
      awaited.clear();
      setPanels(page, { isAddressUnknown: true });
      isFirstWanted = cellsOf(page)
        .getState()
        .cells.every(({ pictureId }) => pictureId === undefined);
    }
    if (isFirstWanted && openFirst(page, isOver)) isFirstWanted = false;
    if (!isSettled()) return;
    if (awaitedLinks !== undefined) cellsOf(page).setState({ links: awaitedLinks });
    awaitedLinks = undefined;
    written ??= describeView(page);
  };

  const layChosen = async (choices: ViewAddress['choices']) => {
    const { applyChoices } = await loadChunk(page, () => import('../../kit/state/layAttachment.ts'));
    await applyChoices(page, choices);
  };

  const decide = async () => {
    const { choices, registrations } = awaitedChoices;
    awaitedChoices = EMPTY_ADDRESS;
    if (isDeciding || (choices.length === 0 && registrations.length === 0)) return;
    isDeciding = true;
    await applyPreferredRegistrations(page, registrations);
    if (choices.length > 0) await layChosen(choices).catch(() => undefined);
    isDeciding = false;
    settle();
    writeSoon();
  };

  const isSettled = () => awaited.size === 0 && awaitedLayers.length === 0 && !isFirstWanted && !isDeciding;

  const write = () => {
    timer = undefined;
    const { format } = screenFormatOf(page).getState();
    if (format === undefined || !isSettled()) return;
    const view = describeView(page);
    const isOtherView = written !== view;
    written = view;
    const text = format(page);
    if (text === location.hash.slice(1)) return;
    const url = text === '' ? location.pathname + location.search : `#${text}`;
    if (isOtherView) history.pushState(null, '', url);
    else history.replaceState(null, '', url);
  };
  const writeSoon = () => {
    timer ??= setTimeout(write, WRITE_AFTER_MS);
  };
  const read = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = location.hash.slice(1);
    if (text !== screenFormatOf(page).getState().format?.(page)) apply(parseAddress(text));
  };

  apply(parseAddress(location.hash.slice(1)));
  addEventListener('popstate', read);
  const stop = [
    libraryOf(page).subscribe((library, before) => {
      // The new server run may give the same images other indices, so all are looked up again by UID.
      if (library.serverRuns !== before.serverRuns) apply(parseAddress(location.hash.slice(1)));
      else {
        const view = describeView(page);
        followStacks(page, before);
        // The images are the same, but their stack may have another id now.
        if (written === view) written = describeView(page);
        settle();
      }
      writeSoon();
    }),
    cellsOf(page).subscribe(writeSoon),
    layersOf(page).subscribe(writeSoon),
    crosshairOf(page).subscribe(writeSoon),
    volumesOf(page).changes.subscribe(writeSoon),
    panelsOf(page).subscribe(writeSoon),
    preferredRegistrationsOf(page).subscribe(writeSoon),
    screenFormatOf(page).subscribe(writeSoon),
  ];
  return () => {
    removeEventListener('popstate', read);
    clearTimeout(timer);
    for (const unsubscribe of stop) unsubscribe();
  };
}

/** Identifies the view. Another position in the same stacks is the same view, and so is another condition in one table. */
function describeView(page: Page): string {
  const { cohortAt, cohortText } = panelsOf(page).getState();
  const { layout, cells } = cellsOf(page).getState();
  const nameView = (cell: number) => {
    const picture = pictureOf(page, cell);
    return picture === undefined ? cells[cell]?.pictureId : picture.viewName;
  };
  const table = cohortAt === 'front' ? cohortText.split(';', 1) : cohortAt;
  return JSON.stringify([layout, cellsOfLayout(layout).map(nameView), table]);
}

/** Updates the cell in one change, so that no subscriber sees half of it. */
function openAddress(page: Page, cell: number, { instance, frameNumber, plane, ...look }: CellAddress): boolean {
  const place = locatePicture(page, { instance, frameNumber, plane });
  if (place === undefined) return false;
  const { interpolation } = cellOf(page, cell);
  updateCell(page, cell, { ...EMPTY_CELL, interpolation, pictureId: place.id, position: place.position, ...look });
  return true;
}

/**
 * Opens the first image or, if all files are known and none is an image, the first file. False: wait for more files.
 */
function openFirst(page: Page, isOver: boolean): boolean {
  const { files } = libraryOf(page).getState();
  const images = files.filter(({ support_state }) => support_state === 'renderable');
  const likely = images.find((file) => !isMaybeCompanion(file) && !opensOverImages(file));
  const first = likely ?? (isOver ? (images[0] ?? files[0]) : undefined);
  if (first === undefined) return isOver;
  const stack = stackOf(page, first);
  openAtStart(page, 0, stack, first);
  firstOpenedOf(page).isNamed = false;
  return true;
}

function putOnLayer(page: Page, { name, cells, volume, filter, plus = [], minus = [] }: LayerAddress): boolean {
  const file = findNamedLayer(page, name);
  const find = (names: readonly string[]) => names.flatMap((one) => findNamedLayer(page, one)?.index ?? []);
  const combined = { plus: find(plus), minus: find(minus) };
  const found = combined.plus.length + combined.minus.length;
  if (file === undefined || found < plus.length + minus.length) return false;
  setCombined(page, file.index, found === 0 ? undefined : combined);
  chooseVolume(page, file.index, volume);
  setFilter(page, file.index, filter);
  for (const cell of cells ?? cellsOfLayout(cellsOf(page).getState().layout))
    setLayerShown(page, cell, file.index, true);
  return true;
}
