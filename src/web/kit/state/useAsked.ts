import { useEffect, useState } from 'react';
import { type Answer, type Ask, askServer } from './answers.ts';
import { usePage } from './page.ts';
import type { AtRest } from './useAtRest.ts';

export type Asked<Question, Value> = Omit<Answer<Value>, 'error'> & {
  /** The question that value and error are about: the one before, until there is an answer to the current one. */
  readonly question: Question | undefined;
  readonly error: string | undefined;
  readonly retry: () => void;
};

export type AskedOptions<Question, Value> = {
  /** Must be stable: another function is another question. */
  readonly ask: Ask<Question, Value>;
  /** When the request is sent. At once by default. */
  readonly begin?: AtRest;
  /** The same question is asked again when this changes. */
  readonly again?: unknown;
};

/** Asks what a component shows, for as long as it does. Questions with the same JSON are equal. */
export function useAsked<Question, Value>(
  question: Question | undefined,
  { ask, begin = beginAtOnce, again }: AskedOptions<Question, Value>,
): Asked<Question, Value> {
  const page = usePage();
  const key = question === undefined ? undefined : JSON.stringify(question);
  const [told, setTold] = useState<Answer<Value> & { readonly key: string; readonly question: Question }>();
  const [tries, setTries] = useState(0);

  useEffect(() => {
    if (key === undefined) return undefined;
    const asked: Question = JSON.parse(key);
    return begin(({ signal, show }) => {
      const tell = (answer: Answer<Value>) => show(() => setTold({ key, question: asked, ...answer }));
      void askServer(page, asked, { ask, signal, tell });
    });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the last two trigger a new request
  }, [page, key, ask, begin, again, tries]);

  return {
    question: told?.question,
    value: told?.value,
    error: told?.error?.message,
    isLoading: told?.key !== key || (told?.isLoading ?? false),
    retry() {
      setTold(undefined);
      setTries((count) => count + 1);
    },
  };
}

const beginAtOnce: AtRest = (work) => {
  const turn = new AbortController();
  const { signal } = turn;
  work({ signal, show: (update) => signal.aborted || update() });
  return () => turn.abort();
};
