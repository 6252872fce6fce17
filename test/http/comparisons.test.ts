import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { ComparisonResponse } from '../../src/shared/contract/comparison.ts';
import type { TaskPool } from '../../src/server/machine/memory/taskPool.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { writeNpy } from '../support/arrayFiles.ts';
import { type SegmentationFrame, segmentationElements, type WrittenPlane } from '../support/placedElements.ts';
import { serve, serveWith, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, SLICE_UID, writeSlice } from '../support/sliceFiles.ts';
import { structureSetElements } from '../support/structureSetElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { until } from '../support/until.ts';

const SLICES = 4;
const SPACE = { FrameOfReferenceUID: `${SLICE_UID}.102` };
/** Samples are 1 mm wide and high, and slices 2 mm apart. */
const SAMPLE_ML = 0.002;

const slices = () => Array.from({ length: SLICES }, (_, number) => writeSlice({ number }));

const uids = Array.from({ length: SLICES }, (_, number) => `${SLICE_UID}.1.${number + 1}`);

type Inside = (slice: number, row: number, column: number) => boolean;

/** 3 slices of 8 rows and 7 columns. */
const TRUTH: Inside = (slice, row, column) => slice < 3 && row >= 2 && row < 10 && column >= 3 && column < 10;
/** The same a column to the right. */
const SHIFTED: Inside = (slice, row, column) => TRUTH(slice, row, column - 1);
const FAR: Inside = (slice, row, column) => slice === 3 && row >= 15 && column >= 25;

const NOTHING: Inside = () => false;
/** The same on samples that are twice as large, and on those of the images. */
const COARSE: Inside = (_, row, column) => row < 5 && column < 5;
const FINE: Inside = (_, row, column) => row < 10 && column < 10;

function listSamples(inside: Inside, slice: number, rows = SLICE_ROWS, columns = SLICE_COLUMNS): number[] {
  return Array.from({ length: rows * columns }, (_, at) =>
    inside(slice, Math.floor(at / columns), at % columns) ? 1 : 0,
  );
}

type Segment = { readonly number: number; readonly label: string; readonly inside: Inside; readonly code?: string };

function writeSegments(segments: readonly Segment[], sopInstanceUid = '2.25.600'): Uint8Array {
  const [rows, columns] = [SLICE_ROWS, SLICE_COLUMNS];
  const frames = segments.flatMap(({ number, inside }) =>
    Array.from({ length: SLICES }, (_, slice): SegmentationFrame => {
      const plane = { position: [0, 0, 2 * slice], orientation: [1, 0, 0, 0, 1, 0], spacing: [1, 1] as const };
      return { samples: listSamples(inside, slice), segmentNumber: number, plane };
    }),
  );
  const elements = segmentationElements({ rows, columns, type: 'BINARY', frames, declared: uids }, SPACE);
  const described = segments.map(({ number, label, code }) => ({
    SegmentNumber: number,
    SegmentLabel: label,
    SegmentAlgorithmType: 'MANUAL',
    ...(code !== undefined && {
      SegmentedPropertyTypeCodeSequence: [{ CodeValue: code, CodingSchemeDesignator: 'SCT', CodeMeaning: label }],
    }),
  }));
  return writeDicom({ ...elements, SOPInstanceUID: sopInstanceUid, SegmentSequence: described });
}

/** Labels of a NumPy file over all slices. */
function writeLabels(labels: Readonly<Record<number, Inside>>): string {
  const folder = createTempFolder();
  const size = SLICE_ROWS * SLICE_COLUMNS;
  const samples = new Uint8Array(SLICES * size);
  for (const [value, inside] of Object.entries(labels)) {
    for (let slice = 0; slice < SLICES; slice += 1) {
      for (const [at, isIn] of listSamples(inside, slice).entries())
        if (isIn) samples[slice * size + at] = Number(value);
    }
  }
  writeBelow(folder, 'labels.npy', writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], samples));
  return folder;
}

async function compare(server: TestServer, query: string): Promise<ComparisonResponse> {
  const response = await server.request(`/api/compare?${query}`);
  const body = await response.json();
  expect({ query, status: response.status, problem: response.ok ? '' : body.error }).toEqual({
    query,
    status: 200,
    problem: '',
  });
  return body;
}

