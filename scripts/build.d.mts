/** Bundles the server into `outdir` (dist/); a debug-api build answers every web origin. Answers the bundled modules. */
export function buildServer(options?: {
  debugApi?: boolean;
  outdir?: string;
  entries?: readonly string[];
}): Promise<Iterable<string>>;
