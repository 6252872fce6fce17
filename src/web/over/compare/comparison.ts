import type { ComparisonQuery, ComparisonResponse } from '../../../shared/contract/comparison.ts';
import { fetchComparison } from '../../kit/api/compare.ts';
import { createAnswers } from '../../kit/state/answers.ts';
import { cellsOf } from '../../kit/state/cells.ts';
import { type CompareChoice, formatPair } from '../../kit/state/compareChoice.ts';
import { COMPARED_MARKS, compareChoiceOf, findSide, type SideName } from '../../kit/state/comparedSides.ts';
import { markNewsOf } from '../../kit/state/markNews.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { stackUnder } from '../layers/groupOfCell.ts';

/** What the server is asked. Equal questions have the same JSON. */
export type ComparisonQuestion = Pick<
  ComparisonQuery,
  'truth' | 'test' | 'file' | 'frame' | 'pairs' | 'tolerance' | 'overlap'
>;

const MOST_KEPT = 8;

/** Overlaps and errors come first, because distances take longer. */
export const comparisonsOf = definePart((page) =>
  createAnswers<ComparisonQuestion, ComparisonResponse>(page, {
    async ask(question, signal, show) {
      const listed = { ...question, errors: 'list' } as const;
      show(await fetchComparison({ ...listed, numbers: 'overlap' }, signal));
      return fetchComparison(listed, signal);
    },
    keyOf: (question) => JSON.stringify(question),
    stateOf: ({ truth, test }) => ([truth, test].includes(COMPARED_MARKS) ? markNewsOf(page).getState().count : 0),
    most: MOST_KEPT,
  }),
);

/** What is asked about the images of the active cell; undefined until both sides are known. */
export function findQuestion(page: Page): ComparisonQuestion | undefined {
  const choice = compareChoiceOf(page);
  const [truth, test] = [findSide(page, choice?.truth), findSide(page, choice?.test)];
  const [first] = stackUnder(page, cellsOf(page).getState().activeCell)?.frames ?? [];
  if (choice === undefined || truth === undefined || test === undefined || first === undefined) return undefined;
  return {
    truth: String(truth),
    test: String(test),
    file: first.fileIndex,
    frame: first.frame,
    // Without any pair, the parts are those of the usual pairs.
    ...(choice.pairs !== undefined && choice.pairs.length > 0 && { pairs: choice.pairs.map(formatPair) }),
    tolerance: choice.toleranceMm,
    overlap: choice.overlap,
  };
}

/** What is known of the current question. */
export function findComparison(page: Page): ComparisonResponse | undefined {
  const question = findQuestion(page);
  const answer = question && comparisonsOf(page).find(question);
  return answer && keepPairs(compareChoiceOf(page), answer);
}

/** An answer without any pair, if the user has taken all of them away: the server compares at least one. */
function keepPairs(choice: CompareChoice | undefined, answer: ComparisonResponse): ComparisonResponse {
  if (choice?.pairs?.length !== 0) return answer;
  const only = (name: SideName) => answer.pairs.map((pair) => pair[name]);
  return {
    ...answer,
    pairs: [],
    only_truth: [...only('truth'), ...answer.only_truth],
    only_test: [...only('test'), ...answer.only_test],
  };
}

export type ComparedPair = ComparisonResponse['pairs'][number];

export function keyOfPair({ truth, test }: ComparedPair): string {
  return formatPair([truth.part, test.part]);
}

/** The pairs whose errors are drawn and visited. */
export function listSeenPairs(choice: CompareChoice, { pairs }: ComparisonResponse): readonly ComparedPair[] {
  const { pair } = choice;
  const only = pair && pairs.filter((one) => keyOfPair(one) === formatPair(pair));
  return only === undefined || only.length === 0 ? pairs : only;
}
