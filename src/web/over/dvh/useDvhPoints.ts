import { useCallback, useState } from 'react';
import { MOST_DVH_WISHES } from '../../../shared/dvhWishes.ts';
import { fetchDvh } from '../../kit/api/dvh.ts';
import type { Ask } from '../../kit/state/answers.ts';
import type { DvhChoice } from '../../kit/state/dvh.ts';
import { useAsked } from '../../kit/state/useAsked.ts';
import type { DvhColumn, DvhPoints } from './dvhTable.ts';
import { isSameChoice } from './useDvhs.ts';

type Question = DvhChoice & { readonly parts: readonly number[]; readonly points: readonly string[] };

/** The columns that the user added to the table of histograms, and their values, which come part by part. */
export function useDvhPoints(choice: DvhChoice | undefined, parts: readonly number[]) {
  const [columns, setColumns] = useState<readonly DvhColumn[]>([]);
  /** Stays as it is when a column is removed, so that the others are not measured again. */
  const [points, setPoints] = useState<readonly string[]>([]);
  const ask: Ask<Question, DvhPoints> = useCallback(async (question, signal, show) => {
    const found = new Map<number, DvhPoints extends ReadonlyMap<number, infer Points> ? Points : never>();
    for (const part of question.parts) {
      const { dvhs } = await fetchDvh({ ...question, parts: [part] }, signal);
      for (const dvh of dvhs) found.set(dvh.part, dvh.points);
      show(new Map(found));
    }
    return found;
  }, []);
  const isAsked = choice !== undefined && parts.length > 0 && columns.length > 0;
  const { question, value, error } = useAsked(isAsked ? { ...choice, parts, points } : undefined, { ask });
  // What is known of other files is not shown.
  const isOfChoice = isAsked && question !== undefined && isSameChoice(question, choice);
  return {
    columns,
    points: isOfChoice ? value : undefined,
    error: isOfChoice ? error : undefined,
    add: (news: readonly DvhColumn[]) => {
      const all = [...new Map([...columns, ...news].map((column) => [column.title, column])).values()];
      const names = new Set([...points, ...all.map(({ name }) => name)]);
      setColumns(all.slice(0, MOST_DVH_WISHES));
      if (names.size <= MOST_DVH_WISHES) setPoints([...names]);
      else setPoints([...new Set(all.slice(0, MOST_DVH_WISHES).map(({ name }) => name))]);
    },
    remove: (title: string) => setColumns(columns.filter((one) => one.title !== title)),
  };
}
