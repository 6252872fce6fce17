import { frameOnScreen, viewportsOf } from '../../show/pictures/viewports.ts';
import { openAtStart, openInCell, showsStackOf, stackOfCell, updateCell } from '../../kit/state/cells.ts';
import { findFile, stackOf } from '../../kit/state/library.ts';
import { say } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import { findInput, type KnownPresentation } from '../../kit/state/presentations.ts';
import { findPosition, type ViewStack } from '../../kit/state/stacks.ts';
import { waitUntil } from '../../kit/state/waitUntil.ts';
import { describeApplied } from './applyState.ts';
import { refuseState } from './describeState.ts';
import { keepKeyImages } from './keyObjects.ts';
import { planBlending } from './planBlending.ts';
import { presentationAnswersOf } from './presentationAnswers.ts';
import { findStateGround } from './stateGround.ts';

/** The longest time to wait for the first image, whose size decides how it is placed. */
const PATIENCE_MS = 30_000;

/**
 * Shows the images that a presentation state or key object selection names, as it says, or the file by itself if none is
 * open.
 */
export async function openPresentation(page: Page, fileIndex: number, cell: number): Promise<void> {
  const file = findFile(page, fileIndex);
  if (file === undefined) return;
  const before = stackOfCell(page, cell)?.fileIndex;
  const known = await presentationAnswersOf(page).load(fileIndex);
  // The user may have opened something else in the meantime.
  if (!showsStackOf(page, cell, before)) return;
  const place = known && findPlace(page, known);
  if (known === undefined || place === undefined) {
    openAtStart(page, cell, stackOf(page, file));
    return;
  }
  openInCell(page, cell, place.stack.id, place.position);
  if (known.key_objects !== null) {
    if (!known.key_objects.is_rejection) keepKeyImages(page, cell, known);
    return;
  }
  if (refuseState(known) !== undefined) return;
  const plan = await planBlending(page, known);
  if (plan !== undefined && 'reason' in plan) {
    say(page, `The presentation state cannot be applied: ${plan.reason}`, 'failed');
    return;
  }
  const { fileIndex: first } = place.stack;
  const isOpen = () => showsStackOf(page, cell, first);
  const isShown = () => {
    const ground = findStateGround(page, cell, known);
    return ground !== undefined && !('reason' in ground);
  };
  await waitUntil(() => !isOpen() || isShown(), {
    stores: [viewportsOf(page)],
    longestMs: PATIENCE_MS,
    signal: page.untilRestart(new AbortController().signal),
  });
  // Slides have no pixels of one frame that the server could draw.
  const mode = frameOnScreen(page, cell) === undefined ? 'marks' : 'all';
  if (isOpen()) updateCell(page, cell, describeApplied(page, cell, { known, file, mode }));
}

type Place = { readonly stack: ViewStack; readonly position: number };

/** The first open image that it draws on, else the first open one that it is for. */
function findPlace(page: Page, known: KnownPresentation): Place | undefined {
  const { images, state, names } = known;
  const drawnOn = (state?.graphics ?? []).flatMap(({ applies_to }) => applies_to ?? []);
  for (const { file_index, frame_indices } of [...drawnOn, ...(findInput(known, 'UNDERLYING')?.images ?? images)]) {
    const image = findFile(page, file_index);
    if (image === undefined || !names(file_index, frame_indices?.[0] ?? 0)) continue;
    const stack = stackOf(page, image);
    const position = findPosition(stack, file_index, frame_indices?.[0] ?? 0);
    if (position !== undefined) return { stack, position };
  }
  return undefined;
}
