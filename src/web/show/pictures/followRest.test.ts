import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import { openInCell, setCine, updateCell } from '../../kit/state/cells.ts';
import { libraryOf, stackOf } from '../../kit/state/library.ts';
import { createPage } from '../../kit/state/page.ts';
import { NOTHING_SHOWN, setReport } from './viewports.ts';
import { findPicture } from './pictureKinds.ts';
import { followRest } from './followRest.ts';

const LONG_MS = 10_000;

let page = createPage();

/** One file of five frames in the first cell. */
beforeEach(() => {
  vi.useFakeTimers();
  const file = createFileRecord(0, { sop_instance_uid: '1.2', support_state: 'renderable', frame_count: 5 });
  page = createPage();
  libraryOf(page).setState({ files: [file] });
  openInCell(page, 0, stackOf(page, file).id);
});

afterEach(() => {
  setReport(page, 0, undefined);
  vi.useRealTimers();
});

function show(position: number): void {
  updateCell(page, 0, { position });
  draw(position);
}

/** The picture on screen may be another than the one that the user wants. */
function draw(position: number): void {
  const [file] = libraryOf(page).getState().files;
  const stack = file && stackOf(page, file);
  const frame = stack?.frames[position];
  const source = findPicture(page, stack?.id);
  if (file === undefined || stack === undefined || frame === undefined || source === undefined)
    throw new Error(`no frame ${position}`);
  const shown = { source, stack, position, frame, file, chosen: undefined, invert: false, colorMap: 'gray' as const };
  setReport(page, 0, { ...NOTHING_SHOWN, status: 'ready', shown });
}

function collectRests() {
  const rests: number[] = [];
  const signals: AbortSignal[] = [];
  const stop = followRest(page, 0, ({ frame }, signal) => {
    rests.push(frame);
    signals.push(signal);
  });
  return { rests, signals, stop };
}

test('frames that pass by are not reported, only the last one', () => {
  const { rests } = collectRests();

  for (const position of [0, 1, 2, 3]) show(position);
  vi.advanceTimersByTime(LONG_MS);

  expect(rests).toEqual([3]);
});

test('a frame that stays on screen until the wanted one is loaded is not reported', () => {
  const { rests } = collectRests();

  show(0);
  updateCell(page, 0, { position: 4 });
  vi.advanceTimersByTime(LONG_MS);
  draw(2);
  vi.advanceTimersByTime(LONG_MS);
  expect(rests).toEqual([]);
  draw(4);
  vi.advanceTimersByTime(LONG_MS);

  expect(rests).toEqual([4]);
});

test('cine reports nothing, however slow it is, until it stops', () => {
  const { rests } = collectRests();
  setCine(page, 0, { playing: true });

  for (const position of [0, 1, 2]) {
    show(position);
    vi.advanceTimersByTime(LONG_MS);
  }
  expect(rests).toEqual([]);
  setCine(page, 0, { playing: false });
  vi.advanceTimersByTime(LONG_MS);

  expect(rests).toEqual([2]);
});

test('work for a frame is aborted when the user scrolls on', () => {
  const { signals } = collectRests();
  show(0);
  vi.advanceTimersByTime(LONG_MS);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);

  show(1);

  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('a frame that is shown again is not reported again, unless the server was restarted', () => {
  const { rests } = collectRests();
  show(0);
  vi.advanceTimersByTime(LONG_MS);
  show(0);
  vi.advanceTimersByTime(LONG_MS);
  expect(rests).toEqual([0]);

  libraryOf(page).setState({ serverRuns: 1 });
  show(0);
  vi.advanceTimersByTime(LONG_MS);

  expect(rests).toEqual([0, 0]);
});

test('nothing is reported after the end', () => {
  const { rests, stop } = collectRests();
  show(0);
  stop();
  vi.advanceTimersByTime(LONG_MS);

  expect(rests).toEqual([]);
});
