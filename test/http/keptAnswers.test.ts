import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../src/server/machine/workers/task.ts';
import { borrowThreads } from '../support/borrowThreads.ts';
import { ctRow } from '../support/imageElements.ts';
import { serveWith } from '../support/serve.ts';
import { createTempFolder } from '../support/tempFolder.ts';

const ADDRESSES = [
  '/api/file/0/info',
  '/api/file/0/tags',
  '/api/file/0/tags?items=1',
  '/api/file/0/tags/select?path=(0008,0018)',
  '/api/file/0/tags/select?path=(0028,0010)',
];

test('a file is read once for each answer about its header, until it changes', async () => {
  const folder = createTempFolder();
  const path = join(folder, '0.dcm');
  const ReferencedImageSequence = [{ ReferencedSOPInstanceUID: '2.25.1' }, { ReferencedSOPInstanceUID: '2.25.2' }];
  await writeFile(path, writeDicom(ctRow({ ReferencedImageSequence })));
  const ran: string[] = [];
  const pool = borrowThreads(createMemoryAccount());
  const tasks: TaskRunner = {
    run(task, input, options) {
      ran.push(task.name);
      return pool.run(task, input, options);
    },
  };
  const server = await serveWith({ inputs: [folder], domains: { tasks } });
  const ask = async (address: string) => {
    const response = await server.request(address);
    return { status: response.status, body: await response.json() };
  };

  const first = await Promise.all(ADDRESSES.map(ask));
  expect(first.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(first.map(({ body }) => JSON.stringify(body))).size).toBe(ADDRESSES.length);
  expect(ran).toHaveLength(ADDRESSES.length);
  expect(await Promise.all(ADDRESSES.map(ask))).toEqual(first);
  expect(ran).toHaveLength(ADDRESSES.length);

  await writeFile(path, writeDicom(ctRow({ Rows: 3, Columns: 1 })));
  for (const address of ADDRESSES) {
    expect(await ask(address)).toMatchObject({ status: 404, body: { code: 'file_gone' } });
  }
});
