import { chooseClassOfDigit } from '../draw/marks/shapes/labels.ts';
import { isCohortInFront } from '../kit/state/cohortPlace.ts';
import { findCommand } from '../kit/state/commands.ts';
import type { Page } from '../kit/state/page.ts';
import { isInReview } from '../kit/state/reviewNews.ts';
import { reviewCommandsOf } from '../kit/state/reviewKeys.ts';
import { waitForFirstSeries } from '../kit/state/firstSeries.ts';
import { listCommands } from './commandTable.ts';
import { isForAnother } from './isForAnother.ts';
import { typeAhead } from './typeAhead.ts';

function isPlain({ ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return !ctrlKey && !metaKey && !altKey && !shiftKey;
}

/** Whether a key is one of a review. Until its code is loaded, any letter or digit may be, and does nothing. */
function actInReview(page: Page, event: KeyboardEvent): boolean {
  const { commands } = reviewCommandsOf(page).getState();
  if (commands === undefined) return isInReview(page) && isPlain(event) && /^[a-z0-9]$/i.test(event.key);
  const own = findCommand(page, commands, event);
  const found = own && findCommand(page, listCommands(page), event);
  if (!(event.repeat && found?.isOnce === true)) found?.run(page);
  return own !== undefined;
}

/** Runs the commands of keys that nothing else handles. Returns a function that stops it. */
export function handleKeys(page: Page): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  /** Space starts playing when it is released, because until then it may begin a pan. */
  let isSpaceAlone = false;

  const act = async (event: KeyboardEvent) => {
    // Whether an image is alone or the first of many is known only with the series, a moment after it is shown.
    const find = () => findCommand(page, listCommands(page), event);
    if (find() === undefined) await waitForFirstSeries(page, signal);
    if (!signal.aborted) find()?.run(page);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isForAnother(event) || typeAhead(page, event)) return;
    if (actInReview(page, event)) {
      event.preventDefault();
      return;
    }
    if (isPlain(event) && !isCohortInFront(page) && chooseClassOfDigit(page, event.key)) {
      event.preventDefault();
      return;
    }
    if (findCommand(page, listCommands(page), event) !== undefined) event.preventDefault();
    if (event.key === ' ') isSpaceAlone = !event.repeat || isSpaceAlone;
    else void act(event);
  };
  const onKeyUp = (event: KeyboardEvent) => {
    if (event.key !== ' ' || !isSpaceAlone) return;
    isSpaceAlone = false;
    void act(event);
  };
  const onPointerDown = () => {
    isSpaceAlone = false;
  };
  addEventListener('keydown', onKeyDown, { signal });
  addEventListener('keyup', onKeyUp, { signal });
  addEventListener('pointerdown', onPointerDown, { signal });
  return () => ending.abort();
}
