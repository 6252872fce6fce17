/** Options of work that no client waits for. */
export const NOBODY = { signal: undefined } as const;
