import { pathToFileURL } from 'node:url';

/** The build folder when sources run unbundled (in tests); undefined in the bundle, which knows its own location. */
declare const NEGATO_DIST: string | undefined;

/**
 * The built code of a worker thread: `worker`, `scan.worker`, `origin.worker`, `watch.worker`, `series.worker`,
 * `table.worker`, `socketTable.worker`, `index.worker` or `demo.worker`. It is CommonJS, because a thread starts faster without Node's
 * loader of ES modules.
 */
export function workerFile(name: string): URL {
  return new URL(`${name}.cjs`, distFolder());
}

/** The folder of the build: the entry modules, and below it the chunks, the page and the decoders. */
export function distFolder(): URL {
  if (typeof NEGATO_DIST === 'string') return pathToFileURL(NEGATO_DIST);
  const here = new URL('.', import.meta.url);
  // The bundler moves code that is loaded lazily, or shared by such code, into chunks/, below the entry modules.
  return here.pathname.endsWith('/chunks/') ? new URL('..', here) : here;
}
