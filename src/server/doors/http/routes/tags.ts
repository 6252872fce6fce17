import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { type KnownSource, sizeOf, stateOf } from '../../../bytes/origins/origins.ts';
import { type ReadingBytes, readTagsTask, selectTagTask } from '../../../standard/dicom/tagTasks.ts';
import { readBytesOf, readBytesOfAny } from '../../../standard/dicom/readCost.ts';
import { createKeptWork } from '../../../images/pixels/keptWork.ts';
import type { Task } from '../../../machine/workers/task.ts';
import { createHoldAnswer } from '../sendBytes.ts';
import type { Exchange } from '../exchange.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { sendJsonBytes } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

type Json = Uint8Array<ArrayBuffer>;

/** A file to read tags from, and the memory that reading it takes. */
type TagSource = { readonly source: KnownSource; readonly of: ReadingBytes };

/** Files addressed by a number in the path. */
type TagSources = {
  readonly number: 'index' | 'entry';
  readonly get: (number: number) => TagSource;
};

export function tagRoutes({ catalog, tasks, memory: account }: ServerContext) {
  const holdAnswer = createHoldAnswer(account.answers);
  const kept = createKeptWork({ cache: account.cache<Json>('tags'), bytesOf: ({ length }) => length });
  /** Answers with what a task wrote, or with what it wrote before if the file has not changed. */
  const answer = async <Query extends object>(
    c: Exchange,
    task: Task<Query & { readonly source: KnownSource }, Json, ReadingBytes>,
    { source, of }: TagSource,
    query: Query,
  ) => {
    const key = `${await stateOf(source)}\0${JSON.stringify(query)}`;
    const { value } = await kept.get(key, { signal: c.signal }, (signal) =>
      tasks.run(task, { ...query, source }, { of, signal }),
    );
    await holdAnswer(c, value.length);
    return sendJsonBytes(c, value);
  };
  const listed: TagSources = {
    number: 'index',
    get(index) {
      const file = catalog.get(index);
      return { source: file.source, of: { mostBytes: readBytesOf(file) } };
    },
  };
  const skipped: TagSources = {
    number: 'entry',
    get(entry) {
      const source = catalog.getSkipped(entry);
      return { source, of: { mostBytes: readBytesOfAny(sizeOf(source)) } };
    },
  };

  // The path is checked before the query, and the query before the file.
  const answerTree =
    (sources: TagSources): Handler =>
    async (c) => {
      const number = parsePathNumber(c, sources.number);
      const { depth = 4, items = 64 } = parseQuery(ENDPOINTS.tags.query, c);
      return answer(c, readTagsTask, sources.get(number), { depth, items });
    };
  const answerElement =
    (sources: TagSources): Handler =>
    async (c) => {
      const number = parsePathNumber(c, sources.number);
      const { path: tagPath, offset = 0, limit = 64 } = parseQuery(ENDPOINTS.tagSelect.query, c);
      return answer(c, selectTagTask, sources.get(number), { tagPath, offset, limit });
    };
  return {
    tags: answerTree(listed),
    tagSelect: answerElement(listed),
    skippedTags: answerTree(skipped),
    skippedTagSelect: answerElement(skipped),
  };
}
