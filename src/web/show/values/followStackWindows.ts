import { chooseStackWindow, samplePositions } from '../../../shared/chooseStackWindow.ts';
import type { PercentilesResponse } from '../../../shared/contract/percentiles.ts';
import { type FrameAddress, fetchPercentiles } from '../../kit/api/frames.ts';
import { cellOf, cellsOf, INITIAL_CELLS } from '../../kit/state/cells.ts';
import { libraryOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { pictureOf } from '../pictures/pictureKinds.ts';
import { isShownAsStack, stackWindowsOf } from '../../kit/state/stackWindows.ts';
import { describeStored, type StoredImage, viewportsOf } from '../pictures/viewports.ts';
import { findValues, loadValues } from './frameValues.ts';

/** Finds one window for each stack on screen that is to be shown with one, by sampling a few images once. */
export function followStackWindows(page: Page): () => void {
  /** By stack id: the number of its images. A stack that has grown since is sampled again when all series are known. */
  const looked = new Map<string, number>();
  let run = new AbortController();

  const look = (cell: number) => {
    const opened = findOpened(page, cell);
    if (opened === undefined) return;
    const { stack, file } = opened;
    const { isSeriesComplete } = libraryOf(page).getState();
    const before = looked.get(stack.id);
    // A single file is about to become a stack with its neighbours.
    const isSettled = isSeriesComplete || (stack.kind !== 'file' && before === undefined);
    if (
      before === stack.frames.length ||
      !isSettled ||
      !isShownAsStack(page, cellOf(page, cell).window, { file, stack })
    )
      return;
    looked.set(stack.id, stack.frames.length);
    void find(page, opened, run.signal);
  };
  const lookAtAll = () => {
    for (const cell of INITIAL_CELLS.cells.keys()) look(cell);
  };
  const stops = [
    viewportsOf(page).subscribe(lookAtAll),
    cellsOf(page).subscribe(lookAtAll),
    libraryOf(page).subscribe(({ isSeriesComplete }, before) => {
      if (isSeriesComplete && !before.isSeriesComplete) lookAtAll();
    }),
    page.onRestart(() => {
      run.abort();
      run = new AbortController();
      looked.clear();
    }),
  ];
  lookAtAll();
  return () => {
    run.abort();
    for (const stop of stops) stop();
  };
}

/** What a cell is about to show. */
function findOpened(page: Page, cell: number): StoredImage | undefined {
  const picture = pictureOf(page, cell);
  if (picture?.traits.sharesWindow !== true) return undefined;
  const { position } = cellOf(page, cell);
  const stored = describeStored(picture, position, picture.fileOf(position)?.file);
  return stored.file === undefined ? undefined : stored;
}

/** Number of concurrent requests. A browser opens six connections to a server, so some are left for the images. */
const AT_ONCE = 3;

async function find(page: Page, { stack, frame, file }: StoredImage, signal: AbortSignal): Promise<void> {
  const sampled = samplePositions(stack.frames.length).flatMap((position) => stack.frames[position] ?? []);
  // The viewport requests its image in this turn of the event loop, and that request goes first.
  await new Promise((resolve) => setTimeout(resolve));
  const [frames] = await Promise.all([
    readInTurn(sampled, signal),
    file.modality === 'PT' ? loadValues(page, frame, signal) : undefined,
  ]);
  const values = findValues(page, frame);
  const suv = values instanceof Error ? undefined : values?.mapping.pet?.suv;
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
      // An image that cannot be read reports the error where it is shown.
      answers[at] = await fetchPercentiles(each, { signal, isPrefetch: true }).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  return answers;
}
