/**
 * Bundles the server into `outdir` (dist/); a debug-api build answers every web origin. Returns the bundled modules.
 */
export function buildServer(options?: {
  debugApi?: boolean;
  outdir?: string;
  entries?: readonly string[];
}): Promise<Iterable<string>>;

/** Generates the slice of the demo study that is part of the package, unless it is newer than the code. */
export function makeFirstSlice(options?: { outdir?: string }): void;
