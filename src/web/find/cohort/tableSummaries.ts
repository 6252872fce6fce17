import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { ColumnSummary, TableSummaryResponse } from '../../../shared/contract/tables.ts';
import { fetchTableSummary, type WantedSummary } from '../../kit/api/table.ts';
import { type Answers, createAnswers } from '../../kit/state/answers.ts';
import { definePart, usePage } from '../../kit/state/page.ts';
import { tableNewsOf } from './tableNews.ts';

const MOST_KEPT = 50;

/** Which values columns have, and how often. */
const tableSummariesOf = definePart((page): Answers<WantedSummary, TableSummaryResponse> => {
  const news = tableNewsOf(page);
  return createAnswers(page, {
    ask: fetchTableSummary,
    keyOf: JSON.stringify,
    stateOf: () => news.getState().count,
    most: MOST_KEPT,
  });
});

export type SummaryAnswer = {
  readonly summary: ColumnSummary | undefined;
  readonly total: number;
  readonly error: string | undefined;
};

/** Requests these summaries as long as the component is shown. The result finds that of a column in one of them. */
export function useSummaries(questions: readonly WantedSummary[]): (name: string) => SummaryAnswer {
  const answers = tableSummariesOf(usePage());
  useStore(answers.changes);
  const news = useStore(tableNewsOf(usePage()), ({ count }) => count);
  const key = JSON.stringify(questions);
  useEffect(() => {
    const shown = new AbortController();
    const wanted: readonly WantedSummary[] = JSON.parse(key);
    for (const question of wanted) void answers.load(question, shown.signal);
    return () => shown.abort();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the rows may have changed
  }, [answers, key, news]);
  return (name) => {
    const question = questions.find(({ columns }) => columns.includes(name));
    const answer = question && answers.find(question);
    return {
      summary: answer?.columns.find((column) => column.name === name),
      total: answer?.total ?? 0,
      error: question && answers.findError(question)?.message,
    };
  };
}
