import { rm } from 'node:fs/promises';
import { Errors } from 'typebox/value';
import { expect, test } from 'vitest';
import { type ReferencesResponse, ReferencesResponse as Schema } from '../../src/shared/contract/references.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { createReferences } from '../../src/server/images/references/references.ts';
import type { TaskRunner } from '../../src/server/machine/workers/task.ts';
import { createWorkerPool } from '../../src/server/machine/workers/workerPool.ts';
import { CT_STORAGE, reference, segmentationElements } from '../support/placedElements.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';
import { writeImage } from '../support/writeImage.ts';
import { NOBODY } from '../support/nobody.ts';

async function read(server: TestServer, index: number): Promise<ReferencesResponse> {
  const response = await server.request(`/api/file/${index}/references`);
  expect(response.status).toBe(200);
  const body = await response.json();
  expect(Errors(strictSchema(Schema), body)).toEqual([]);
  return body;
}

function writePointer(...items: DataSetInput[]): Uint8Array {
  return writeDicom(
    segmentationElements(
      { rows: 1, columns: 2, type: 'BINARY', frames: [{ samples: [1, 0] }] },
      { SourceImageSequence: items },
    ),
  );
}

/** A secondary capture of zeros with a UID of its own; four frames. */
function writeFrames(uid: string, changed: DataSetInput = {}): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7.2',
    SOPInstanceUID: uid,
    SeriesInstanceUID: '2.25.40',
    NumberOfFrames: 4,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 1,
    Columns: 2,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    PixelData: new Uint8Array(8),
    ...changed,
  });
}

test('a reference keeps its declared numbers, and is resolved to the frames that exist', async () => {
  const item = { ...reference('2.25.50'), ReferencedFrameNumber: [4, 1, 5, 4] };
  const server = await serve(writePointer(item), writeFrames('2.25.50'));

  const found = await read(server, 0);

  expect(found).toEqual({
    source_file_index: 0,
    source_sop_instance_uid: '2.25.600',
    references: [
      {
        relationship: 'source_image_for_segmentation',
        target: {
          sop_class_uid: CT_STORAGE,
          sop_class_name: 'CT Image Storage',
          sop_instance_uid: '2.25.50',
          series_instance_uid: null,
          frame_numbers: [4, 1, 5, 4],
          segment_numbers: [],
        },
        matches: [
          { file_index: 1, path: server.catalog.get(1).path, sop_instance_uid: '2.25.50', frame_indices: [3, 0] },
        ],
      },
    ],
    truncated: false,
  });
});

test('a reference without frame numbers means all frames of every open copy', async () => {
  const server = await serve(writePointer(reference('2.25.50')), writeFrames('2.25.50'), writeFrames('2.25.50'));

  const { references } = await read(server, 0);

  expect(references[0]?.matches.map(({ file_index, frame_indices }) => [file_index, frame_indices])).toEqual([
    [1, [0, 1, 2, 3]],
    [2, [0, 1, 2, 3]],
  ]);
});

test('a reference to an image with a negative number of rows is resolved', async () => {
  // With the VR SS, 0xFFFF is -1.
  const Rows = { vr: 'SS', value: Uint8Array.of(0xff, 0xff) };
  const server = await serve(writePointer(reference('2.25.50')), writeFrames('2.25.50', { Rows }));

  const [found] = (await read(server, 0)).references;

  expect(found?.matches.map(({ frame_indices }) => frame_indices)).toEqual([[0, 1, 2, 3]]);
});

test('a reference to a file that is not open is listed without a match', async () => {
  const server = await serve(writePointer(reference('2.25.51'), reference('2.25.50')), writeFrames('2.25.50'));

  const { references } = await read(server, 0);

  expect(references.map(({ target, matches }) => [target.sop_instance_uid, matches.length])).toEqual([
    ['2.25.51', 0],
    ['2.25.50', 1],
  ]);
});

test('a reference to a series without instances is resolved to all its files', async () => {
  const bytes = writeDicom(
    segmentationElements(
      { rows: 1, columns: 2, type: 'BINARY', frames: [{ samples: [1, 0] }] },
      { ReferencedSeriesSequence: [{ SeriesInstanceUID: '2.25.40' }] },
    ),
  );
  const server = await serve(bytes, writeFrames('2.25.50'), writeFrames('2.25.51'));

  const { references } = await read(server, 0);

  expect(references[0]?.matches.map(({ file_index }) => file_index)).toEqual([1, 2]);
});

test('references of two objects to each other are resolved for both', async () => {
  const server = await serve(
    writeDicom({ SOPClassUID: CT_STORAGE, SOPInstanceUID: '2.25.1', SourceImageSequence: [reference('2.25.2')] }),
    writeDicom({ SOPClassUID: CT_STORAGE, SOPInstanceUID: '2.25.2', SourceImageSequence: [reference('2.25.1')] }),
  );

  const both = await Promise.all([read(server, 0), read(server, 1)]);

  expect(both.map(({ references }) => references[0]?.matches[0]?.file_index)).toEqual([1, 0]);
});

test('an object without references has none', async () => {
  const server = await serve(writeImage());

  expect((await read(server, 0)).references).toEqual([]);
});

test('a file is read once, and again only if it changes', async () => {
  const server = await serve(writePointer(reference('2.25.50')));
  const pool = createWorkerPool({ size: 1 });
  let runs = 0;
  const tasks: TaskRunner = {
    run(task, input, options) {
      runs += 1;
      return pool.run(task, input, options);
    },
  };
  const references = createReferences({ catalog: server.catalog, tasks, memory: createMemoryAccount() });
  const file = server.catalog.get(0);

  try {
    for (let i = 0; i < 3; i++) expect((await references.read(file, NOBODY)).length).toBe(1);
    expect(runs).toBe(1);
    await rm(file.path);
    await expect(references.read(file, NOBODY)).rejects.toMatchObject({ code: 'file_gone' });
  } finally {
    await pool.close();
  }
});
