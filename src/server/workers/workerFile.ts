import { pathToFileURL } from 'node:url';

/** The folder of the build, where sources run unbundled (tests); undefined in the bundle, which knows where it lies. */
declare const NEGATO_DIST: string | undefined;

/** The built entry of a worker thread: `worker`, `scan.worker`, `series.worker` or `socketTable.worker`. */
export function workerFile(name: string): URL {
  return new URL(`${name}.js`, distFolder());
}

/** Where the build lies: the entries, and below them chunks, page and decoders. */
export function distFolder(): URL {
  if (typeof NEGATO_DIST === 'string') return pathToFileURL(NEGATO_DIST);
  const here = new URL('.', import.meta.url);
  // The bundler moves code that is loaded late, or that such code shares, into chunks/, below the entries.
  return here.pathname.endsWith('/chunks/') ? new URL('..', here) : here;
}
