import type { ByteCache } from '../../../../shared/byteCache.ts';
import { type KeptJson, sendKeptJson } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

export function seriesRoutes({ series: list }: ServerContext, kept: ByteCache<KeptJson>) {
  const series: Handler = async (c) => {
    const { key, write } = await list.read();
    return sendKeptJson(c, { kept, key: key && `series ${key}` }, write);
  };
  return { series };
}