const pairsOf = ({ pairs }: ComparisonResponse) =>
  pairs.map(({ truth, test: other, paired_by: by }) => [truth.part, other.part, by]);

test('a mask that is one column off agrees as far as it overlaps, and its surface is at most 1 mm off', async () => {
  const server = await serve(
    ...slices(),
    writeSegments([{ number: 1, label: 'Tumor', inside: TRUTH }]),
    writeSegments([{ number: 1, label: 'tumor', inside: SHIFTED }], '2.25.700'),
  );

  const found = await compare(server, 'truth=4&test=5');

  expect(found).toMatchObject({
    truth: { layer: 4, samples: 'own' },
    test: { layer: 5, samples: 'own' },
    size: [SLICE_COLUMNS, SLICE_ROWS, SLICES],
    spacing_mm: [1, 1, 2],
    tolerance_mm: 1,
    only_truth: [],
    only_test: [],
    notes: [],
  });
  const { truth, test: other, samples_in_both: both, numbers } = found.pairs[0]!;
  expect(pairsOf(found)).toEqual([[1, 1, 'label']]);
  expect([truth.samples, other.samples, both]).toEqual([3 * 8 * 7, 3 * 8 * 7, 3 * 8 * 6]);
  expect(truth.volume_ml).toBeCloseTo(3 * 8 * 7 * SAMPLE_ML, 9);
  // 6 of 7 columns in both, 8 columns in one of them.
  expect(numbers).toMatchObject({ hd_mm: 1, hd95_mm: 1, nsd: 1, volume_difference_ml: 0 });
  expect([numbers.dice, numbers.iou, numbers.precision, numbers.recall].map((one) => one.toFixed(9))).toEqual(
    [6 / 7, 6 / 8, 6 / 7, 6 / 7].map((one) => one.toFixed(9)),
  );
  expect(numbers.components).toEqual({ truth: 1, found: 1, missed: 0, test: 1, false: 0 });
});

test('errors are listed slice by slice, with the largest component that is false or missed and where they are', async () => {
  const server = await serve(
    ...slices(),
    writeSegments([{ number: 1, label: 'Tumor', inside: TRUTH }]),
    writeSegments([{ number: 1, label: 'tumor', inside: (...at) => SHIFTED(...at) || FAR(...at) }], '2.25.700'),
    writeSegments([{ number: 1, label: 'tumor', inside: FAR }], '2.25.701'),
  );

  const { pairs, place } = await compare(server, 'truth=4&test=5&errors=list&numbers=overlap');
  const [missing] = (await compare(server, 'truth=4&test=6&errors=list')).pairs;
  const [withComponents] = (await compare(server, 'truth=4&test=5&errors=list')).pairs;
  const [unasked] = (await compare(server, 'truth=4&test=5')).pairs;

  // A column of 8 samples more on the right, and one less on the left, whose first sample is that of row 2.
  const shifted = [0, 1, 2].map((slice) => ({ slice, false_positive: 8, false_negative: 8, column: 3, row: 2 }));
  const samples = (SLICE_ROWS - 15) * (SLICE_COLUMNS - 25);
  const far = { column: 25 + Math.floor((SLICE_COLUMNS - 25) / 2), row: 15, slice: 3 };
  const slicesOf = [...shifted, { ...far, false_positive: samples, false_negative: 0 }];
  expect(pairs[0]?.errors).toEqual({ slices: slicesOf, largest_false: null, largest_missed: null });
  expect(withComponents?.errors).toEqual({
    slices: slicesOf,
    largest_false: { ...far, samples },
    largest_missed: null,
  });
  // The middle of the first of 24 rows of 7 samples.
  expect(missing?.errors?.largest_missed).toEqual({ samples: 168, column: 6, row: 2, slice: 0 });
  expect(unasked?.errors).toBe(null);
  expect(place).toEqual({
    frame_of_reference_uid: SPACE.FrameOfReferenceUID,
    origin_mm: [0, 0, 0],
    steps_mm: [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 2],
    ],
  });
});

test('surfaces agree as far as the tolerance says', async () => {
  const server = await serve(
    ...slices(),
    writeSegments([{ number: 1, label: 'Tumor', inside: TRUTH }]),
    writeSegments([{ number: 1, label: 'tumor', inside: SHIFTED }], '2.25.700'),
  );

  const { pairs } = await compare(server, 'truth=4&test=5&tolerance=0.5');

  expect(pairs[0]?.numbers.nsd).toBeLessThan(1);
  expect(pairs[0]?.numbers.nsd).toBeGreaterThan(0);
});

