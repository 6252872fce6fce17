import type { PlainBrowser } from './plainBrowser.ts';
import { startServer } from './server.ts';
import { type Link, startShapingProxy } from './shapingProxy.ts';

export type VisitOptions = {
  /** `picture`: the first frame as a bare PNG, without a page. */
  readonly of: 'page' | 'picture';
  /** The link to the server; none on loopback. */
  readonly link?: Link;
};

/**
 * Milliseconds from navigation until the first image is shown. The server has scanned its files, and was started for
 * this visit: its address is new, so that the browser has neither cached responses nor a connection.
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
