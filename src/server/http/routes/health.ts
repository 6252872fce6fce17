import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import type { HealthResponse } from '../../../shared/contract/health.ts';
import { buildIdentity } from '../buildIdentity.ts';
import { parseQuery } from '../parseQuery.ts';
import { sendJson } from '../sendJson.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';

export function healthRoutes({ catalog, frames, startedAtMs }: ServerContext) {
  const health: Handler = (c) => {
    const { detail } = parseQuery(ENDPOINTS.health.query, c);
    const { scanned, scanComplete } = catalog.progress;
    const body: HealthResponse = {
      status: 'ok',
      ready: true,
      viewer: buildIdentity(),
      file_count: scanned,
      server_start_ms: startedAtMs,
      scan_complete: scanComplete,
      ...(detail === 'decode' && {
        decode: { reserved_bytes: frames.reservedBytes(), budget_bytes: frames.memory.decodeBytes },
      }),
    };
    return sendJson(c, body);
  };
  return { health };
}
