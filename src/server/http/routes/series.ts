import { sendJsonStream } from '../sendJson.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';

export function seriesRoutes({ series: list }: ServerContext) {
  const series: Handler = async (c) => sendJsonStream(c, await list.read());
  return { series };
}
