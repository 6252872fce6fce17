import { buildOpenApi } from '../../../../shared/contract/openapi.ts';
import { buildIdentity } from '../buildIdentity.ts';
import { sendJsonBytes } from '../sendJson.ts';
import type { Handler } from '../serverContext.ts';

export function openApiRoutes() {
  // Built on the first request, because few clients need it and building it takes as long as all other routes together.
  let document: Uint8Array<ArrayBuffer> | undefined;
  const openapi: Handler = (c) => sendJsonBytes(c, (document ??= writeDocument()));
  return { openapi };
}

/** Called only once, because the document is long and serializing it takes milliseconds. */
function writeDocument(): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(buildOpenApi(buildIdentity().version)));
}
