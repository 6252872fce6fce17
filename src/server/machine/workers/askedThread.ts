import type { ResourceLimits } from 'node:worker_threads';
import type { StartThread } from './startThread.ts';

/** An answer of a thread. It has the number of the question. */
export type NumberedReply = { readonly answer: number };

/** A thread with a state of its own that is told things and asked questions, in the order of the messages. */
export interface AskedThread<Request, Reply extends NumberedReply> {
  /** Sends what is not answered. */
  post(request: Request): void;
  /** Asks. Rejects if the thread has died. */
  ask<Wanted extends Reply>(request: (answer: number) => Request): Promise<Wanted>;
  /** Asks for the next part of an answer, by its number. */
  askAgain<Wanted extends Reply>(answer: number, request: Request): Promise<Wanted>;
  end(): Promise<unknown>;
}

export type AskedThreadOptions = {
  readonly name: string;
  readonly limits: ResourceLimits;
  readonly start: StartThread;
  /** Called once. The owner then starts another one when it needs it. */
  readonly onDeath: () => void;
};

type Waiter<Reply> = { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void };

export function startAskedThread<Request, Reply extends NumberedReply>({
  name,
  limits,
  start,
  onDeath,
}: AskedThreadOptions): AskedThread<Request, Reply> {
  const worker = start(name, limits);
  const waiting = new Map<number, Waiter<Reply>>();
  let answers = 0;
  let death: Error | undefined;

  function askAgain<Wanted extends Reply>(answer: number, request: Request): Promise<Wanted> {
    return new Promise((resolve, reject) => {
      if (death !== undefined) {
        reject(death);
        return;
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind of the request decides that of the reply
      waiting.set(answer, { resolve: (reply) => resolve(reply as Wanted), reject });
      worker.ref();
      worker.postMessage(request);
    });
  }

  function take(answer: number): Waiter<Reply> | undefined {
    const waiter = waiting.get(answer);
    waiting.delete(answer);
    // A thread without pending requests does not keep the process alive.
    if (waiting.size === 0) worker.unref();
    return waiter;
  }

  function die(message: string, cause?: unknown): void {
    if (death !== undefined) return;
    death = new Error(message, { cause });
    onDeath();
    for (const answer of waiting.keys()) take(answer)?.reject(death);
  }

  worker.on('message', (reply: Reply) => take(reply.answer)?.resolve(reply));
  worker.on('error', (cause) => die(`the thread ${name} failed`, cause));
  worker.on('exit', (code) => die(`the thread ${name} exited with code ${code}`));
  worker.unref();

  return {
    post: (request) => worker.postMessage(request),
    askAgain,
    ask(request) {
      answers += 1;
      return askAgain(answers, request(answers));
    },
    end: () => worker.terminate(),
  };
}

/** Pieces that a thread makes, each after the one before it was read. The last message has none. */
export type PieceReply = NumberedReply & { readonly piece: Uint8Array<ArrayBuffer> | undefined };

export async function* readPieces(
  first: PieceReply,
  rest: { readonly next: () => Promise<PieceReply>; readonly drop: () => void },
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let { piece } = first;
  try {
    for (; piece !== undefined; { piece } = await rest.next()) yield piece;
  } finally {
    if (piece !== undefined) rest.drop();
  }
}
