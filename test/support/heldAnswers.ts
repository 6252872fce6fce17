import { vi } from 'vitest';

/** Answers the request with a JSON body. */
type Answer = (body: unknown) => void;

/**
 * Replaces `fetch` until `vi.unstubAllGlobals()`: requests of the page wait until the test answers them, in any order.
 * Returns one answer for each request so far.
 */
export function holdAnswers(): readonly Answer[] {
  const answers: Answer[] = [];
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('location', new URL('http://127.0.0.1:8123/'));
  vi.stubGlobal(
    'fetch',
    (_: string, { signal }: RequestInit) =>
      new Promise<Response>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')));
        answers.push((body) => resolve(Response.json(body)));
      }),
  );
  return answers;
}
