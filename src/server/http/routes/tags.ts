import type { Context } from 'hono';
import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import { type KnownSource, sizeOf } from '../../origins/origins.ts';
import { readTagsTask, selectTagTask } from '../../dicom/tagTasks.ts';
import { readMemoryOf, readMemoryOfAny } from '../../pixels/decodeCost.ts';
import type { TaskMemory } from '../../workers/task.ts';
import { createHoldAnswer } from '../sendBytes.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { sendJsonBytes } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

const TIMEOUT_MS = 10_000;

/** A file to read tags from, and the memory that reading it takes. */
type TagSource = { readonly source: KnownSource; readonly memory: TaskMemory };

/** Files addressed by a number in the path. */
type TagSources = {
  readonly number: 'index' | 'entry';
  readonly get: (number: number) => TagSource;
};

export function tagRoutes({ catalog, tasks, memory: account }: ServerContext) {
  const holdAnswer = createHoldAnswer(account.answers);
  const sendLong = async (c: Context, json: Uint8Array<ArrayBuffer>) => {
    await holdAnswer(c, json.length);
    return sendJsonBytes(c, json);
  };
  const listed: TagSources = {
    number: 'index',
    get(index) {
      const file = catalog.get(index);
      return { source: file.source, memory: readMemoryOf(file) };
    },
  };
  const skipped: TagSources = {
    number: 'entry',
    get(entry) {
      const source = catalog.getSkipped(entry);
      return { source, memory: readMemoryOfAny(sizeOf(source)) };
    },
  };

  // The path is checked before the query, and the query before the file.
  const answerTree =
    (sources: TagSources): Handler =>
    async (c) => {
      const number = parsePathNumber(c, sources.number);
      const { depth = 4, items = 64 } = parseQuery(ENDPOINTS.tags.query, c);
      const { source, memory } = sources.get(number);
      const options = { timeoutMs: TIMEOUT_MS, memory, signal: c.req.raw.signal };
      return sendLong(c, await tasks.run(readTagsTask, { source, depth, items }, options));
    };
  const answerElement =
    (sources: TagSources): Handler =>
    async (c) => {
      const number = parsePathNumber(c, sources.number);
      const { path: tagPath, offset = 0, limit = 64 } = parseQuery(ENDPOINTS.tagSelect.query, c);
      const { source, memory } = sources.get(number);
      const options = { timeoutMs: TIMEOUT_MS, memory, signal: c.req.raw.signal };
      return sendLong(c, await tasks.run(selectTagTask, { source, tagPath, offset, limit }, options));
    };
  return {
    tags: answerTree(listed),
    tagSelect: answerElement(listed),
    skippedTags: answerTree(skipped),
    skippedTagSelect: answerElement(skipped),
  };
}
