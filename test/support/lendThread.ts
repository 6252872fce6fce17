import { startThread, type StartThread, type Thread } from '../../src/server/machine/workers/startThread.ts';
import { READY, type ScanBeginning } from '../../src/server/images/catalog/scanMessages.ts';
import type { SeriesRequest } from '../../src/server/images/series/seriesMessages.ts';
import type { TableThreadRequest } from '../../src/server/images/tables/tableMessages.ts';

type Protocol = {
  /** Whether the thread answers the message. */
  readonly isAnswered: (message: object) => boolean;
  /** Whether a message of the thread is the last answer to one message. */
  readonly isAnswer: (message: unknown) => boolean;
};

/** The messages of the threads that begin anew with their first message. */
const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  'scan.worker': {
    isAnswered: (message) => !isBeginning(message) || message.begin.walk === undefined,
    isAnswer(message) {
      if (typeof message !== 'object' || message === null) return message === READY;
      return 'columns' in message || ('done' in message && !('continues' in message && message.continues === true));
    },
  },
  'series.worker': {
    isAnswered: (message) => isSeriesRequest(message) && ['begin', 'continue', 'stack'].includes(message.kind),
    isAnswer: () => true,
  },
  'table.worker': {
    isAnswered: (message) => isTableRequest(message) && 'answer' in message && message.kind !== 'drop',
    isAnswer: () => true,
  },
};

/** Idle threads, by name. */
const idle = new Map<string, Thread[]>();
/** Tests of one process run one after another, and few of them use two servers. */
const MOST_IDLE = 2;

/**
 * Threads that the servers of this test process use in turn, because starting one takes more processor time than most
 * tests. To its owner, a thread that is given back has ended. One that still works when its owner ends it does end.
 */
export const lendThread: StartThread = (name, limits) => {
  const protocol = PROTOCOLS[name];
  if (protocol === undefined) throw new Error(`threads of ${name} cannot be used twice`);
  const others = idle.get(name) ?? [];
  idle.set(name, others);
  const thread = others.pop() ?? start(name, limits, others);
  thread.ref();
  let unanswered = 0;
  let isOver = false;
  const listeners: Listener[] = [
    {
      event: 'message',
      call: (message) => {
        if (protocol.isAnswer(message)) unanswered -= 1;
      },
    },
  ];
  owners.set(thread, listeners);
  return {
    on: (event, listener) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is called with what the thread sends
      listeners.push({ event, call: listener as (detail: unknown) => void }),
    postMessage(message) {
      if (typeof message === 'object' && message !== null && protocol.isAnswered(message)) unanswered += 1;
      thread.postMessage(message);
    },
    ref: () => thread.ref(),
    unref: () => thread.unref(),
    async terminate() {
      if (isOver || !owners.has(thread)) return;
      isOver = true;
      if (unanswered > 0 || others.length >= MOST_IDLE) {
        await thread.terminate();
        return;
      }
      owners.set(thread, []);
      thread.unref();
      others.push(thread);
      for (const { event, call } of listeners) if (event === 'exit') call(1);
    },
  };
};

type Listener = { readonly event: string; readonly call: (detail: unknown) => void };

/** The listeners of the present owner of each thread that runs. */
const owners = new WeakMap<Thread, readonly Listener[]>();

function start(name: string, limits: Parameters<StartThread>[1], others: Thread[]): Thread {
  const thread = startThread(name, limits);
  for (const event of ['message', 'error', 'exit'] as const) {
    thread.on(event, (detail: unknown) => {
      for (const listener of owners.get(thread) ?? []) if (listener.event === event) listener.call(detail);
    });
  }
  thread.on('exit', () => {
    owners.delete(thread);
    if (others.includes(thread)) others.splice(others.indexOf(thread), 1);
  });
  return thread;
}

function isBeginning(message: object): message is ScanBeginning {
  return 'begin' in message;
}

function isTableRequest(message: object): message is TableThreadRequest {
  return 'kind' in message;
}

function isSeriesRequest(message: object): message is SeriesRequest {
  return 'kind' in message;
}
