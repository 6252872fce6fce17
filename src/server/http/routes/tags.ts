import type { Context } from 'hono';
import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import { readTagsTask, selectTagTask } from '../../dicom/tagTasks.ts';
import { readMemoryOf } from '../../pixels/decodeCost.ts';
import { createHoldAnswer } from '../holdAnswer.ts';
import { parsePathNumber } from '../parsePath.ts';
import { parseQuery } from '../parseQuery.ts';
import { sendJsonBytes } from '../sendJson.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';

const TIMEOUT_MS = 10_000;

export function tagRoutes({ catalog, tasks, memory }: ServerContext) {
  const holdAnswer = createHoldAnswer(memory.answers);
  const sendLong = async (c: Context, json: Uint8Array<ArrayBuffer>) => {
    await holdAnswer(c, json.length);
    return sendJsonBytes(c, json);
  };
  const tags: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const { depth = 4, items = 64 } = parseQuery(ENDPOINTS.tags.query, c);
    const file = catalog.get(index);
    const { realPath: path, identity } = file;
    const options = { timeoutMs: TIMEOUT_MS, memory: readMemoryOf(file), signal: c.req.raw.signal };
    return sendLong(c, await tasks.run(readTagsTask, { path, identity, depth, items }, options));
  };
  const tagSelect: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const { path: tagPath, offset = 0, limit = 64 } = parseQuery(ENDPOINTS.tagSelect.query, c);
    const file = catalog.get(index);
    const { realPath: path, identity } = file;
    const options = { timeoutMs: TIMEOUT_MS, memory: readMemoryOf(file), signal: c.req.raw.signal };
    return sendLong(c, await tasks.run(selectTagTask, { path, identity, tagPath, offset, limit }, options));
  };
  return { tags, tagSelect };
}
