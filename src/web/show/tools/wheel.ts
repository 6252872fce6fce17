import { isSeriesKnown, waitForFirstSeries } from '../../kit/state/firstSeries.ts';
import type { Page } from '../../kit/state/page.ts';
import { pictureOf } from '../pictures/pictureKinds.ts';
import { scrollBy } from '../pictures/scroll.ts';
import type { Point } from '../../kit/state/viewState.ts';
import { zoomAbout } from './zoomTool.ts';

export type WheelTurn = Pick<WheelEvent, 'deltaX' | 'deltaY' | 'deltaMode' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** A wheel sends a notch in one event, as 100 pixels or more; a trackpad sends a few pixels at a time. */
const LEAST_PIXELS_OF_NOTCH = 50;
const PIXELS_PER_NOTCH = 120;
const LINES_PER_NOTCH = 3;
const SLICES_WITH_SHIFT = 10;
const ZOOM_PER_NOTCH = 1.25;

/** Handles the wheel on a cell until the signal aborts. Parts of a notch, as trackpads send them, are added up. */
export function createWheel(page: Page, cell: number, signal: AbortSignal): (turn: WheelTurn, at: Point) => void {
  let part = 0;
  const isAlone = () => (pictureOf(page, cell)?.positions ?? 0) < 2;
  const act = (turn: WheelTurn, at: Point) => {
    const notches = notchesOf(turn);
    const { scrolls, turns } = pictureOf(page, cell)?.traits ?? {};
    if (isPinch(turn) || isAlone() || scrolls === false || turns === true) {
      zoomAbout(page, cell, ZOOM_PER_NOTCH ** -notches, at);
      return;
    }
    if (part > 0 !== notches > 0) part = 0;
    part += notches;
    const steps = Math.trunc(part + Math.sign(part) * 1e-6);
    part -= steps;
    if (steps !== 0) scrollBy(page, cell, steps * (turn.shiftKey ? SLICES_WITH_SHIFT : 1));
  };
  const actLater = async (turn: WheelTurn, at: Point) => {
    await waitForFirstSeries(page, signal);
    if (!signal.aborted) act(turn, at);
  };
  return (turn, at) => {
    // Whether an image is alone or the first of many is known with the series, a moment after the image is shown.
    if (isPinch(turn) || !isAlone() || isSeriesKnown(page)) act(turn, at);
    else void actLater(turn, at);
  };
}

/** A pinch on a trackpad is sent as a wheel event with Ctrl. */
function isPinch({ ctrlKey, metaKey }: WheelTurn): boolean {
  return ctrlKey || metaKey;
}

function notchesOf({ deltaX, deltaY, deltaMode }: WheelTurn): number {
  // With Shift, some systems report a horizontal wheel.
  const delta = deltaY === 0 ? deltaX : deltaY;
  if (deltaMode === 2) return delta;
  if (deltaMode === 1) return wholeNotches(delta / LINES_PER_NOTCH);
  if (Math.abs(delta) < LEAST_PIXELS_OF_NOTCH) return delta / LEAST_PIXELS_OF_NOTCH;
  return wholeNotches(delta / PIXELS_PER_NOTCH);
}

/** Systems send different distances for a notch; it is one slice on all of them. */
function wholeNotches(notches: number): number {
  return Math.sign(notches) * Math.max(1, Math.round(Math.abs(notches)));
}
