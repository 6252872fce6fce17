import { createStore, type StoreApi } from 'zustand/vanilla';
import { asError } from '../../../shared/asError.ts';
import { RequestRefused } from '../api/send.ts';
import type { Page } from './page.ts';
import { wait } from './wait.ts';

/** Asks the server. What is known before all of the answer is there goes to `show`. */
export type Ask<Question, Value> = (
  question: Question,
  signal: AbortSignal,
  show: (soFar: Value) => void,
) => Promise<Value>;

/** What is known of a question: a value, an error, or an error beside what came before it. */
export type Answer<Value> = {
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  /** More is to come. */
  readonly isLoading: boolean;
};

export type AnswersOptions<Question, Value> = {
  readonly ask: Ask<Question, Value>;
  /** Questions with the same key are equal. */
  readonly keyOf: (question: Question) => string | number;
  /** What else the answer depends on. If it has changed, the next `load` asks again. */
  readonly stateOf?: (question: Question) => unknown;
  /** A failure stays until `retry`. Otherwise the next `load` asks again. */
  readonly keepsFailures?: boolean;
  /** The answer that was not looked at for the longest time is forgotten when there are more. */
  readonly most?: number;
};

/** Answers of the server, each requested once for all who want it. While it is requested again, the answer before stays. */
export interface Answers<Question, Value> {
  /** Changes with every answer. */
  readonly changes: StoreApi<{ readonly count: number }>;
  /** Resolves with the value; undefined if there is none. The request ends when the signals of all who wait have aborted. */
  load(question: Question, signal?: AbortSignal): Promise<Value | undefined>;
  find(question: Question): Value | undefined;
  findError(question: Question): Error | undefined;
  /** The available values with their questions. */
  all(): readonly (readonly [Question, Value])[];
  /** Forgets a failure, and asks again. */
  retry(question: Question): void;
  /** Requests answers again that a decision of the user has changed: of one question, or of all that were asked. */
  renew(question?: Question): Promise<void>;
  /** Changes with `renew`, once the new answer is there. */
  versionOf(question: Question): number;
}

const MOST_KEPT = 1_000;

type Flight<Question, Value> = {
  readonly question: Question;
  readonly state: unknown;
  readonly version: number;
  /** Counts all flights: what an earlier one brings does not replace what a later one has brought. */
  readonly number: number;
  readonly ended: AbortController;
  waiting: number;
  readonly over: Promise<Value | undefined>;
};

