import type { PercentilesResponse } from '../../shared/contract/percentiles.ts';
import type { FrameAddress } from '../api/frames.ts';
import { fetchPercentiles } from '../api/percentiles.ts';
import { cellOf, cellsStore, INITIAL_CELLS, stackOfCell } from '../state/cells.ts';
import { waitForFirstImage } from '../state/firstImage.ts';
import { findFile, libraryStore } from '../state/library.ts';
import type { Page } from '../state/page.ts';
import { isSlideStack } from '../state/slides.ts';
import { isShownAsStack, stackWindowsOf } from '../state/stackWindows.ts';
import { type ShownImage, viewportsStore } from '../state/viewports.ts';
import { chooseStackWindow, samplePositions } from './chooseStackWindow.ts';
import { findValues, loadValues } from './frameValues.ts';

/**
 * Finds one window for each stack on the screen that is to be shown through one, by a look at a few images, once. It is
 * asked for beside the first image, which does not wait for it: whichever comes first, an image is drawn when it is there.
 */
export function followStackWindows(page: Page): () => void {
  /** By id of the stack, the number of its images: one that has grown since is looked at again when all are known. */
  const looked = new Map<string, number>();
  let run = new AbortController();
  /** The first image of the page has the server to itself. */
  let isFree = false;
  const ending = new AbortController();

  const look = (cell: number) => {
    const opened = findOpened(cell);
    if (opened === undefined || !isFree) return;
    const { stack, file } = opened;
    const { isSeriesComplete } = libraryStore.getState();
    const before = looked.get(stack.id);
    // A file by itself is about to become a stack with its neighbours.
    const isSettled = isSeriesComplete || (stack.kind !== 'file' && before === undefined);
    if (before === stack.frames.length || !isSettled || !isShownAsStack(page, cellOf(cell).window, { file, stack }))
      return;
    looked.set(stack.id, stack.frames.length);
    void find(page, opened, run.signal);
  };
  const lookAtAll = () => {
    for (const cell of INITIAL_CELLS.cells.keys()) look(cell);
  };
  const stops = [
    viewportsStore.subscribe(lookAtAll),
    cellsStore.subscribe(lookAtAll),
    libraryStore.subscribe(({ isSeriesComplete }, before) => {
      if (isSeriesComplete && !before.isSeriesComplete) lookAtAll();
    }),
    page.onRestart(() => {
      run.abort();
      run = new AbortController();
      looked.clear();
    }),
  ];
  const lookAfterFirstImage = async () => {
    await waitForFirstImage(ending.signal);
    isFree = true;
    lookAtAll();
  };
  void lookAfterFirstImage();
  return () => {
    ending.abort();
    run.abort();
    for (const stop of stops) stop();
  };
}

type Opened = Pick<ShownImage, 'stack' | 'frame' | 'file'>;

/** What a cell is to show. */
function findOpened(cell: number): Opened | undefined {
  const stack = stackOfCell(cell);
  const frame = stack?.frames[cellOf(cell).position];
  const file = findFile(frame?.fileIndex);
  if (stack === undefined || frame === undefined || file === undefined || isSlideStack(stack)) return undefined;
  return { stack, frame, file };
}

/** So many requests at a time leave a browser, which has six for a server, some for the images. */
const AT_ONCE = 3;

async function find(page: Page, { stack, frame, file }: Opened, signal: AbortSignal): Promise<void> {
  const sampled = samplePositions(stack.frames.length).flatMap((position) => stack.frames[position] ?? []);
  // The viewport asks for its image in this turn: that goes first.
  await new Promise((resolve) => setTimeout(resolve));
  const [frames] = await Promise.all([
    readInTurn(sampled, signal),
    file.modality === 'PT' ? loadValues(page, frame, signal) : undefined,
  ]);
  const values = findValues(page, frame);
  const suv = values instanceof Error ? undefined : values?.pet?.suv;
  const window = chooseStackWindow({
    frames: frames.filter((each) => each !== undefined),
    count: stack.frames.length,
    suvFactor: suv !== undefined && 'factor' in suv ? suv.factor : undefined,
  });
  if (signal.aborted || window === undefined) return;
  stackWindowsOf(page).setState(({ windows }) => ({ windows: new Map(windows).set(stack.id, window) }));
}

async function readInTurn(
  sampled: readonly FrameAddress[],
  signal: AbortSignal,
): Promise<readonly (PercentilesResponse | undefined)[]> {
  const answers: (PercentilesResponse | undefined)[] = [];
  const next = sampled.entries();
  const readNext = async () => {
    for (const [at, each] of next) {
      // An image that cannot be read says so where it is shown.
      answers[at] = await fetchPercentiles(each, { signal, isPrefetch: true }).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  return answers;
}
