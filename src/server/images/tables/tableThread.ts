import { ViewerError } from '../../../shared/contract/errors.ts';
import { startAskedThread } from '../../machine/workers/askedThread.ts';
import { startThread, type StartThread } from '../../machine/workers/startThread.ts';
import type { FailedReply, TableFacts, TableQuestion, TableThreadReply, TableThreadRequest } from './tableMessages.ts';

type Answer = Exclude<TableThreadReply, FailedReply>;
type Question = (answer: number) => TableQuestion;

/** The thread that has the table. */
export interface TableThread {
  tell(facts: TableFacts): void;
  /** Rejects if the thread has died. The question of a client that has gone is not answered, unless that has begun. */
  ask<Wanted extends Answer>(question: Question, signal?: AbortSignal): Promise<Wanted>;
  askAgain<Wanted extends Answer>(answer: number, question: TableQuestion): Promise<Wanted>;
  /** The rest of an answer is no longer needed. */
  drop(answer: number): void;
  end(): Promise<unknown>;
}

/** The columns are outside of the heap; what a query makes for each of a million rows is, too. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

export function startTableThread(onDeath: () => void, start: StartThread = startThread): TableThread {
  const worker = startAskedThread<TableThreadRequest, TableThreadReply>({
    name: 'table.worker',
    limits: LIMITS,
    start,
    onDeath,
  });
  return {
    tell: (facts) => worker.post(facts),
    async ask<Wanted extends Answer>(question: Question, signal?: AbortSignal) {
      signal?.throwIfAborted();
      let number = 0;
      const drop = () => worker.post({ kind: 'drop', answer: number });
      signal?.addEventListener('abort', drop, { once: true });
      try {
        const reply = await worker.ask<Wanted | FailedReply>((answer) => question((number = answer)));
        signal?.throwIfAborted();
        return requireAnswer(reply);
      } finally {
        signal?.removeEventListener('abort', drop);
      }
    },
    askAgain: async <Wanted extends Answer>(answer: number, question: TableQuestion) =>
      requireAnswer(await worker.askAgain<Wanted | FailedReply>(answer, question)),
    drop: (answer) => worker.post({ kind: 'drop', answer }),
    end: () => worker.end(),
  };
}

function requireAnswer<Wanted extends Answer>(reply: Wanted | FailedReply): Wanted {
  if (!('failure' in reply)) return reply;
  const { failure, message } = reply;
  if (failure === 'too_many_groups') throw new ViewerError('invalid_query', `group: ${message}`);
  if (failure === 'column_gone') throw new ViewerError('column_not_ready', message);
  throw new Error(message);
}
