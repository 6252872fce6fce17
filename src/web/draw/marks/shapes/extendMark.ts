import { traitsOf } from '../../../../shared/markTraits.ts';
import { planeInRun } from '../../../../shared/stackPlanes.ts';
import { cellsOf } from '../../../kit/state/cells.ts';
import { say } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import { asBox, boxThrough, boxToPlane, boxWithPlane } from './boxInPatient.ts';
import { describeBox } from './describeMeasurement.ts';
import { findMeasuredFrame, type MeasuredFrame } from './measuredFrame.ts';
import { frameAddressOf } from './measureGesture.ts';
import type { BoxInPatient, Measurement } from './measurement.ts';
import { findSelectedShape, keepMeasurement } from './measurements.ts';
import { isSameStack } from '../../../show/pictures/shownFrame.ts';
import { extendTo, findRange } from './throughStack.ts';

/** The selected measurement, extended to the image in the active cell; undefined if that is not possible. */
export function findExtended(page: Page): Measurement | undefined {
  const item = findSelectedShape(page);
  const shown = findMeasuredFrame(page, cellsOf(page).getState().activeCell);
  if (item === undefined || item.words.locked || shown === undefined || shown.isWhole === true) return undefined;
  const box = findExtendedBox(page, item, shown);
  return box === undefined ? extendTo(page, item, frameAddressOf(shown)) : asBox(item, box);
}

export function extendSelected(page: Page): void {
  const extended = findExtended(page);
  if (extended === undefined) return;
  keepMeasurement(page, extended);
  const { place } = extended;
  const range = findRange(page, extended);
  if (place.type === 'volume') say(page, `The box is ${describeBox(place.box).join(', ').toLowerCase()}`);
  else if (range !== undefined) say(page, `The mark goes through the images ${range.from + 1} to ${range.to + 1}`);
}

/** A box that reaches to the plane on the screen: of a 3-D box, or of a rectangle if that is no stored image. */
function findExtendedBox(page: Page, item: Measurement, shown: MeasuredFrame): BoxInPatient | undefined {
  const { grid, cut, file } = shown;
  const { place } = item;
  if (
    grid === undefined ||
    !traitsOf(item.kind).places.includes('volume') ||
    !isSameStack(page, item.fileIndex, file.index)
  )
    return undefined;
  if (place.type === 'volume') return boxWithPlane(place.box, grid);
  if (cut === undefined) return undefined;
  return place.type === 'stack' ? boxOfStack(page, item, grid.frameOfReferenceUid) : boxToPlane(item, grid);
}

/** The box around a rectangle through a stack. Undefined if the images do not say where they are. */
function boxOfStack(page: Page, item: Measurement, frameOfReferenceUid: string): BoxInPatient | undefined {
  const range = findRange(page, item);
  if (range === undefined || range.from === range.to) return undefined;
  const { stack, from, to } = range;
  const [first, last] = [from, to].map((position) => {
    const run = stack.frames[position]?.plane;
    return run && planeInRun(run, position, (at) => stack.frames[at]?.positionMm);
  });
  if (first === undefined || last === undefined) return undefined;
  const points = range.through.slices.flatMap((slice) => slice.points);
  return boxThrough(frameOfReferenceUid, { first, last, steps: to - from }, points);
}
