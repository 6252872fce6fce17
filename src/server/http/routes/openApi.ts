import { buildOpenApi } from '../../../shared/contract/openapi.ts';
import { buildIdentity } from '../buildIdentity.ts';
import { sendJson } from '../sendJson.ts';
import type { Handler } from './handler.ts';

export function openApiRoutes() {
  const document = buildOpenApi(buildIdentity().version);
  const openapi: Handler = (c) => sendJson(c, document);
  return { openapi };
}
