import { EventEmitter } from 'node:events';
import type { RawWorker } from '../../src/server/machine/workers/workerThread.ts';
import { GIVE_BACK, type TaskRequest } from '../../src/server/machine/workers/taskMessages.ts';

/** How a thread behaves. Times are in milliseconds; undefined is never. */
export type ThreadScript = {
  readonly onlineAfter?: number | undefined;
  readonly answersAfter?: number | undefined;
  readonly givesBackAfter?: number | undefined;
  /** After it was terminated. */
  readonly exitsAfter?: number | undefined;
  /** By itself, with an error or without. */
  readonly diesAfter?: number | undefined;
  readonly diesWithError?: boolean;
};

/**
 * Stands in for a worker of Node, with the timers of the test. As with a real one, what it has sent before it exits
 * arrives, even if it was terminated meanwhile, and what is sent to it afterwards is lost.
 */
export class ScriptedWorker extends EventEmitter implements RawWorker {
  readonly #script: ThreadScript;
  readonly #inbox: unknown[] = [];
  #isOnline = false;
  #isTerminated = false;
  #hasExited = false;

  constructor(script: ThreadScript) {
    super();
    this.#script = script;
    this.#after(script.onlineAfter, () => {
      if (this.#isTerminated) return;
      this.#isOnline = true;
      this.emit('online');
      for (const message of this.#inbox.splice(0)) this.#receive(message);
    });
    this.#after(script.diesAfter, () => {
      if (script.diesWithError === true) this.emit('error', new Error('scripted'));
      this.#exit(1);
    });
  }

  postMessage(message: unknown): void {
    if (this.#isOnline) this.#receive(message);
    else this.#inbox.push(message);
  }

  async terminate(): Promise<number> {
    if (!this.#isTerminated) this.#after(this.#script.exitsAfter, () => this.#exit(1));
    this.#isTerminated = true;
    return 1;
  }

  ref(): void {}
  unref(): void {}

  #receive(message: unknown): void {
    if (this.#isTerminated) return;
    const memory = { wasmBytes: 0, heapBytes: 0, bufferBytes: 0 };
    if (message === GIVE_BACK) this.#send(this.#script.givesBackAfter, { givenBack: memory });
    else if (isTask(message)) this.#send(this.#script.answersAfter, { id: message.id, ok: true, output: 'ok', memory });
  }

  #send(ms: number | undefined, message: unknown): void {
    this.#after(ms, () => this.emit('message', message));
  }

  #after(ms: number | undefined, act: () => void): void {
    if (ms === undefined) return;
    setTimeout(() => {
      if (!this.#hasExited) act();
    }, ms);
  }

  #exit(code: number): void {
    this.#hasExited = true;
    this.emit('exit', code);
  }
}

function isTask(message: unknown): message is TaskRequest {
  return typeof message === 'object' && message !== null && 'id' in message;
}
