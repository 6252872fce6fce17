import type { Ask } from './answers.ts';
import { areOfOneStack, useLibrary } from './library.ts';
import { usePage } from './page.ts';
import { type Asked, useAsked } from './useAsked.ts';
import { useAtRest } from './useAtRest.ts';
import { wait } from './wait.ts';

export type FileAnswer<Value> = Pick<Asked<number, Value>, 'value' | 'error' | 'retry'> & {
  /** The file that the answer is about. While the next image of a stack is loading, still the previous one. */
  readonly fileIndex: number | undefined;
};

/**
 * Requests what the server knows about a file, and requests it again when the scan is complete. `ask` must be stable.
 * Valid for one run of the server, because another run assigns other file indices.
 */
export function useAnswer<Value>(fileIndex: number | undefined, ask: Ask<number, Value>): FileAnswer<Value> {
  const page = usePage();
  const again = useLibrary(({ summary }) => summary?.scan_complete === true);
  const { question, value, error, retry } = useAsked(fileIndex, { ask, begin: useAtRest(), again });
  if (!areOfOneStack(page, question, fileIndex))
    return { fileIndex: undefined, value: undefined, error: undefined, retry };
  return { fileIndex: question, value, error, retry };
}

const AGAIN_MS = 1_000;

/** Asks again a little later until the answer is complete. */
export function untilComplete<Value extends { readonly complete: boolean }>(
  ask: (fileIndex: number, signal: AbortSignal) => Promise<Value>,
): Ask<number, Value> {
  return async (fileIndex, signal, show) => {
    for (;;) {
      const value = await ask(fileIndex, signal);
      if (value.complete || signal.aborted) return value;
      show(value);
      await wait(AGAIN_MS, signal);
    }
  };
}
