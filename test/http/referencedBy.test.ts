import { rm } from 'node:fs/promises';
import { Errors } from 'typebox/value';
import { expect, onTestFinished, test } from 'vitest';
import { type ReferencedByResponse, ReferencedByResponse as Schema } from '../../src/shared/contract/references.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { createReferences } from '../../src/server/images/references/references.ts';
import type { TaskRunner } from '../../src/server/machine/workers/task.ts';
import { createWorkerPool } from '../../src/server/machine/workers/workerPool.ts';
import { placedImage, reference, segmentationElements } from '../support/placedElements.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';
import { NOBODY } from '../support/nobody.ts';

const KEY_OBJECT_STORAGE = '1.2.840.10008.5.1.4.1.1.88.59';
const SEGMENTATION_STORAGE = '1.2.840.10008.5.1.4.1.1.66.4';

/** The complete response, which may take several requests. */
async function read(server: TestServer, index: number): Promise<ReferencedByResponse> {
  for (;;) {
    const response = await server.request(`/api/file/${index}/referenced-by`);
    expect(response.status).toBe(200);
    const body = await response.json();
    expect(Errors(strictSchema(Schema), body)).toEqual([]);
    if (body.complete === true) return body;
  }
}

function writeImage(uid: string, different = {}): Uint8Array {
  return writeDicom(placedImage({ uid, rows: 1, columns: 2 }, different));
}

/** A segmentation whose frames come from the named frames of one instance. */
function writeMask(uid: string, ...frameNumbers: number[][]): Uint8Array {
  const frames = frameNumbers.map((numbers) => ({ samples: [1, 0], source: { uid, frameNumbers: numbers } }));
  return writeDicom(segmentationElements({ rows: 1, columns: 2, type: 'BINARY', frames }));
}

/** A key object selection of one object. */
function writeSelection(uid: string, other: string): Uint8Array {
  return writeDicom({
    SOPClassUID: KEY_OBJECT_STORAGE,
    SOPInstanceUID: uid,
    Modality: 'KO',
    ContentSequence: [{ ValueType: 'IMAGE', ReferencedSOPSequence: [reference(other)] }],
  });
}

test('an image lists the objects that reference it, with the relationship and the frames', async () => {
  const server = await serve(
    writeImage('2.25.50', { NumberOfFrames: 9, PixelData: new Uint8Array(18) }),
    writeMask('2.25.50', [7, 3], [3], [2]),
    writeSelection('2.25.700', '2.25.50'),
    writeImage('2.25.51'),
  );

  expect(await read(server, 0)).toEqual({
    target_file_index: 0,
    target_sop_instance_uid: '2.25.50',
    complete: true,
    unread_count: 0,
    truncated: false,
    referrers: [
      {
        relationship: 'source_image_for_segmentation',
        file_index: 1,
        path: server.catalog.get(1).path,
        sop_class_uid: SEGMENTATION_STORAGE,
        sop_instance_uid: '2.25.600',
        frame_numbers: [2, 3, 7],
        segment_numbers: [],
      },
      {
        relationship: 'source_image',
        file_index: 2,
        path: server.catalog.get(2).path,
        sop_class_uid: KEY_OBJECT_STORAGE,
        sop_instance_uid: '2.25.700',
        frame_numbers: [],
        segment_numbers: [],
      },
    ],
  });
  expect((await read(server, 3)).referrers).toEqual([]);
});

test('a reference to a whole image takes precedence over those to single frames', async () => {
  const server = await serve(writeImage('2.25.50'), writeMask('2.25.50', [1], []));

  expect((await read(server, 0)).referrers.map(({ frame_numbers }) => frame_numbers)).toEqual([[]]);
});

test('a reference to a series without instances means each of its files', async () => {
  const elements = segmentationElements(
    { rows: 1, columns: 2, type: 'BINARY', frames: [{ samples: [1, 0] }] },
    { ReferencedSeriesSequence: [{ SeriesInstanceUID: '2.25.40' }] },
  );
  const server = await serve(
    writeDicom(elements),
    writeImage('2.25.50', { SeriesInstanceUID: '2.25.40' }),
    writeImage('2.25.51', { SeriesInstanceUID: '2.25.40' }),
    writeImage('2.25.52', { SeriesInstanceUID: '2.25.41' }),
  );

  const found = await Promise.all([1, 2, 3].map((index) => read(server, index)));

  expect(found.map(({ referrers }) => referrers.map(({ file_index }) => file_index))).toEqual([[0], [0], []]);
});

test('every open copy of an image is referenced', async () => {
  const server = await serve(writeMask('2.25.50', [1]), writeImage('2.25.50'), writeImage('2.25.50'));

  for (const copy of [1, 2]) expect((await read(server, copy)).referrers[0]?.file_index).toBe(0);
});

test('a derived image references its sources', async () => {
  const derived = { ImageType: ['DERIVED', 'SECONDARY'], SourceImageSequence: [reference('2.25.50')] };
  const server = await serve(writeImage('2.25.50'), writeImage('2.25.51', derived));

  const { referrers } = await read(server, 0);

  expect(referrers.map(({ relationship, file_index }) => [relationship, file_index])).toEqual([['source_image', 1]]);
});

test('an object that was deleted from the disk references nothing', async () => {
  const server = await serve(writeImage('2.25.50'), writeMask('2.25.50', [1]));
  expect((await read(server, 0)).referrers).toHaveLength(1);

  await rm(server.catalog.get(1).path);

  expect((await read(server, 0)).referrers).toEqual([]);
});

