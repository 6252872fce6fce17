import type { Plugin } from 'vite';

/** Bundles the page into `outdir` (dist/web), with the server's list of its files; returns its modules. */
export function buildPage(options?: {
  outdir?: string;
  plugins?: Plugin[];
  /** False: neither minified nor compressed, which takes less time. */
  isSmall?: boolean;
}): Promise<Iterable<string>>;
