import { useEffect, useState } from 'react';
import { areOfOneStack, useLibrary } from './library.ts';
import { usePage } from './page.ts';
import { type Turn, useAtRest } from './useAtRest.ts';
import { wait } from './wait.ts';

export type Answer<Value> = {
  /** The file that the answer is about. While the next image of a stack is loading, still the previous one. */
  readonly fileIndex: number | undefined;
  readonly value: Value | undefined;
  readonly error: string | undefined;
  readonly retry: () => void;
};

export type Question<Value> = {
  readonly ask: (fileIndex: number, signal: AbortSignal) => Promise<Value>;
  /** An answer that is not final is requested again a little later. Absent: every answer is final. */
  readonly isFinal?: (value: Value) => boolean;
};

const AGAIN_MS = 1_000;

/**
 * Requests what the server knows about a file, and requests it again when the scan is complete. `ask` and `isFinal`
 * must be stable. Valid for one run of the server, because another run assigns other file indices.
 */
export function useAnswer<Value>(
  fileIndex: number | undefined,
  { ask, isFinal = always }: Question<Value>,
): Answer<Value> {
  const page = usePage();
  const [state, setState] = useState<Omit<Answer<Value>, 'retry'>>(NOTHING);
  const [tries, setTries] = useState(0);
  const isScanOver = useLibrary(({ summary }) => summary?.scan_complete === true);
  const atRest = useAtRest();

  useEffect(() => {
    if (fileIndex === undefined) return undefined;
    const load = async ({ signal, show }: Turn) => {
      while (!signal.aborted) {
        const value = await ask(fileIndex, signal);
        show(() => setState({ fileIndex, value, error: undefined }));
        if (isFinal(value)) return;
        await wait(AGAIN_MS, signal);
      }
    };
    return atRest((turn) => {
      load(turn).catch((error: unknown) => {
        turn.show(() => setState({ fileIndex, value: undefined, error: describeError(error) }));
      });
    });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the last two trigger a new request
  }, [fileIndex, ask, isFinal, atRest, isScanOver, tries]);

  const isToldOf = areOfOneStack(page, state.fileIndex, fileIndex);
  return { ...(isToldOf ? state : NOTHING), retry: () => setTries((count) => count + 1) };
}

const NOTHING = { fileIndex: undefined, value: undefined, error: undefined };

function always(): boolean {
  return true;
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
