import type { ThreadMemory } from './taskMessages.ts';
import type { WorkerThread } from './workerThread.ts';

export type IdleThreadsOptions = {
  /**
   * Limit for all idle threads together. Beyond it, the threads that have been idle longest end, except the last one.
   */
  readonly idleBytes: number;
  /** Whether the process has grown beyond its budget. Then the last idle thread ends too, if it has grown much. */
  readonly isScarce: () => boolean;
  readonly onIdleBytes: (bytes: number) => void;
  /** After this long without work, all of them end except one that has not grown much, which collects its garbage. */
  readonly idleMs: number;
  /** Called for each thread that ends because its memory is needed. */
  readonly onRecycled: () => void;
};

/**
 * What the last idle thread may keep: WebAssembly memory, of which a codec has 50 MiB and uses little unless a frame made
 * it grow, and everything else.
 */
const IDLE_WASM_BYTES = 64 * 2 ** 20;
const IDLE_BYTES = 32 * 2 ** 20;

/** Threads without work, and the memory that they keep. */
export function createIdleThreads(options: IdleThreadsOptions) {
  const { idleBytes, isScarce, onIdleBytes, idleMs, onRecycled } = options;
  const idle: { readonly thread: WorkerThread; readonly memory: ThreadMemory }[] = [];

  const timer = setTimeout(() => {
    const light = idle.filter(({ memory }) => isLight(memory));
    const [kept] = light.toSorted((one, other) => bytesOfThread(one.memory) - bytesOfThread(other.memory));
    for (const { thread } of idle.filter((waiting) => waiting !== kept)) void thread.end('idle');
    kept?.thread.collectGarbage();
  }, idleMs).unref();

  return {
    get count() {
      return idle.length;
    },
    add: (thread: WorkerThread, memory: ThreadMemory) => void idle.push({ thread, memory }),
    /** The one that was used last. */
    take: () => idle.pop()?.thread,
    /** It has ended. */
    remove(thread: WorkerThread) {
      const position = idle.findIndex((waiting) => waiting.thread === thread);
      if (position >= 0) idle.splice(position, 1);
    },
    /** Ends threads until the others keep no more than they may, those that have been idle longest first. */
    trim() {
      let bytes = idle.reduce((sum, { memory }) => sum + bytesOfThread(memory), 0);
      while (bytes > idleBytes) {
        const [longest, ...others] = idle;
        if (longest === undefined) break;
        const { thread, memory } = longest;
        if (others.length === 0 && (isLight(memory) || !isScarce())) break;
        idle.shift();
        bytes -= bytesOfThread(memory);
        onRecycled();
        void thread.end('its memory is needed');
      }
      onIdleBytes(bytes);
    },
    /** A thread has worked, so that the time without work starts again. */
    stayAwake: () => void timer.refresh(),
    close: () => clearTimeout(timer),
  };
}

function bytesOfThread({ wasmBytes, heapBytes, bufferBytes }: ThreadMemory): number {
  return wasmBytes + heapBytes + bufferBytes;
}

function isLight({ wasmBytes, heapBytes, bufferBytes }: ThreadMemory): boolean {
  return wasmBytes <= IDLE_WASM_BYTES && heapBytes + bufferBytes <= IDLE_BYTES;
}