test('parts are paired by code, then by label, then by number, and others have no partner', async () => {
  const server = await serve(
    ...slices(),
    writeSegments([
      { number: 1, label: 'Liver', code: '10200004', inside: TRUTH },
      { number: 2, label: 'Spleen', inside: FAR },
      { number: 3, label: 'segment 3', inside: FAR },
      { number: 4, label: 'Kidney', inside: TRUTH },
    ]),
    writeSegments(
      [
        { number: 1, label: 'SPLEEN', inside: FAR },
        { number: 2, label: 'Leber', code: '10200004', inside: TRUTH },
        { number: 3, label: 'Cyst', inside: SHIFTED },
        { number: 4, label: 'Aorta', inside: SHIFTED },
      ],
      '2.25.700',
    ),
  );

  const found = await compare(server, 'truth=4&test=5&numbers=overlap');

  expect(pairsOf(found)).toEqual([
    [1, 2, 'code'],
    [2, 1, 'label'],
    [3, 3, 'number'],
  ]);
  expect(found.pairs.map(({ numbers }) => [numbers.dice, numbers.hd_mm, numbers.components])).toEqual([
    [1, null, null],
    [1, null, null],
    [0, null, null],
  ]);
  expect(found.only_truth).toMatchObject([{ part: 4, name: 'Kidney', samples: 3 * 8 * 7 }]);
  expect(found.only_test).toMatchObject([{ part: 4, name: 'Aorta' }]);

  const chosen = await compare(server, 'truth=4&test=5&pairs=4:4,1:2');
  expect(pairsOf(chosen)).toEqual([
    [4, 4, 'request'],
    [1, 2, 'request'],
  ]);
  expect(chosen.only_truth.map(({ part }) => part)).toEqual([2, 3]);
});

test('labels of an array are compared with segments, also where segments overlap', async () => {
  const server = await serve(
    ...slices(),
    writeSegments([
      { number: 2, label: 'segment 2', inside: TRUTH },
      { number: 5, label: 'segment 5', inside: SHIFTED },
    ]),
    writeLabels({ 2: TRUTH, 7: FAR }),
  );

  const found = await compare(server, 'truth=4&test=1000000');

  expect(pairsOf(found)).toEqual([[2, 2, 'number']]);
  expect(found.pairs[0]?.numbers).toMatchObject({ dice: 1, hd_mm: 0, assd_mm: 0, nsd: 1 });
  expect(found.only_truth).toMatchObject([{ part: 5, samples: 3 * 8 * 7 }]);
  // 5 rows and 5 columns of one slice.
  expect(found.only_test).toMatchObject([{ part: 7, samples: 25, volume_ml: 25 * SAMPLE_ML }]);
});

test('a segmentation that names no images is compared with labels on its own grid', async () => {
  const [rows, columns] = [SLICE_ROWS, SLICE_COLUMNS];
  const frames = [0, 1, 2].map((slice): SegmentationFrame => {
    const plane: WrittenPlane = { position: [0, 0, 2 * slice], orientation: [1, 0, 0, 0, 1, 0], spacing: [1, 1] };
    return { samples: listSamples(TRUTH, slice), segmentNumber: 1, plane };
  });
  const segment = writeDicom(segmentationElements({ rows, columns, type: 'BINARY', frames }, SPACE));
  const server = await serve(...slices(), segment, writeLabels({ 1: TRUTH, 7: FAR }));

  const found = await compare(server, 'truth=4&test=1000000&pairs=1:1');

  expect(found).toMatchObject({ truth: { samples: 'own' }, test: { samples: 'own' }, size: [columns, rows, SLICES] });
  expect(found.pairs[0]?.numbers).toMatchObject({ dice: 1, hd_mm: 0 });
  expect(found.only_test).toMatchObject([{ part: 7, samples: 25 }]);
});

