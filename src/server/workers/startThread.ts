import { type ResourceLimits, Worker } from 'node:worker_threads';
import { workerFile } from './workerFile.ts';

/** What the owner of a thread uses of it. */
export interface Thread {
  on<Event extends keyof ThreadEvents>(event: Event, listener: ThreadEvents[Event]): unknown;
  postMessage(message: unknown): void;
  ref(): void;
  unref(): void;
  /** Resolves when the thread has ended. */
  terminate(): Promise<unknown>;
}

export type ThreadEvents = {
  readonly message: (message: never) => void;
  readonly error: (cause: unknown) => void;
  readonly exit: (code: number) => void;
};

/** Starts a thread with the built code of this name. */
export type StartThread = (name: string, resourceLimits: ResourceLimits) => Thread;

export const startThread: StartThread = (name, resourceLimits) =>
  new Worker(workerFile(name), { execArgv: [], resourceLimits });
