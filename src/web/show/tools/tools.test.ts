import { beforeEach, describe, expect, test } from 'vitest';
import { cellOf, cellsOf, INITIAL_CELLS, setView, updateCell } from '../../kit/state/cells.ts';
import { libraryOf } from '../../kit/state/library.ts';
import { createPage } from '../../kit/state/page.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { NOTHING_SHOWN, setReport, type ViewportReport } from '../pictures/viewports.ts';
import { type ViewState, WHOLE_IMAGE } from '../../kit/state/viewState.ts';
import { applyMatrix, imageToCanvas, invertMatrix } from '../pictures/viewTransform.ts';
import { chooseTool } from './chooseTool.ts';
import { panTool } from './panTool.ts';
import { beginPinch } from './pinch.ts';
import { scrollTool } from './scrollTool.ts';
import { createWheel, type WheelTurn } from './wheel.ts';
import { windowTool } from './windowTool.ts';
import { zoomTool } from './zoomTool.ts';

const IMAGE = { width: 512, height: 256, aspect: 2 };
const RATIO = 1.5;
const SIZE = { width: 800, height: 600 };
const CANVAS = { width: SIZE.width * RATIO, height: SIZE.height * RATIO };
const AT = { x: 300, y: 200 };

const SCREEN = {
  ...SIZE,
  image: IMAGE,
  imageToScreen: [1, 0, 0, 1, 0, 0],
  zoom: 1,
  fitZoom: 1,
  pixelRatio: RATIO,
} as const;

const page = createPage();

function show(report: Partial<ViewportReport> = {}, frames = 40): void {
  const stack: ViewStack = {
    id: 'stack',
    kind: 'ordinary',
    frames: Array.from({ length: frames }, (_, frame) => ({
      fileIndex: 0,
      frame,
      sopInstanceUid: '',
      positionMm: undefined,
    })),
    warnings: [],
    fileIndex: 0,
    seriesUid: undefined,
    studyUid: undefined,
  };
  libraryOf(page).setState({ stacks: new Map([['stack', stack]]) });
  cellsOf(page).setState(INITIAL_CELLS);
  updateCell(page, 0, { pictureId: 'stack' });
  const window = { center: 40, width: 300, applied: 'linear' } as const;
  setReport(page, 0, { ...NOTHING_SHOWN, status: 'ready', window, screen: SCREEN, ...report });
}

/** The image point under a point of the screen. */
function under(view: ViewState, { x, y }: { x: number; y: number }) {
  return applyMatrix(invertMatrix(imageToCanvas(view, IMAGE, CANVAS)), { x: x * RATIO, y: y * RATIO });
}

const turn = (change: Partial<WheelTurn>): WheelTurn => ({
  deltaX: 0,
  deltaY: 0,
  deltaMode: 0,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  ...change,
});

beforeEach(() => show());

describe('the window tool', () => {
  test('widens to the right and brightens upwards, by the width once every 300 pixels', () => {
    const drag = windowTool.begin(page, 0, AT);
    drag?.move({ x: AT.x + 100, y: AT.y - 30 });
    // A lower center is brighter.
    expect(cellOf(page, 0).window).toEqual({ kind: 'custom', center: 10, width: 400 });
  });

  test('never becomes narrower than one value', () => {
    windowTool.begin(page, 0, AT)?.move({ x: AT.x - 5000, y: AT.y });
    expect(cellOf(page, 0).window).toEqual({ kind: 'custom', center: 40, width: 1 });
  });

  test('keeps fractions where the values are small', () => {
    show({ window: { center: 0.5, width: 0.3, applied: 'linear_exact' } });
    windowTool.begin(page, 0, AT)?.move({ x: AT.x + 1, y: AT.y + 1 });
    expect(cellOf(page, 0).window).toEqual({ kind: 'custom', center: 0.501, width: 0.301 });
  });

  test('restores the previous window when it is cancelled', () => {
    updateCell(page, 0, { window: { kind: 'full' } });
    const drag = windowTool.begin(page, 0, AT);
    drag?.move({ x: 0, y: 0 });
    drag?.cancel();
    expect(cellOf(page, 0).window).toEqual({ kind: 'full' });
  });

  test('does nothing on color', () => {
    show({ window: undefined });
    expect(windowTool.begin(page, 0, AT)).toBeUndefined();
  });
});

