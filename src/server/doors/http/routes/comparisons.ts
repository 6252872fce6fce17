import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { VOLUME_WAIT_MS } from '../../../machine/workers/askWhileBusy.ts';
import { parseQuery } from '../parseRequest.ts';
import { sendLongJson } from '../sendJson.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';
import { RequestOptions } from './frames.ts';

/** How far layers agree. */
export function comparisonRoutes({ comparisons }: ServerContext) {
  return {
    async compare(c) {
      c.ownWaitMs = VOLUME_WAIT_MS;
      return sendLongJson(c, await comparisons.compare(parseQuery(ENDPOINTS.compare.query, c), new RequestOptions(c)));
    },
  } satisfies Handlers;
}
