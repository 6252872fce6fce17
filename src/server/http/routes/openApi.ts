import { buildOpenApi } from '../../../shared/contract/openapi.ts';
import { buildIdentity } from '../buildIdentity.ts';
import { sendJson } from '../sendJson.ts';
import type { Handler } from './handler.ts';

export function openApiRoutes() {
  // Few ask for it, and building it takes as long as all other routes together.
  let document: ReturnType<typeof buildOpenApi> | undefined;
  const openapi: Handler = (c) => sendJson(c, (document ??= buildOpenApi(buildIdentity().version)));
  return { openapi };
}
