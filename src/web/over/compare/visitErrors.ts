import { subtract, type Vector3 } from '../../../shared/geometry.ts';
import { cellOf, cellsOf, cellsOfLayout } from '../../kit/state/cells.ts';
import { say } from '../../kit/state/messages.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { findCrosshair, setCrosshair } from '../../show/pictures/crosshair.ts';
import { findPositionAt, imagePlaneOf, spaceOf } from '../../show/pictures/findPositionAt.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import { scrollTo } from '../../show/pictures/scroll.ts';
import { compareChoiceOf } from '../../kit/state/comparedSides.ts';
import { comparisonsOf, findComparison, findQuestion, listSeenPairs } from './comparison.ts';
import {
  directionAlong,
  type ErrorSlice,
  findLargestFalse,
  findNextSlice,
  findWorstSlice,
  type ComparedGridPlace,
  type GridSample,
  listErrorSlices,
  pointOfSample,
  sliceAt,
} from './errorPlaces.ts';

export type ErrorVisit = 'next' | 'previous' | 'worst' | 'largestFalse';

/** The slice that was visited last, for pictures that run across the slices. */
const visitedOf = definePart((page): { slice: number } => {
  const visited = { slice: 0 };
  page.onRestart(() => {
    visited.slice = 0;
  });
  return visited;
});

/** Scrolls to an error of the comparison, in all cells of its frame of reference, and says what is there. */
export function visitError(page: Page, visit: ErrorVisit): void {
  const choice = compareChoiceOf(page);
  const question = findQuestion(page);
  const found = findComparison(page);
  if (choice === undefined || question === undefined) {
    say(page, 'Choose what is compared first: truth and test', 'failed');
    return;
  }
  if (found === undefined) {
    const error = comparisonsOf(page).findError(question);
    say(
      page,
      error === undefined ? 'The layers are still being compared' : `Nothing is compared: ${error.message}`,
      'failed',
    );
    return;
  }
  const { place } = found;
  if (place === null) return;
  const pairs = listSeenPairs(choice, found);
  if (visit === 'largestFalse') {
    const largest = findLargestFalse(pairs);
    if (largest !== undefined) {
      showSample(page, place, largest, `Largest false component: ${count(largest.samples)} in all`);
    } else {
      const areCounted = pairs.every(({ numbers }) => numbers.components !== null);
      say(page, areCounted ? 'No component is false' : 'Components are still being counted');
    }
    return;
  }
  const slices = listErrorSlices(pairs, choice.only === 'tp' ? undefined : choice.only);
  const target = visit === 'worst' ? findWorstSlice(slices) : findBeside(page, place, slices, visit);
  if (target !== undefined) showSample(page, place, target, describeSlice(target));
  else say(page, slices.length === 0 ? 'There is no error' : NO_MORE[visit === 'previous' ? 'previous' : 'next']);
}

const NO_MORE = { next: 'This is the last slice with an error', previous: 'This is the first slice with an error' };

function describeSlice({ falsePositive, falseNegative }: ErrorSlice): string {
  return `In this slice: ${count(falsePositive)} false positive, ${falseNegative} false negative`;
}

function count(samples: number): string {
  return `${samples} ${samples === 1 ? 'sample' : 'samples'}`;
}

/** The slice after or before that of the active cell, in the order of its pictures. */
function findBeside(
  page: Page,
  place: ComparedGridPlace,
  slices: readonly ErrorSlice[],
  visit: 'next' | 'previous',
): ErrorSlice | undefined {
  const step = visit === 'next' ? 1 : -1;
  const { at, direction } = findPlace(page, place);
  return findNextSlice(slices, at, direction === step ? 1 : -1);
}

/** Where the picture of the active cell lies among the slices, and in which direction its next pictures do. */
function findPlace(page: Page, place: ComparedGridPlace): { readonly at: number; readonly direction: 1 | -1 } {
  const { activeCell } = cellsOf(page).getState();
  const source = pictureOf(page, activeCell);
  const { position } = cellOf(page, activeCell);
  const planeAt = (one: number) => source && imagePlaneOf(source, one)?.position;
  const here = planeAt(position);
  const [after, before] = [planeAt(position + 1), planeAt(position - 1)];
  const along: Vector3 | undefined =
    here && (after === undefined ? before && subtract(here, before) : subtract(after, here));
  const direction = along === undefined ? 0 : directionAlong(place, along);
  if (here !== undefined && direction !== 0) return { at: sliceAt(place, here), direction };
  const crosshair = findCrosshair(page, source);
  return { at: crosshair === undefined ? visitedOf(page).slice : sliceAt(place, crosshair), direction: 1 };
}

function showSample(page: Page, place: ComparedGridPlace, sample: GridSample, words: string): void {
  const space = place.frame_of_reference_uid;
  const point = pointOfSample(place, sample);
  const cells = cellsOfLayout(cellsOf(page).getState().layout).flatMap((cell) => {
    const source = pictureOf(page, cell);
    return source !== undefined && space !== null && spaceOf(source) === space ? [{ cell, source }] : [];
  });
  visitedOf(page).slice = sample.slice;
  if (space === null || cells.length === 0) {
    say(page, 'The errors lie in another frame of reference than the images on the screen', 'failed');
    return;
  }
  // Planes of several orientations meet in the sample only with the crosshair.
  const hasPlanes = cells.some(({ source }) => source.traits.cuts);
  if (hasPlanes || cells.some(({ source }) => findCrosshair(page, source) !== undefined))
    setCrosshair(page, space, point);
  else {
    for (const { cell, source } of cells) {
      const position = findPositionAt(source, point, cellOf(page, cell).position);
      if (position !== undefined && source.traits.scrolls) scrollTo(page, cell, position);
    }
  }
  say(page, words);
}
