import { expect, test } from 'vitest';
import { localFile } from '../../bytes/origins/origins.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type IndexRows, readIndexRowsTask } from './indexTasks.ts';
import { openIndexes } from './openIndex.ts';
import { packResults, unpackResults } from './scanResult.ts';

/** Opens an index of ten parts of ten rows, some of which cannot be read. */
async function open(isDamaged: (part: number) => boolean) {
  const started: number[] = [];
  const tasks: TaskRunner = {
    async run(task, input) {
      expect(task.name).toBe(readIndexRowsTask.name);
      const part = Number(Reflect.get(Object(input), 'from')) / 10;
      started.push(part);
      if (isDamaged(part)) throw new Error('it is damaged');
      const rows: IndexRows = { results: packResults([]), elsewhere: [] };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the output of the only task
      return rows as never;
    },
  };
  const parts = Array.from({ length: 10 }, (_, at) => ({ from: 10 * at, to: 10 * at + 10 }));
  const indexes = [{ source: localFile('/index.parquet'), description: { columns: [], parts } }];
  const troubles: string[] = [];
  const refused: string[] = [];
  const { signal } = new AbortController();
  const onTrouble = (message: string) => troubles.push(message);
  for await (const { results } of openIndexes({ indexes }, { tasks, filters: [], places: [], onTrouble, signal })) {
    refused.push(
      ...unpackResults(results).flatMap((result) => (result.disposition === 'skipped' ? [result.path] : [])),
    );
  }
  return { started, refused, troubles };
}

test('a part that cannot be read is listed, and the others are read', async () => {
  const { started, refused, troubles } = await open((part) => part === 3);

  expect(started).toHaveLength(10);
  expect(refused).toEqual(['rows 30 to 39 of the index']);
  expect(troubles).toEqual(['rows 30 to 39 of an index cannot be read: it is damaged']);
});

test('after eight parts that cannot be read no others are tried, because each may take the whole time', async () => {
  const { started, refused } = await open(() => true);

  expect(started.length).toBeLessThan(10);
  expect(refused).toHaveLength(10);
});
