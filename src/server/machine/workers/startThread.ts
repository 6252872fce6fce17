import { type ResourceLimits, Worker } from 'node:worker_threads';
import { openSharedNote } from './sharedNote.ts';
import type { ThreadLink } from './threadLink.ts';
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

/** The data of a thread that is started by name. */
export type ThreadSetup = {
  /** How the thread asks the one that has the connections to other machines. */
  readonly remote: ThreadLink | undefined;
};

export const startThread: StartThread = (name, resourceLimits) => startConnected(undefined)(name, resourceLimits);

/** Starts threads that can ask the thread that has the connections to other machines. */
export function startConnected(connect: (() => ThreadLink) | undefined): StartThread {
  return (name, resourceLimits) => {
    const remote = connect?.();
    const transferList = remote === undefined ? [] : [remote.port];
    const workerData: ThreadSetup = { remote };
    openSharedNote();
    return new Worker(workerFile(name), { workerData, transferList, execArgv: [], resourceLimits });
  };
}
