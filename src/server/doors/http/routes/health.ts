import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import type { HealthResponse } from '../../../../shared/contract/health.ts';
import { isMasked } from '../../../bytes/masking/masker.ts';
import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import { buildIdentity } from '../buildIdentity.ts';
import { parseQuery } from '../parseRequest.ts';
import { sendJson } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

export function healthRoutes({ catalog, memory, startedAtMs }: ServerContext) {
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
      masked: isMasked(),
      ...(detail === 'decode' && {
        decode: {
          reserved_bytes: memory.tasks.heldBytes(),
          budget_bytes: memory.tasks.budgetBytes,
          most_reserved_bytes: memory.tasks.mostHeldBytes(),
          waiting: memory.tasks.waiting(),
        },
        memory: toMemory(memory),
      }),
    };
    return sendJson(c, body);
  };
  return { health };
}

function toMemory(memory: MemoryAccount): NonNullable<HealthResponse['memory']> {
  const uses = memory.report();
  return {
    budget_bytes: memory.plan.totalBytes,
    held_bytes: uses.reduce((sum, { heldBytes }) => sum + heldBytes, 0),
    uses: uses.map(({ use, budgetBytes, heldBytes }) => ({ use, budget_bytes: budgetBytes, held_bytes: heldBytes })),
  };
}
