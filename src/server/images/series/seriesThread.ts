import { startThread, type StartThread } from '../../machine/workers/startThread.ts';
import type {
  AnswerMoment,
  FoundStack,
  SeriesPiece,
  SeriesReply,
  SeriesRequest,
  WantedStack,
} from './seriesMessages.ts';
import type { LargeStack, PackedStack } from './stackRecord.ts';

/** A thread that builds and writes the series of the files that it receives. */
export interface SeriesThread {
  send(facts: Extract<SeriesRequest, { kind: 'files' | 'read' | 'place' | 'gone' }>): void;
  /** The response of /series with everything sent so far, written as it is read. Rejects if the thread has died. */
  answer(moment: AnswerMoment): Promise<AsyncGenerator<Uint8Array<ArrayBuffer>, void>>;
  /** The stack of a frame of a file, built from everything sent so far. Rejects if the thread has died. */
  findStack(wanted: WantedStack): Promise<PackedStack | LargeStack | undefined>;
  end(): Promise<unknown>;
}

type Waiter = { readonly resolve: (reply: SeriesReply) => void; readonly reject: (error: Error) => void };

/**
 * What is built is kept, so a larger young generation would only take memory and keep it. The stacks of a million images
 * take half of the old generation; if it runs out, this thread ends and is restarted, but not the process.
 */
const LIMITS = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 4 };

export function startSeriesThread(
  onDeath: (thread: SeriesThread) => void,
  start: StartThread = startThread,
): SeriesThread {
  const worker = start('series.worker', LIMITS);
  const waiting = new Map<number, Waiter>();
  let answers = 0;
  let death: Error | undefined;

  const post = (request: SeriesRequest) => worker.postMessage(request);

  function ask<Reply extends SeriesReply>(request: Extract<SeriesRequest, { kind: 'begin' | 'continue' | 'stack' }>) {
    return new Promise<Reply>((resolve, reject) => {
      if (death !== undefined) {
        reject(death);
        return;
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind of the request decides that of the reply
      waiting.set(request.answer, { resolve: (reply) => resolve(reply as Reply), reject });
      worker.ref();
      post(request);
    });
  }

  function take(answer: number): Waiter | undefined {
    const waiter = waiting.get(answer);
    waiting.delete(answer);
    // A thread without pending requests does not keep the process alive.
    if (waiting.size === 0) worker.unref();
    return waiter;
  }

  function die(message: string, cause?: unknown): void {
    if (death !== undefined) return;
    death = new Error(message, { cause });
    onDeath(thread);
    for (const answer of waiting.keys()) take(answer)?.reject(death);
  }

  worker.on('message', (reply: SeriesReply) => take(reply.answer)?.resolve(reply));
  worker.on('error', (cause) => die('the series thread failed', cause));
  worker.on('exit', (code) => die(`the series thread exited with code ${code}`));
  worker.unref();
  post({ kind: 'start' });

  const thread: SeriesThread = {
    send: post,
    async answer(moment) {
      answers += 1;
      const answer = answers;
      const first = await ask<SeriesPiece>({ kind: 'begin', answer, ...moment });
      return readPieces(first, {
        next: () => ask<SeriesPiece>({ kind: 'continue', answer }),
        drop: () => post({ kind: 'drop', answer }),
      });
    },
    async findStack(wanted) {
      answers += 1;
      return (await ask<FoundStack>({ kind: 'stack', answer: answers, ...wanted })).stack;
    },
    end: () => worker.terminate(),
  };
  return thread;
}

/** A piece is requested only after the previous one has been read. */
async function* readPieces(
  first: SeriesPiece,
  rest: { readonly next: () => Promise<SeriesPiece>; readonly drop: () => void },
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let { piece } = first;
  try {
    for (; piece !== undefined; { piece } = await rest.next()) yield piece;
  } finally {
    if (piece !== undefined) rest.drop();
  }
}