test('what is empty on one side only does not agree, and has no distances; two empty parts agree', async () => {
  const server = await serve(
    ...slices(),
    writeSegments([
      { number: 1, label: 'a', inside: TRUTH },
      { number: 2, label: 'b', inside: NOTHING },
    ]),
    writeSegments(
      [
        { number: 1, label: 'a', inside: NOTHING },
        { number: 2, label: 'b', inside: NOTHING },
        { number: 3, label: 'c', inside: FAR },
      ],
      '2.25.700',
    ),
  );

  const found = await compare(server, 'truth=4&test=5');

  const none = { hd_mm: null, hd95_mm: null, assd_mm: null, mean_truth_to_test_mm: null };
  expect(found.pairs.map(({ numbers }) => numbers)).toMatchObject([
    {
      dice: 0,
      iou: 0,
      recall: 0,
      precision: 0,
      nsd: 0,
      ...none,
      components: { truth: 1, found: 0, missed: 1, test: 0 },
    },
    { dice: 1, iou: 1, recall: 1, precision: 1, nsd: 1, ...none, components: { truth: 0, test: 0, false: 0 } },
  ]);
});

test('contours are filled on the grid of the images, and marks are compared as their classes', async () => {
  const points = [
    [3, 2],
    [10, 2],
    [10, 10],
    [3, 10],
  ];
  const contours = [0, 2, 4].map((z) => ({ points: points.map(([x, y]) => [x!, y!, z]) }));
  const roi = { number: 3, name: 'Lesion', contours, different: { ReferencedFrameOfReferenceUID: `${SLICE_UID}.102` } };
  const server = await serve(...slices(), writeDicom(structureSetElements([roi], SPACE)));
  const headers = { 'Content-Type': 'application/json' };
  for (const file of [0, 1]) {
    const place = { type: 'frame', file_index: file, frame_index: 0 };
    const mark = { kind: 'box', place, points: [points[0], points[2]], class: 'lesion' };
    await server.request('/api/marks', { method: 'POST', headers, body: JSON.stringify(mark) });
  }

  const found = await compare(server, 'truth=4&test=marks');

  expect(found.truth).toMatchObject({ layer: 4, samples: 'drawn' });
  expect(found.test).toEqual({ layer: null, title: 'Marks', samples: 'drawn' });
  expect(found.notes).toEqual([
    'the outlines of the truth are filled on the grid of the images',
    'the outlines of the test are filled on the grid of the images',
  ]);
  expect(pairsOf(found)).toEqual([[3, 1, 'label']]);
  // Contours reach half way to the next slice, of 4 slices 3. In marks, the corner of the first pixel is the origin.
  expect(found.pairs[0]?.truth.samples).toBe(3 * 8 * 7);
  expect(found.pairs[0]?.test.samples).toBe(2 * 8 * 7);
});

test('marks of two readers that cover each other are compared whole, whichever was drawn later', async () => {
  const server = await serve(...slices());
  const headers = { 'Content-Type': 'application/json' };
  const place = { type: 'frame', file_index: 0, frame_index: 0 };
  const corners = { a: [2, 2, 12, 8], b: [4, 2, 14, 8] };
  for (const [key, [left, top, right, bottom]] of Object.entries(corners)) {
    const points = [
      [left, top],
      [right, bottom],
    ];
    const body = JSON.stringify({ kind: 'box', place, points, class: key });
    await server.request('/api/marks', { method: 'POST', headers, body });
  }

  for (const pair of ['1:2', '2:1']) {
    const { pairs, notes } = await compare(server, `truth=marks&test=marks&file=0&pairs=${pair}`);

    // 10 columns of 6 rows each, of which 8 are in both.
    expect(pairs[0]).toMatchObject({ truth: { samples: 60 }, test: { samples: 60 }, samples_in_both: 48 });
    expect(pairs[0]?.truth.class).toBe(pair === '1:2' ? 'a' : 'b');
    expect(notes.join(' ')).not.toContain('more than one class');
  }
});

/** Segments on samples of 2 mm, half as many in rows and columns, with one more slice than there are images. */
function writeCoarse(inside: Inside, sopInstanceUid: string): Uint8Array {
  const [rows, columns] = [SLICE_ROWS / 2, SLICE_COLUMNS / 2];
  const frames = [0, 1, 2].map((slice): SegmentationFrame => {
    const plane: WrittenPlane = { position: [0.5, 0.5, 2 * slice], orientation: [1, 0, 0, 0, 1, 0], spacing: [2, 2] };
    return { samples: listSamples(inside, slice, rows, columns), segmentNumber: 1, plane };
  });
  const elements = segmentationElements({ rows, columns, type: 'BINARY', frames, declared: uids }, SPACE);
  return writeDicom({ ...elements, SOPInstanceUID: sopInstanceUid });
}

