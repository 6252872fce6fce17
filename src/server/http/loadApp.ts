import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServerContext } from './serverContext.ts';
import type { ServerLog } from './serverLog.ts';

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/**
 * What the routes stand on. Node loads its `Response` when it is first named, and http2 with it; the smallest module with
 * a schema brings the schema library, and the endpoints build all of theirs.
 */
const FOUNDATIONS: readonly (() => Promise<unknown>)[] = [
  () => import('node:http2'),
  async () => globalThis.Response,
  () => import('../../shared/contract/nullable.ts'),
  () => import('../../shared/contract/endpoints.ts'),
];

/** Loads the routes, a part in each turn of the event loop: in one go they would hold up the scan that begins. */
export async function loadApp(context: ServerContext, log: ServerLog): Promise<Listener> {
  for (const load of FOUNDATIONS) {
    await nextTurn();
    await load();
  }
  const { createApp } = await import('./app.ts');
  return createApp(context, log);
}