test('an object that cannot be read is counted', async () => {
  const server = await serve(writeImage('2.25.50'), writeMask('2.25.50', [1]));
  await rm(server.catalog.get(1).path);

  expect(await read(server, 0)).toMatchObject({ referrers: [], unread_count: 1, complete: true });
});

/** Tasks that wait until the test releases them, with a count of their runs. */
function createHeldTasks() {
  const pool = createWorkerPool({ size: 1 });
  onTestFinished(() => pool.close());
  let letGo: (() => void) | undefined;
  const gate = new Promise<void>((open) => {
    letGo = open;
  });
  let runs = 0;
  const tasks: TaskRunner = {
    async run(task, input, options) {
      runs += 1;
      await gate;
      return pool.run(task, input, options);
    },
  };
  return { tasks, letGo: () => letGo?.(), countRuns: () => runs };
}

test('only kinds of objects that have references are read, once each, and not before the first request', async () => {
  const images = Array.from({ length: 12 }, (_, i) => writeImage(`2.25.${50 + i}`));
  const server = await serve(...images, writeMask('2.25.50', [1]));
  const { tasks, letGo, countRuns } = createHeldTasks();
  letGo();
  const references = createReferences({
    catalog: server.catalog,
    tasks,
    memory: createMemoryAccount(),
    referrerWaitMs: 20_000,
  });
  expect(countRuns()).toBe(0);

  for (const file of server.catalog.files) await references.referrers.find(file, NOBODY);

  expect(countRuns()).toBe(1);
});

test('an object is read again only if it lists frames', async () => {
  const server = await serve(writeImage('2.25.50'), writeSelection('2.25.1', '2.25.50'), writeMask('2.25.50', [1]));
  const { tasks, letGo, countRuns } = createHeldTasks();
  letGo();
  // Without a cache, every reading is counted.
  const memory = createMemoryAccount();
  const references = createReferences({
    catalog: server.catalog,
    tasks,
    memory: { ...memory, cache: () => ({ ...memory.cache('references'), get: () => undefined }) },
    referrerWaitMs: 20_000,
  });

  const { referrers } = await references.referrers.find(server.catalog.get(0), NOBODY);

  expect(referrers.map(({ file, frameNumbers }) => [file.index, [...frameNumbers]])).toEqual([
    [1, []],
    [2, [1]],
  ]);
  // Two for the links, and one for the frames of the segmentation.
  expect(countRuns()).toBe(3);

  await rm(server.catalog.get(1).path);
  const { referrers: present } = await references.referrers.find(server.catalog.get(0), NOBODY);
  expect(present.map(({ file }) => file.index)).toEqual([2]);
});

test('a query ends when reading the listed frames takes too long, and says that more objects may be listed', async () => {
  const masks = Array.from({ length: 20 }, () => writeMask('2.25.50', [1]));
  const server = await serve(writeImage('2.25.50'), ...masks);
  const { tasks, letGo } = createHeldTasks();
  letGo();
  const find = async (referrerReadMs: number) => {
    const { catalog } = server;
    const options = { catalog, tasks, memory: createMemoryAccount(), referrerWaitMs: 20_000, referrerReadMs };
    const { referrers, truncated } = await createReferences(options).referrers.find(catalog.get(0), NOBODY);
    return { count: referrers.length, truncated };
  };

  // 16 objects are read at once, and the time is over after the first of them.
  expect(await find(0)).toEqual({ count: 16, truncated: true });
  expect(await find(20_000)).toEqual({ count: 20, truncated: false });
});

test('an object with a large share of the references is not kept, so that it does not evict the others', async () => {
  const long = Array.from({ length: 400 }, (_, i) => i + 1);
  const image = writeImage('2.25.50', { NumberOfFrames: 400, PixelData: new Uint8Array(800) });
  const server = await serve(image, writeMask('2.25.50', long), writeMask('2.25.50', [1]));
  const { tasks, letGo, countRuns } = createHeldTasks();
  letGo();
  const memory = createMemoryAccount();
  // 400 numbers of 4 bytes are more than a sixteenth of 16,000 bytes.
  const plan = { ...memory.plan, references: 16_000 };
  const options = { catalog: server.catalog, tasks, memory: { ...memory, plan }, referrerWaitMs: 20_000 };
  const { referrers } = createReferences(options);

  await referrers.find(server.catalog.get(0), NOBODY);
  expect(countRuns()).toBe(3);
  await referrers.find(server.catalog.get(0), NOBODY);
  expect(countRuns()).toBe(4);
});

test('while objects are still being read, the answer says that it is incomplete', async () => {
  const server = await serve(writeImage('2.25.50'), writeMask('2.25.50', [1]));
  const { tasks, letGo } = createHeldTasks();
  const references = createReferences({
    catalog: server.catalog,
    tasks,
    memory: createMemoryAccount(),
    referrerWaitMs: 1,
  });
  const image = server.catalog.get(0);
  expect(await references.referrers.find(image, NOBODY)).toMatchObject({ referrers: [], isComplete: false });

  letGo();

  await expect.poll(async () => (await references.referrers.find(image, NOBODY)).isComplete).toBe(true);
  const { referrers } = await references.referrers.find(image, NOBODY);
  expect(referrers.map(({ file }) => file.index)).toEqual([1]);
});

test('two objects that reference each other each list the other', async () => {
  const server = await serve(writeSelection('2.25.1', '2.25.2'), writeSelection('2.25.2', '2.25.1'));

  const both = await Promise.all([read(server, 0), read(server, 1)]);

  expect(both.map(({ referrers }) => referrers.map(({ file_index }) => file_index))).toEqual([[1], [0]]);
});
