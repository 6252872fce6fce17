import { sendJson } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

export function hangingRoutes({ hangingRules }: ServerContext) {
  const hanging: Handler = (c) => sendJson(c, { rules: hangingRules });
  return { hanging };
}
