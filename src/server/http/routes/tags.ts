import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import { readTagsTask, selectTagTask } from '../../dicom/tagTasks.ts';
import { parsePathNumber } from '../parsePath.ts';
import { parseQuery } from '../parseQuery.ts';
import { sendJsonBytes } from '../sendJson.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';

const TIMEOUT_MS = 10_000;

export function tagRoutes({ catalog, tasks }: ServerContext) {
  const tags: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const { depth = 4, items = 64 } = parseQuery(ENDPOINTS.tags.query, c);
    const { realPath: path, identity } = catalog.get(index);
    const options = { timeoutMs: TIMEOUT_MS, signal: c.req.raw.signal };
    return sendJsonBytes(c, await tasks.run(readTagsTask, { path, identity, depth, items }, options));
  };
  const tagSelect: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const { path: tagPath, offset = 0, limit = 64 } = parseQuery(ENDPOINTS.tagSelect.query, c);
    const { realPath: path, identity } = catalog.get(index);
    const options = { timeoutMs: TIMEOUT_MS, signal: c.req.raw.signal };
    return sendJsonBytes(c, await tasks.run(selectTagTask, { path, identity, tagPath, offset, limit }, options));
  };
  return { tags, tagSelect };
}