export function createAnswers<Question, Value>(
  page: Page,
  { ask, keyOf, stateOf = () => undefined, keepsFailures = false, most = MOST_KEPT }: AnswersOptions<Question, Value>,
): Answers<Question, Value> {
  type Known = Answer<Value> & Pick<Flight<Question, Value>, 'question' | 'state' | 'version' | 'number'>;
  type Key = string | number;
  const known = new Map<Key, Known>();
  const flights = new Map<Key, Flight<Question, Value>>();
  /** How often answers were renewed. */
  const versions = new Map<Key, number>();
  const changes = createStore<{ readonly count: number }>(() => ({ count: 0 }));
  const tell = () => changes.setState(({ count }) => ({ count: count + 1 }));
  let begun = 0;
  page.onRestartFirst(() => {
    for (const map of [known, flights, versions]) map.clear();
  });
  page.onRestart(tell);

  const currentOf = (key: Key) => versions.get(key) ?? 0;
  const findKnown = (question: Question) => {
    const key = keyOf(question);
    const found = known.get(key);
    if (found !== undefined) keep(key, found);
    return found;
  };
  const keep = (key: Key, answer: Known) => {
    known.delete(key);
    known.set(key, answer);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
  };

  const begin = (key: Key, question: Question): Flight<Question, Value> => {
    const ended = new AbortController();
    begun += 1;
    const facts = { question, state: stateOf(question), version: currentOf(key), number: begun };
    const fly = async () => {
      const isOver = await askServer(page, question, {
        ask,
        signal: ended.signal,
        tell(answer) {
          if ((known.get(key)?.number ?? 0) > facts.number) return;
          keep(key, { ...facts, ...answer });
          if (!answer.isLoading && flights.get(key)?.number === facts.number) flights.delete(key);
          tell();
        },
      });
      ended.abort();
      return isOver ? known.get(key)?.value : undefined;
    };
    const flight = { ...facts, ended, waiting: 0, over: fly() };
    flights.set(key, flight);
    return flight;
  };

  const load = async (question: Question, signal?: AbortSignal): Promise<Value | undefined> => {
    const key = keyOf(question);
    const answer = findKnown(question);
    const [state, version] = [stateOf(question), currentOf(key)];
    const isAnswered = answer?.error === undefined ? answer?.state === state : keepsFailures;
    if (answer !== undefined && !answer.isLoading && answer.version === version && isAnswered) return answer.value;
    if (signal?.aborted) return undefined;
    const running = flights.get(key);
    const flight = running?.state === state && running?.version === version ? running : begin(key, question);
    flight.waiting += 1;
    const leave = () => {
      flight.waiting -= 1;
      if (flight.waiting > 0) return;
      flight.ended.abort();
      if (flights.get(key) === flight) flights.delete(key);
    };
    signal?.addEventListener('abort', leave, { signal: flight.ended.signal });
    return flight.over;
  };

  return {
    changes,
    load,
    find: (question) => findKnown(question)?.value,
    findError: (question) => findKnown(question)?.error,
    all: () => [...known.values()].flatMap(({ question, value }) => (value === undefined ? [] : [[question, value]])),
    retry(question) {
      const key = keyOf(question);
      if (known.get(key)?.error !== undefined && known.delete(key)) tell();
      void load(question);
    },
    async renew(question) {
      const asked = new Map([...known, ...flights].map(([key, one]) => [key, one.question]));
      const renewed = question === undefined ? asked : new Map([[keyOf(question), question]]);
      for (const key of renewed.keys()) if (asked.has(key)) versions.set(key, currentOf(key) + 1);
      // One after the other, because there may be many.
      for (const [key, one] of renewed) if (asked.has(key)) await load(one);
    },
    versionOf: (question) => known.get(keyOf(question))?.version ?? 0,
  };
}

type Asking<Question, Value> = {
  readonly ask: Ask<Question, Value>;
  readonly signal: AbortSignal;
  readonly tell: (answer: Answer<Value>) => void;
};

/** How often a server that is busy is asked again. Each time it tries for a while itself before it refuses. */
const MOST_REPEATS = 3;

/**
 * The only way from a question to its answer: a server that is busy is asked again when it says, and every failure is an
 * error with a message. Nothing is told, and the result is false, if the signal has aborted or another run of the server
 * answers, because file indices then mean other files.
 */
export async function askServer<Question, Value>(
  page: Page,
  question: Question,
  { ask, signal, tell }: Asking<Question, Value>,
): Promise<boolean> {
  const ending = page.untilRestart(signal);
  for (let repeats = 0; !ending.aborted; repeats += 1) {
    let value: Value | undefined;
    let error: Error | undefined;
    // What is left of a request that has failed ends with it.
    const trying = new AbortController();
    const whileTrying = AbortSignal.any([ending, trying.signal]);
    try {
      const asked = ask(question, whileTrying, (soFar) => {
        if (whileTrying.aborted) return;
        value = soFar;
        tell({ value, error: undefined, isLoading: true });
      });
      value = await Promise.race([asked, rejectOnAbort(whileTrying)]);
    } catch (thrown) {
      error = asError(thrown);
    }
    trying.abort();
    if (ending.aborted) return false;
    const waitMs = error instanceof RequestRefused && repeats < MOST_REPEATS ? error.retryAfterMs : undefined;
    if (waitMs === undefined) {
      tell({ value, error, isLoading: false });
      return true;
    }
    await wait(waitMs, ending);
  }
  return false;
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