test('both are compared on the grid of the truth, which reaches as far as the images, and the answer says so', async () => {
  const server = await serve(
    ...slices(),
    writeCoarse(COARSE, '2.25.700'),
    writeSegments([{ number: 1, label: 'segment 1', inside: FINE }], '2.25.701'),
  );

  const onTruth = await compare(server, 'truth=4&test=5');
  const onImages = await compare(server, 'truth=4&test=5&grid=images');

  expect(onTruth).toMatchObject({
    truth: { samples: 'own' },
    test: { samples: 'resampled' },
    size: [SLICE_COLUMNS / 2, SLICE_ROWS / 2, SLICES],
    spacing_mm: [2, 2, 2],
    notes: ['the test has another grid: each sample of the grid of the truth has the label of its nearest sample'],
  });
  // The truth has 3 slices, the test all 4.
  expect(onTruth.pairs[0]).toMatchObject({
    truth: { samples: 3 * 25 },
    test: { samples: 4 * 25 },
    samples_in_both: 3 * 25,
  });
  expect(onImages).toMatchObject({ truth: { samples: 'resampled' }, test: { samples: 'own' }, spacing_mm: [1, 1, 2] });
  expect(onImages.pairs[0]).toMatchObject({ truth: { samples: 3 * 100 }, test: { samples: 4 * 100 } });
});

test('segmentations without images are compared on the grid of the truth', async () => {
  const server = await serve(
    writeCoarse(COARSE, '2.25.700'),
    writeCoarse((slice, row, column) => slice < 2 && COARSE(slice, row, column), '2.25.701'),
  );

  const found = await compare(server, 'truth=0&test=1');

  expect(found.size).toEqual([SLICE_COLUMNS / 2, SLICE_ROWS / 2, 3]);
  expect(found.pairs[0]?.numbers.recall).toBeCloseTo(2 / 3, 9);
});

test.each([
  ['truth=4', 400, 'invalid_query', 'test is missing'],
  ['truth=4&test=a', 400, 'invalid_query', /^test must be/],
  ['truth=4&test=4&pairs=1', 400, 'invalid_query', /^pairs must be/],
  ['truth=4&test=77', 404, 'layer_not_found', 'there is no layer 77'],
  ['truth=4&test=4&pairs=1:9', 404, 'layer_not_found', 'pairs: the test has no part 9'],
  ['truth=4&test=marks', 404, 'mark_not_found', 'nothing on these images is an area'],
  ['truth=4&test=0', 422, 'semantic_mapping_unavailable', /has values and neither labels nor probabilities$/],
])('%s is refused with status %i, %s', async (query, status, code, message) => {
  const server = await serve(...slices(), writeSegments([{ number: 1, label: 'a', inside: TRUTH }]));

  const response = await server.request(`/api/compare?${query}`);

  expect(await response.json()).toEqual({ code, error: expect.stringMatching(message) });
  expect(response.status).toBe(status);
});

test('what does not fit into the memory is refused before it is painted', async () => {
  const inputs = [...slices(), writeSegments([{ number: 1, label: 'a', inside: TRUTH }])];
  const server = await serveWith({ inputs, memoryBytes: 64 * 2 ** 20 });

  const response = await server.request('/api/compare?truth=4&test=4');

  expect(await response.json()).toMatchObject({ code: 'decode_memory_exceeded' });
});

test('the work ends when its client has gone', async () => {
  const begun: (AbortSignal | undefined)[] = [];
  const tasks = (pool: TaskPool): TaskPool => ({
    ...pool,
    run(task, input, options) {
      if (task.name !== 'agreement.measure') return pool.run(task, input, options);
      begun.push(options.signal);
      return new Promise((_, reject) =>
        options.signal?.addEventListener('abort', () => reject(options.signal?.reason)),
      );
    },
  });
  const inputs = [...slices(), writeSegments([{ number: 1, label: 'a', inside: TRUTH }])];
  const { port } = await serveWith({ inputs, tasks });
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET /api/compare?truth=4&test=4 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  await until(() => begun.length > 0);
  socket.destroy();
  await until(() => begun.every((signal) => signal?.aborted));
  expect(begun).not.toContain(undefined);
});