describe('pointer tools for the view', () => {
  const views: readonly ViewState[] = [
    WHOLE_IMAGE,
    { ...WHOLE_IMAGE, zoom: 3, center: { x: 100, y: 50 }, quarterTurns: 1 },
    { ...WHOLE_IMAGE, zoom: 0.7, quarterTurns: 3, flipHorizontal: true },
  ];

  test.each(views)('panning keeps what was pressed under the pointer (%o)', (view) => {
    setView(page, 0, view);
    const pressed = under(view, AT);
    panTool.begin(page, 0, AT)?.move({ x: AT.x + 37, y: AT.y - 81 });
    const moved = under(cellOf(page, 0).view, { x: AT.x + 37, y: AT.y - 81 });
    expect(moved.x).toBeCloseTo(pressed.x, 6);
    expect(moved.y).toBeCloseTo(pressed.y, 6);
  });

  test.each(views)('zooming keeps what was pressed where it is, and doubles in 120 pixels (%o)', (view) => {
    setView(page, 0, { ...view, zoom: 0.5 });
    const pressed = under(cellOf(page, 0).view, AT);
    zoomTool.begin(page, 0, AT)?.move({ x: AT.x, y: AT.y - 120 });
    expect(cellOf(page, 0).view.zoom).toBeCloseTo(1, 9);
    expect(under(cellOf(page, 0).view, AT).x).toBeCloseTo(pressed.x, 6);
    expect(under(cellOf(page, 0).view, AT).y).toBeCloseTo(pressed.y, 6);
  });

  test.each(views)('two fingers keep both of their points (%o)', (view) => {
    setView(page, 0, { ...view, zoom: 1 });
    const fingers = [AT, { x: 400, y: 260 }] as const;
    const pressed = fingers.map((finger) => under(cellOf(page, 0).view, finger));
    // Moved by (20, -10) and spread to one and a half times the distance about their middle (350, 230).
    const moved = [
      { x: 370 - 75, y: 220 - 45 },
      { x: 370 + 75, y: 220 + 45 },
    ] as const;
    beginPinch(page, 0, fingers)?.(moved);
    for (const [i, finger] of moved.entries()) {
      expect(under(cellOf(page, 0).view, finger).x).toBeCloseTo(pressed[i]?.x ?? NaN, 6);
      expect(under(cellOf(page, 0).view, finger).y).toBeCloseTo(pressed[i]?.y ?? NaN, 6);
    }
  });
});

describe('the scroll tool', () => {
  test('runs through the stack from top to bottom', () => {
    // 600 pixels for 40 slices: 15 a slice.
    const drag = scrollTool.begin(page, 0, AT);
    drag?.move({ x: AT.x, y: AT.y + 151 });
    expect(cellOf(page, 0).position).toBe(10);
    drag?.move({ x: AT.x, y: AT.y - 400 });
    expect(cellOf(page, 0).position).toBe(0);
  });

  test('does nothing on a single image', () => {
    show({}, 1);
    expect(scrollTool.begin(page, 0, AT)).toBeUndefined();
  });
});

const { signal: FOREVER } = new AbortController();

describe('the wheel', () => {
  test.each([
    ['of 100 pixels', { deltaY: 100 }],
    ['of 120 pixels', { deltaY: 120 }],
    ['of 53 pixels', { deltaY: 53 }],
    ['of 3 lines', { deltaY: 3, deltaMode: 1 }],
    ['of 1 line', { deltaY: 1, deltaMode: 1 }],
  ])('is one slice a notch %s', (_, notch) => {
    const wheel = createWheel(page, 0, FOREVER);
    for (let i = 0; i < 10; i++) wheel(turn(notch), AT);
    expect(cellOf(page, 0).position).toBe(10);
    wheel(turn({ ...notch, deltaY: -notch.deltaY }), AT);
    expect(cellOf(page, 0).position).toBe(9);
  });

  test('adds up what a trackpad sends', () => {
    const wheel = createWheel(page, 0, FOREVER);
    for (let i = 0; i < 25; i++) wheel(turn({ deltaY: 4 }), AT);
    // 100 pixels, 50 a slice.
    expect(cellOf(page, 0).position).toBe(2);
  });

  test('is ten slices with Shift, also where that turns it sideways', () => {
    createWheel(page, 0, FOREVER)(turn({ deltaX: 100, shiftKey: true }), AT);
    expect(cellOf(page, 0).position).toBe(10);
  });

  test('zooms about the pointer with Ctrl, and on a single image', () => {
    const wheel = createWheel(page, 0, FOREVER);
    const before = under(cellOf(page, 0).view, AT);
    wheel(turn({ deltaY: -100, ctrlKey: true }), AT);
    expect(under(cellOf(page, 0).view, AT).x).toBeCloseTo(before.x, 6);
    expect(cellOf(page, 0)).toMatchObject({ position: 0 });
    show({}, 1);
    wheel(turn({ deltaY: -100 }), AT);
    expect(cellOf(page, 0).view.zoom).not.toBe('fit');
  });
});

describe('the buttons', () => {
  test.each([
    [0, false, 'auto', windowTool],
    [0, true, 'auto', panTool],
    [1, false, 'window', panTool],
    [2, false, 'window', zoomTool],
    [0, false, 'scroll', scrollTool],
    [0, false, 'roi', undefined],
    [3, false, 'auto', undefined],
  ] as const)('button %i, space %s, tool %s', (button, isSpaceDown, tool, expected) => {
    expect(chooseTool(page, 0, tool, { button, isSpaceDown })).toBe(expected);
  });

  test('color is panned, because it has no window', () => {
    show({ window: undefined });
    expect(chooseTool(page, 0, 'auto', { button: 0, isSpaceDown: false })).toBe(panTool);
  });
});
