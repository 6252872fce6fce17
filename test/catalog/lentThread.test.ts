import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCatalog } from '../../src/server/images/catalog/catalog.ts';
import { readTagsTask } from '../../src/server/standard/dicom/tagTasks.ts';
import { createWorkerPool } from '../../src/server/machine/workers/workerPool.ts';
import { writeDicomFiles } from '../cli/dicomFiles.ts';
import { createTempFolder } from '../support/tempFolder.ts';

test('a thread of the pool scans a small folder, and then runs the first task', async () => {
  const folder = createTempFolder();
  await writeDicomFiles(folder, 'a.dcm', 'b.dcm');
  const pool = createWorkerPool({ size: 2 });
  onTestFinished(() => pool.close());
  const catalog = createCatalog({ inputs: [folder], scan: { startThread: () => pool.lend()! } });

  catalog.start();
  expect(await catalog.scanComplete).toBe('complete');

  expect(catalog.files.map(({ path }) => path)).toEqual([join(folder, 'a.dcm'), join(folder, 'b.dcm')]);
  const input = { source: catalog.get(1).source, depth: 1, items: 1 };
  expect((await pool.run(readTagsTask, input, { of: { mostBytes: 0 }, timeoutMs: 60_000 })).length).toBeGreaterThan(
    100,
  );
  expect(pool.statistics()).toMatchObject({ threads: 1, started: 1, completed: 1 });
});
