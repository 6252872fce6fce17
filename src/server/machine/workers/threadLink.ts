import { type MessagePort, MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

/** One end of a connection over which a thread asks another one, and may wait for the answer without an event loop. */
export type ThreadLink = {
  readonly port: MessagePort;
  /** Shared by both ends: the number of answers so far, 1 once nobody answers any more, and 1 while someone waits. */
  readonly answered: Int32Array;
};

/** The asking end and the answering end. */
export function createThreadLink(): { readonly asking: ThreadLink; readonly answering: ThreadLink } {
  const { port1, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
  return { asking: { port: port1, answered }, answering: { port: port2, answered } };
}

/** The answering thread has ended, or has not answered in time. */
export class LinkBroken extends Error {
  override readonly name: string = 'LinkBroken';
}

/** It has not answered in time, and may still do so. */
export class LinkSilent extends LinkBroken {
  override readonly name = 'LinkSilent';
}

/** Whether the asking end waits for an answer now. For every thread that has the link. */
export function isLinkAwaited({ answered }: Pick<ThreadLink, 'answered'>): boolean {
  return Atomics.load(answered, 2) !== 0;
}

type Numbered = { readonly id: number; readonly content: unknown };

/** The asking end learns that nobody answers any more. */
export function breakLink({ answered }: ThreadLink): void {
  Atomics.store(answered, 1, 1);
  Atomics.notify(answered, 0);
}

/** Asks and waits. For threads that read synchronously; the main thread never waits. */
export function createWaitingAsker({ port, answered }: ThreadLink, limitMs: number) {
  let last = 0;
  /** The questions whose answers are wanted, and the answers that have arrived. */
  const open = new Map<number, { readonly content: unknown } | undefined>();

  const receive = () => {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `answerLink` sends
      const { id, content } = next.message as Numbered;
      // The answer to a question that was given up may still arrive.
      if (open.has(id)) open.set(id, { content });
    }
  };
  const begin = (content: unknown): number => {
    const id = (last += 1);
    open.set(id, undefined);
    port.postMessage({ id, content } satisfies Numbered);
    return id;
  };
  const finish = (id: number, patienceMs = limitMs): unknown => {
    const until = performance.now() + patienceMs;
    Atomics.store(answered, 2, 1);
    try {
      for (;;) {
        const seen = Atomics.load(answered, 0);
        if (open.get(id) === undefined) receive();
        const answer = open.get(id);
        if (answer !== undefined) return answer.content;
        if (Atomics.load(answered, 1) !== 0) throw new LinkBroken('the thread that answers has ended');
        if (performance.now() > until) throw new LinkSilent(`no answer within ${patienceMs} ms`);
        // Waits in short intervals, so that the thread can be terminated in the meantime.
        Atomics.wait(answered, 0, seen, 100);
      }
    } finally {
      Atomics.store(answered, 2, 0);
      open.delete(id);
    }
  };

  return {
    ask: (content: unknown): unknown => finish(begin(content)),
    /** Asks now; `finish` waits for the answer, which has to be fetched. */
    begin,
    finish,
    /** Sends what is not answered. */
    tell(content: unknown): void {
      port.postMessage({ id: 0, content } satisfies Numbered);
    },
  };
}

/** Asks without waiting. */
export function createAsker({ port }: ThreadLink) {
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;
  port.on('message', ({ id, content }: Numbered) => {
    waiting.get(id)?.resolve(content);
    waiting.delete(id);
  });
  port.on('close', () => {
    for (const { reject } of waiting.values()) reject(new LinkBroken('the thread that answers has ended'));
    waiting.clear();
  });
  // A question without an answer does not keep the process alive.
  port.unref();
  return {
    ask: (content: unknown): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const id = (last += 1);
        waiting.set(id, { resolve, reject });
        port.postMessage({ id, content } satisfies Numbered);
      }),
    /** Sends what is not answered. */
    tell(content: unknown): void {
      port.postMessage({ id: 0, content } satisfies Numbered);
    },
  };
}

type Answered = { readonly answer: unknown; readonly transfer?: readonly ArrayBuffer[] };

/** Answers all questions of the other end. `answer` returns undefined for what is only told. */
export function answerLink(
  { port, answered }: ThreadLink,
  answer: (question: unknown) => Promise<Answered | undefined>,
): void {
  const reply = async ({ id, content }: Numbered) => {
    const found = await answer(content);
    if (found === undefined) return;
    port.postMessage({ id, content: found.answer } satisfies Numbered, [...(found.transfer ?? [])]);
    // After the message: a thread that wakes up finds it.
    Atomics.add(answered, 0, 1);
    Atomics.notify(answered, 0);
  };
  port.on('message', (question: Numbered) => void reply(question));
}
