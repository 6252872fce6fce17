import { sendJsonStream } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

export function seriesRoutes({ series: list }: ServerContext) {
  const series: Handler = async (c) => sendJsonStream(c, await list.read());
  return { series };
}
