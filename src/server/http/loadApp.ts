import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServerContext } from './serverContext.ts';
import type { ServerLog } from './serverLog.ts';

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/**
 * What the routes depend on. Node loads `Response`, and http2 with it, on first use. The smallest module with a schema
 * loads the schema library, and the endpoints build all their schemas.
 */
const FOUNDATIONS: readonly (() => Promise<unknown>)[] = [
  () => import('node:http2'),
  async () => globalThis.Response,
  () => import('../../shared/contract/nullable.ts'),
  () => import('../../shared/contract/endpoints.ts'),
];

/**
 * Loads the routes in parts, one per turn of the event loop: loading all at once would delay the scan, which starts at
 * the same time.
 */
export async function loadApp(context: ServerContext, log: ServerLog): Promise<Listener> {
  for (const load of FOUNDATIONS) {
    await nextTurn();
    await load();
  }
  const { createApp } = await import('./app.ts');
  return createApp(context, log);
}
