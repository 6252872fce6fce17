import type { ReviewScheme } from '../../../shared/contract/review.ts';
import type { Command } from '../../kit/state/commands.ts';
import type { Page } from '../../kit/state/page.ts';
import { decideByKey, goToFirstUndecided, stepUnit, takeBack } from './decide.ts';

/** Fields of the bar by what they are for, so that a key finds them. */
export const COMMENT_FIELD = 'review-comment';
export const scoreField = (id: string) => `review-score-${id}`;

/** What keys do in a review: those of the scheme, and those that every review has. */
export function buildReviewCommands(page: Page, { verdicts, scores, comment }: ReviewScheme): readonly Command[] {
  return [
    ...verdicts.flatMap(({ id, title, key }) =>
      key === null
        ? []
        : [everywhere(once(`verdict.${id}`, `Verdict: ${title}`, key, () => decideByKey(page, { id, title })))],
    ),
    ...scores.flatMap(({ id, title, key }) =>
      key === null ? [] : [once(`score.${id}`, `Score: ${title}`, key, () => focusField(scoreField(id)))],
    ),
    command('next', 'Next unit', 'n', () => stepUnit(page, 1)),
    command('previous', 'Previous unit', 'p', () => stepUnit(page, -1)),
    once('first', 'First undecided unit', 'f', () => goToFirstUndecided(page)),
    everywhere(once('undo', 'Take back the last decision', 'u', () => takeBack(page))),
    ...(comment ? [once('comment', 'Comment', 'c', () => focusField(COMMENT_FIELD))] : []),
  ];
}

function focusField(id: string): void {
  document.getElementById(id)?.focus();
}

function command(id: string, title: string, key: string, run: () => void): Command {
  return { id: `review.${id}`, title, group: 'Review', keys: [key.toUpperCase()], run };
}

function once(...parts: Parameters<typeof command>): Command {
  return { ...command(...parts), isOnce: true };
}

/** Also for what is selected in the table and the gallery. */
function everywhere(one: Command): Command {
  return { ...one, worksEverywhere: true };
}
