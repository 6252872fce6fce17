import type { PlainBrowser } from './plainBrowser.ts';
import { startServer } from './server.ts';
import { type Link, startShapingProxy } from './shapingProxy.ts';

export type VisitOptions = {
  /** `picture`: the first frame as a bare PNG, without a page. */
  readonly of: 'page' | 'picture';
  /** The line to the server; none on loopback. */
  readonly link?: Link;
};

/**
 * Milliseconds from navigation until the first image is there. The server has found its files, and was started for this
 * visit: its address is new, so that the browser has nothing of it in its cache and no connection to it.
 */
export async function timeVisit(browser: PlainBrowser, files: string, { of, link }: VisitOptions): Promise<number> {
  const server = await startServer(files);
  const proxy = link && (await startShapingProxy(server.url, link));
  const { url } = proxy ?? server;
  try {
    const { tookMs } =
      of === 'page'
        ? await browser.visit(url, 'first image')
        : await browser.visit(`${url}/api/file/0/frame/0`, 'loaded');
    return tookMs;
  } finally {
    await proxy?.close();
    await server.stop();
  }
}
