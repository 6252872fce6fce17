import {
  type CellAddress,
  formatAddress,
  parseAddress,
  type PlaceAddress,
  type TurnAddress,
  type ViewAddress,
} from './address.ts';
import {
  cellsOfLayout,
  cellsStore,
  EMPTY_CELL,
  openStack,
  setView,
  setWindow,
  stackOfCell,
  updateCell,
} from './cells.ts';
import { followStacks } from './followStacks.ts';
import { findFile, libraryStore, openingPosition, stackOf } from './library.ts';
import { isInspectorTab, panelsStore, setPanels } from './panels.ts';
import { segmentationsStore, setSegmentationShown } from './segmentations.ts';
import { isMaybeCompanion, isSlideStack } from './slides.ts';
import { findPosition } from './stacks.ts';
import { type ViewState, WHOLE_IMAGE } from './viewState.ts';

const WRITE_AFTER_MS = 200;

/**
 * Keeps the page's address and what is on screen the same, until the function that it returns is called. What the
 * address names is opened as soon as the library has it; where it names nothing, the first image is. Must begin before
 * the viewports do: they would draw a cell between the change of its stack and that of its position.
 */
export function followAddress(): () => void {
  /** By cell: what the address asked for and the library does not have yet. */
  let awaited = new Map<number, CellAddress>();
  let awaitedSegmentations: readonly string[] = [];
  let isFirstWanted = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Going back is to another series or layout, not to another slice. */
  let written: string | undefined;

  const apply = (address: ViewAddress) => {
    awaited = new Map();
    for (const [cell, wanted] of address.cells.entries()) if (wanted !== undefined) awaited.set(cell, wanted);
    isFirstWanted = awaited.size === 0;
    written = undefined;
    cellsStore.setState({ layout: address.layout, activeCell: address.activeCell, maximisedCell: undefined });
    for (const cell of cellsOfLayout(address.layout)) if (!awaited.has(cell)) updateCell(cell, EMPTY_CELL);
    awaitedSegmentations = address.segmentations;
    segmentationsStore.setState({ shown: [] });
    if (isInspectorTab(address.tab)) setPanels({ tab: address.tab });
    settle();
  };

  const settle = () => {
    const { summary } = libraryStore.getState();
    for (const [cell, address] of awaited) if (openAddress(cell, address)) awaited.delete(cell);
    awaitedSegmentations = awaitedSegmentations.filter((uid) => !putOnSegmentation(uid));
    const isOver = summary?.scan_complete === true && !summary.more;
    if (isOver) awaitedSegmentations = [];
    if (isOver && awaited.size > 0) {
      awaited.clear();
      setPanels({ isAddressUnknown: true });
      isFirstWanted = cellsStore.getState().cells.every(({ stackId }) => stackId === undefined);
    }
    if (isFirstWanted && openFirst(isOver)) isFirstWanted = false;
    if (isSettled()) written ??= describeView();
  };

  const isSettled = () => awaited.size === 0 && awaitedSegmentations.length === 0 && !isFirstWanted;

  const write = () => {
    timer = undefined;
    if (!isSettled()) return;
    const view = describeView();
    const isOtherView = written !== view;
    written = view;
    const text = formatAddress(describeScreen());
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
    if (text !== formatAddress(describeScreen())) apply(parseAddress(text));
  };

  apply(parseAddress(location.hash.slice(1)));
  addEventListener('popstate', read);
  const stop = [
    libraryStore.subscribe((library, before) => {
      // The same images may have other numbers there: all are found again by their UIDs.
      if (library.serverRuns !== before.serverRuns) apply(parseAddress(location.hash.slice(1)));
      else {
        const view = describeView();
        followStacks(before);
        // The same images, in a stack that has another name by now.
        if (written === view) written = describeView();
        settle();
      }
      writeSoon();
    }),
    cellsStore.subscribe(writeSoon),
    segmentationsStore.subscribe(writeSoon),
    panelsStore.subscribe(writeSoon),
  ];
  return () => {
    removeEventListener('popstate', read);
    clearTimeout(timer);
    for (const unsubscribe of stop) unsubscribe();
  };
}

/** What makes it another view, and not another place in the same one. */
function describeView(): string {
  const { layout, cells } = cellsStore.getState();
  const nameStack = (cell: number) => {
    const stack = stackOfCell(cell);
    // Whichever level a slide is opened by, its largest one follows.
    return stack !== undefined && isSlideStack(stack) ? stack.seriesUid : cells[cell]?.stackId;
  };
  return JSON.stringify([layout, cellsOfLayout(layout).map(nameStack)]);
}

function openAddress(cell: number, { instance, frameNumber, window, place, turn }: CellAddress): boolean {
  const { files } = libraryStore.getState();
  const file = instance.startsWith('#')
    ? findFile(Number(instance.slice(1)))
    : files.find(({ sop_instance_uid }) => sop_instance_uid === instance);
  if (file === undefined) return false;
  const stack = stackOf(file);
  openStack(cell, stack.id, findPosition(stack, file.index, frameNumber - 1) ?? 0);
  setWindow(cell, window);
  const part = place && { zoom: place.zoom, center: { x: place.x, y: place.y } };
  if (part !== undefined || turn !== undefined) setView(cell, { ...WHOLE_IMAGE, ...part, ...turn });
  return true;
}

/** The first image; if there is none when all files are known, the first file. False: wait for more. */
function openFirst(isOver: boolean): boolean {
  const { files } = libraryStore.getState();
  const images = files.filter(({ support_state }) => support_state === 'renderable');
  const likely = images.find((file) => !isMaybeCompanion(file));
  const first = likely ?? (isOver ? (images[0] ?? files[0]) : undefined);
  if (first === undefined) return isOver;
  const stack = stackOf(first);
  openStack(0, stack.id, openingPosition(stack, first));
  return true;
}

function describeScreen(): ViewAddress {
  const { layout, activeCell, cells } = cellsStore.getState();
  const { tab } = panelsStore.getState();
  return {
    layout,
    activeCell,
    cells: cellsOfLayout(layout).map((cell) => {
      const stack = stackOfCell(cell);
      const state = cells[cell];
      if (stack === undefined || state === undefined) return undefined;
      const { fileIndex, frame } = stack.frames[state.position] ?? { fileIndex: stack.fileIndex, frame: 0 };
      const instance = findFile(fileIndex)?.sop_instance_uid || `#${fileIndex}`;
      const ofSlide = isSlideStack(stack) ? { place: toPlace(state.view), turn: toTurn(state.view) } : {};
      return { instance, frameNumber: frame + 1, window: state.window, ...ofSlide };
    }),
    tab: tab === 'tags' ? undefined : tab,
    segmentations: segmentationsStore.getState().shown.flatMap((index) => findFile(index)?.sop_instance_uid || []),
  };
}

function toPlace({ zoom, center }: ViewState): PlaceAddress | undefined {
  return zoom === 'fit' || center === undefined ? undefined : { ...center, zoom };
}

function toTurn({ quarterTurns, flipHorizontal, flipVertical }: ViewState): TurnAddress | undefined {
  if (quarterTurns === 0 && !flipHorizontal && !flipVertical) return undefined;
  return { quarterTurns, flipHorizontal, flipVertical };
}

function putOnSegmentation(uid: string): boolean {
  const file = libraryStore.getState().files.find(({ sop_instance_uid }) => sop_instance_uid === uid);
  if (file !== undefined) setSegmentationShown(file.index, true);
  return file !== undefined;
}
