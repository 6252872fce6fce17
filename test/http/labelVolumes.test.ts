import { gunzipSync, inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { LabelPlanResponse } from '../../src/shared/contract/labels.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { writeNpy } from '../support/arrayFiles.ts';
import { AXIAL, placedImage, type SegmentationFrame, segmentationElements } from '../support/placedElements.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, SLICE_UID, writeSlice } from '../support/sliceFiles.ts';
import { slideElements } from '../support/slideElements.ts';
import { structureSetElements } from '../support/structureSetElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const SLICES = 4;
const SPACE = { FrameOfReferenceUID: `${SLICE_UID}.102` };
const SIZE = SLICE_ROWS * SLICE_COLUMNS;

const slices = () => Array.from({ length: SLICES }, (_, number) => writeSlice({ number }));
const uids = Array.from({ length: SLICES }, (_, number) => `${SLICE_UID}.1.${number + 1}`);

type Inside = (slice: number, row: number, column: number) => boolean;

/** Boxes that overlap in columns 8 and 9 of rows 5 to 9, on slices 1 and 2. */
const FIRST: Inside = (slice, row, column) => slice < 3 && row >= 2 && row < 10 && column >= 3 && column < 10;
const SECOND: Inside = (slice, row, column) => slice > 0 && row >= 5 && row < 15 && column >= 8 && column < 20;

function frameOf(inside: Inside, slice: number, segmentNumber: number, value = 1): SegmentationFrame {
  const plane = { position: [0, 0, 2 * slice], orientation: [1, 0, 0, 0, 1, 0], spacing: [1, 1] as const };
  const samples = Array.from({ length: SIZE }, (_, at) => {
    return inside(slice, Math.floor(at / SLICE_COLUMNS), at % SLICE_COLUMNS) ? value : 0;
  });
  return { samples, segmentNumber, plane };
}

/** Frames without a pixel are left out, as writers do. */
function writeBinary(): Uint8Array {
  const frames = [0, 1, 2, 3].flatMap((slice) => [frameOf(FIRST, slice, 2), frameOf(SECOND, slice, 5)]);
  const filled = frames.filter(({ samples }) => samples.includes(1));
  return writeDicom(
    segmentationElements(
      {
        rows: SLICE_ROWS,
        columns: SLICE_COLUMNS,
        type: 'BINARY',
        frames: filled,
        declared: uids,
        segmentNumbers: [2, 5],
      },
      SPACE,
    ),
  );
}

async function ask(server: TestServer, path: string) {
  const response = await server.request(`/api${path}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect({ path, status: response.status, problem: response.ok ? '' : bytes.toString() }).toMatchObject({
    status: 200,
  });
  return { bytes, response };
}

async function refusal(server: TestServer, path: string) {
  const response = await server.request(`/api${path}`);
  const { code, error } = await response.json();
  return { code, error };
}

const plan = async (server: TestServer, query: string): Promise<LabelPlanResponse> =>
  JSON.parse((await ask(server, `/file/0/volume/labels/plan?${query}`)).bytes.toString());

/** The members of a zip file by name, from their local headers. */
function unzip(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const members = new Map<string, Buffer>();
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50;) {
    const [packed, length, name] = [
      bytes.readUInt32LE(at + 18),
      bytes.readUInt32LE(at + 22),
      bytes.readUInt16LE(at + 26),
    ];
    const start = at + 30 + name;
    const member = inflateRawSync(bytes.subarray(start, start + packed));
    expect(member.length).toBe(length);
    members.set(bytes.toString('utf8', at + 30, start), member);
    at = start + packed;
  }
  return members;
}

/** Labels of a NumPy file: slices, rows from the top, columns. */
async function fetchNumpy(server: TestServer, query: string, file = 0) {
  const { bytes, response } = await ask(server, `/file/${file}/volume/labels?format=npz&${query}`);
  const members = unzip(bytes);
  const npy = members.get('labels.npy')!;
  const start = 10 + npy.readUInt16LE(8);
  return {
    shape: /'shape': \(([^)]*)\)/.exec(npy.toString('latin1', 0, start))?.[1],
    labels: npy.subarray(start),
    about: JSON.parse(members.get('labels.json')!.toString()),
    affine: Array.from({ length: 16 }, (_, at) => members.get('affine.npy')!.readDoubleLE(128 + 8 * at)),
    leftOut: response.headers.get('x-labels-left-out'),
  };
}

/** One volume after the other: in each, the value where a part is inside, of several the last. */
function labelsOf(volumes: readonly (readonly (readonly [number, Inside])[])[]): Buffer {
  return Buffer.from(
    volumes.flatMap((parts) =>
      Array.from({ length: SLICES * SIZE }, (_, at) => {
        const [slice, row, column] = [
          Math.floor(at / SIZE),
          Math.floor((at % SIZE) / SLICE_COLUMNS),
          at % SLICE_COLUMNS,
        ];
        return parts.findLast(([, inside]) => inside(slice, row, column))?.[0] ?? 0;
      }),
    ),
  );
}

test('the plan names labels, their samples and which of them overlap before anything is written', async () => {
  const server = await serve(...slices(), writeBinary());

  const found = await plan(server, 'layers=4');

  expect(found).toMatchObject({ size: [SLICE_COLUMNS, SLICE_ROWS, SLICES], volumes: 2, sample_bytes: 1 });
  // Rows 5 to 9, columns 8 and 9, slices 1 and 2.
  expect(found.overlapping_samples).toBe(5 * 2 * 2);
  expect(found.overlapping).toEqual([[2, 5]]);
  // 8 rows of 7 columns on 3 slices, and 10 rows of 12 columns on 3 slices.
  expect(
    found.labels.map(({ value, volume, layer, part, name, samples }) => [value, volume, layer, part, name, samples]),
  ).toEqual([
    [2, 0, 4, 2, 'segment 2', 8 * 7 * 3],
    [5, 1, 4, 5, 'segment 5', 10 * 12 * 3],
  ]);
  expect(found.rules).toEqual([expect.stringMatching(/^masks: .* the threshold, 0.5, on$/)]);
});

test('segments that overlap are in volumes of their own, with the numbers of the segments', async () => {
  const server = await serve(...slices(), writeBinary());

  const { shape, labels, about, affine } = await fetchNumpy(server, 'layers=4');

  expect(shape).toBe('2, 4, 20, 30');
  expect(Buffer.compare(labels, labelsOf([[[2, FIRST]], [[5, SECOND]]]))).toBe(0);
  expect(about.labels).toMatchObject([
    { value: 2, volume: 0, name: 'segment 2' },
    { value: 5, volume: 1, name: 'segment 5' },
  ]);
  // Columns of 1 mm, rows of 1 mm, slices of 2 mm, from the origin.
  expect(affine).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1]);
});

test('structures that all lie over each other have all of their pairs, and each a volume of its own', async () => {
  // 40 squares of 300 x 300 pixels on 2 slices: there are 780 pairs in each of 180,000 samples.
  const [size, count, rois] = [300, 2, 40];
  const images = Array.from({ length: count }, (_, z) =>
    writeDicom(
      placedImage(
        { uid: `2.25.80${z}`, rows: size, columns: size, plane: { ...AXIAL, position: [0, 0, z] } },
        { PixelData: new Uint16Array(size * size) },
      ),
    ),
  );
  const square = (z: number) => [
    [-1, -1, z],
    [size, -1, z],
    [size, size, z],
    [-1, size, z],
  ];
  const contours = Array.from({ length: count }, (_, z) => ({ points: square(z) }));
  const all = Array.from({ length: rois }, (_, at) => ({ number: at + 1, name: `Square ${at}`, contours }));
  const server = await serve(...images, writeDicom(structureSetElements(all)));

  const found = await plan(server, `layers=${count}`);

  expect(found.volumes).toBe(rois);
  expect(found.overlapping_samples).toBe(size * size * count);
  expect(found.overlapping).toHaveLength(780);
  expect(found.labels.map(({ samples }) => samples)).toEqual(Array(rois).fill(size * size * count));
});

test('a later part lies over an earlier one if the client asks for it, and the answer says how many voxels that are', async () => {
  const server = await serve(...slices(), writeBinary());

  const { shape, labels, leftOut } = await fetchNumpy(server, 'layers=4&overlap=last');

  expect(shape).toBe('4, 20, 30');
  expect(
    Buffer.compare(
      labels,
      labelsOf([
        [
          [2, FIRST],
          [5, SECOND],
        ],
      ]),
    ),
  ).toBe(0);
  expect(leftOut).toBe('voxels in more than one label, which have the later one: 20');
});

test('one part of a layer alone is a file without overlaps', async () => {
  const server = await serve(...slices(), writeBinary());

  expect(Buffer.compare((await fetchNumpy(server, 'layers=4&parts=5')).labels, labelsOf([[[5, SECOND]]]))).toBe(0);
  expect(await refusal(server, '/file/0/volume/labels?layers=4&parts=3')).toEqual({
    code: 'layer_not_found',
    error: 'layer 4 has no part 3',
  });
});

/** Slices of rows that run up, as NIfTI and NRRD have them. */
function flipRows(labels: Buffer): Buffer {
  const rows: Buffer[] = [];
  for (let slice = 0; slice < labels.length / SIZE; slice += 1) {
    for (let row = SLICE_ROWS - 1; row >= 0; row -= 1) {
      const at = slice * SIZE + row * SLICE_COLUMNS;
      rows.push(labels.subarray(at, at + SLICE_COLUMNS));
    }
  }
  return Buffer.concat(rows);
}

test('a NIfTI file has the grid of the images, and a fourth axis for parts that overlap', async () => {
  const server = await serve(...slices(), writeBinary());

  const { bytes, response } = await ask(server, '/file/0/volume/labels?layers=4');
  const file = gunzipSync(bytes);
  const { bytes: volume } = await ask(server, '/file/0/volume/nifti?format=nii');

  expect(response.headers.get('content-disposition')).toBe('attachment; filename="CT-series1-Series_1-labels.nii.gz"');
  expect(Array.from({ length: 5 }, (_, at) => file.readInt16LE(40 + 2 * at))).toEqual([4, 30, 20, 4, 2]);
  expect(file.subarray(252, 328)).toEqual(volume.subarray(252, 328));
  expect(Buffer.compare(flipRows(file.subarray(file.readFloatLE(108))), labelsOf([[[2, FIRST]], [[5, SECOND]]]))).toBe(
    0,
  );
  expect((await ask(server, '/file/0/volume/labels?layers=4&format=nii')).bytes).toEqual(file);
});

test('a segmentation of 3D Slicer has a layer for parts that overlap, and the extent of each segment', async () => {
  const server = await serve(...slices(), writeBinary());

  const { bytes } = await ask(server, '/file/0/volume/labels?layers=4&format=nrrd');
  const end = bytes.indexOf('\n\n') + 2;
  const samples = gunzipSync(bytes.subarray(end));

  const [first, second] = [0, 1].map((n) => flipRows(Buffer.from(samples.filter((_, at) => at % 2 === n))));
  expect(Buffer.compare(Buffer.concat([first!, second!]), labelsOf([[[2, FIRST]], [[5, SECOND]]]))).toBe(0);
  for (const line of [
    'dimension: 4',
    'sizes: 2 30 20 4',
    'space directions: none (1,0,0) (0,-1,0) (0,0,2)',
    'kinds: list domain domain domain',
    'Segment0_ID:=Segment_4_2',
    'Segment0_LabelValue:=2',
    'Segment0_Layer:=0',
    // Rows 2 to 9 of 20, counted from the last one.
    'Segment0_Extent:=3 9 10 17 0 2',
    'Segment1_Name:=segment 5',
    'Segment1_Layer:=1',
    'Segment1_Extent:=8 19 5 14 1 3',
  ]) {
    expect(bytes.toString('utf8', 0, end).split('\n')).toContain(line);
  }
});

test('a DICOM segmentation of labels has the same segments on the same images', async () => {
  const server = await serve(...slices(), writeBinary());
  const { bytes } = await ask(server, '/file/0/volume/labels?layers=4&format=seg');

  const second = await serve(...slices(), bytes);

  const { labels, about } = await fetchNumpy(second, 'layers=4');
  expect(about.labels.map(({ name }: { name: string }) => name)).toEqual(['segment 2', 'segment 5']);
  expect(Buffer.compare(labels, labelsOf([[[1, FIRST]], [[2, SECOND]]]))).toBe(0);
});

test('a segmentation that becomes masks of marks is the same segmentation again', async () => {
  const server = await serve(...slices(), writeBinary());

  const response = await server.request('/api/file/0/volume/labels/marks', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ layers: [4] }),
  });
  expect(await response.json()).toMatchObject({ refused: 0, left_out: [] });
  const { marks } = JSON.parse((await ask(server, '/marks')).bytes.toString());
  expect(marks).toMatchObject([
    { kind: 'brush', label: 'segment 2', class: 'segment 2', slices: [{}, {}, {}] },
    { kind: 'brush', label: 'segment 5', class: 'segment 5', slices: [{}, {}, {}] },
  ]);

  const { bytes } = await ask(server, '/file/0/volume/marks?format=seg');
  const second = await serve(...slices(), bytes);
  expect(Buffer.compare((await fetchNumpy(second, 'layers=4')).labels, labelsOf([[[1, FIRST]], [[2, SECOND]]]))).toBe(
    0,
  );
});

test('fractions count from the threshold on', async () => {
  const frames = [frameOf(FIRST, 0, 1, 102), frameOf(FIRST, 1, 1, 204)];
  const written = { rows: SLICE_ROWS, columns: SLICE_COLUMNS, type: 'FRACTIONAL', frames, declared: uids } as const;
  const server = await serve(...slices(), writeDicom(segmentationElements(written, SPACE)));

  // 102 of 255 is 0.4, and 204 is 0.8.
  const on =
    (from: number): Inside =>
    (slice, row, column) =>
      slice <= 1 && slice >= from && FIRST(slice, row, column);
  expect(Buffer.compare((await fetchNumpy(server, 'layers=4')).labels, labelsOf([[[1, on(1)]]]))).toBe(0);
  expect(Buffer.compare((await fetchNumpy(server, 'layers=4&threshold=0.4')).labels, labelsOf([[[1, on(0)]]]))).toBe(0);
  expect(Buffer.compare((await fetchNumpy(server, 'layers=4&threshold=0.81')).labels, labelsOf([[]]))).toBe(0);
});

const box = (left: number, top: number, right: number, bottom: number, z: number) => [
  [left, top, z],
  [right, top, z],
  [right, bottom, z],
  [left, bottom, z],
];

/** Centers on the left and upper outline are inside, those on the others are not. */
const inBox = (left: number, top: number, right: number, bottom: number, row: number, column: number) =>
  column >= left && column < right && row >= top && row < bottom;

// Slices are 2 mm apart, contours at 0 and 4 mm. Of two planes at the same distance, the one below is taken.
const RING: Inside = (slice, row, column) =>
  slice <= 3 && inBox(2, 3, 12, 13, row, column) && !(slice <= 1 && inBox(5, 6, 8, 9, row, column));
// A contour without others stands for as much as those of the other ROIs.
const BESIDE: Inside = (slice, row, column) => slice <= 1 && inBox(12, 3, 15, 13, row, column);

test('a pixel is in a contour if its center is; a contour in another one is a hole, and slices between have the nearest', async () => {
  const rings = [box(2, 3, 12, 13, 0), box(5, 6, 8, 9, 0)].map((points) => ({ points }));
  const rois = [
    { number: 3, name: 'Ring', contours: [...rings, ...[box(2, 3, 12, 13, 4)].map((points) => ({ points }))] },
    { number: 7, name: 'Beside', contours: [{ points: box(12, 3, 15, 13, 0) }] },
  ];
  const elements = structureSetElements(
    rois.map((roi) => ({ ...roi, different: { ReferencedFrameOfReferenceUID: `${SLICE_UID}.102` } })),
    SPACE,
  );
  const server = await serve(...slices(), writeDicom(elements));

  const { labels } = await fetchNumpy(server, 'layers=4');

  expect(
    Buffer.compare(
      labels,
      labelsOf([
        [
          [3, RING],
          [7, BESIDE],
        ],
      ]),
    ),
  ).toBe(0);
});

test('labels and probabilities of model output are labels of the images, with the values of the file', async () => {
  const folder = createTempFolder();
  const labels = Buffer.alloc(SLICES * SIZE);
  for (let at = 0; at < labels.length; at += 1) labels[at] = at % 7 === 0 ? 200 : 0;
  const share = new Float32Array(SLICES * SIZE).map((_, at) => (at % 5) / 4);
  writeBelow(folder, 'labels.npy', writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], labels));
  const floats = new Uint8Array(share.buffer);
  writeBelow(folder, 'share.npy', writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], floats, { descr: '<f4' }));
  const server = await serve(...slices(), folder);

  expect(Buffer.compare((await fetchNumpy(server, 'layers=1000000')).labels, labels)).toBe(0);
  const from = (threshold: number) => Buffer.from(share.map((value) => (value >= threshold ? 1 : 0)));
  expect(Buffer.compare((await fetchNumpy(server, 'layers=1000001')).labels, from(0.5))).toBe(0);
  expect(Buffer.compare((await fetchNumpy(server, 'layers=1000001&threshold=0.8')).labels, from(0.8))).toBe(0);
});

const CYST: Inside = (slice, row, column) => slice === 3 && column >= 25 && column < 28 && row >= 2 && row < 4;
const CORNER: Inside = (slice, row, column) => slice === 0 && row === SLICE_ROWS - 1 && column === SLICE_COLUMNS - 1;

test('several layers and marks are one label volume, counted from 1 on', async () => {
  const folder = createTempFolder();
  const samples = new Uint8Array(SLICES * SIZE);
  samples[SIZE - 1] = 9;
  writeBelow(folder, 'labels.npy', writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], samples));
  const server = await serve(...slices(), writeBinary(), folder);
  const mark = {
    kind: 'box',
    place: { type: 'frame', file_index: 3, frame_index: 0 },
    points: [
      [25, 2],
      [28, 4],
    ],
  };
  const headers = { 'Content-Type': 'application/json' };
  await server.request('/api/marks', { method: 'POST', headers, body: JSON.stringify({ ...mark, class: 'cyst' }) });

  const { labels, about } = await fetchNumpy(server, 'layers=4,1000000&marks=add');

  expect(about.labels.map(({ value, name }: { value: number; name: string }) => [value, name])).toEqual([
    [1, 'segment 2'],
    [2, 'segment 5'],
    [3, 'Label 9'],
    [4, 'cyst'],
  ]);
  expect(
    Buffer.compare(
      labels,
      labelsOf([
        [
          [1, FIRST],
          [3, CORNER],
          [4, CYST],
        ],
        [[2, SECOND]],
      ]),
    ),
  ).toBe(0);
});

test('on its own grid a segmentation has the slices that were left out because they are empty', async () => {
  const frames = [0, 1, 4].map((slice) => frameOf(FIRST, slice, 1));
  const ends = [0, 4].map((slice) => ({ ...frames[0]!, plane: { ...frames[0]!.plane!, position: [0, 0, 2 * slice] } }));
  const used = [ends[0]!, frames[1]!, ends[1]!];
  const written = { rows: SLICE_ROWS, columns: SLICE_COLUMNS, type: 'BINARY', frames: used } as const;
  const measures = { SharedFunctionalGroupsSequence: [{ PixelMeasuresSequence: [{ SpacingBetweenSlices: '2' }] }] };
  const server = await serve(writeDicom(segmentationElements(written, { ...SPACE, ...measures })));

  const { shape, labels } = await fetchNumpy(server, 'layers=0&grid=own');

  expect(shape).toBe('5, 20, 30');
  const filled = [0, 1, 2, 3, 4].map((slice) =>
    labels.subarray(slice * SIZE, (slice + 1) * SIZE).some((one) => one !== 0),
  );
  expect(filled).toEqual([true, true, false, false, true]);
});

test('what cannot be labels is refused with the reason', async () => {
  const server = await serve(...slices(), writeBinary(), writeDicom(slideElements()));

  const reasons = [
    ['/file/0/volume/labels', 'mark_not_found', 'nothing on these images is an area'],
    ['/file/0/volume/labels?parts=1', 'semantic_mapping_unavailable', 'parts needs exactly one layer'],
    ['/file/0/volume/labels?layers=77', 'layer_not_found', 'there is no layer 77'],
    [
      '/file/0/volume/labels?layers=0',
      'semantic_mapping_unavailable',
      'layer 0 (Series 1) has values and neither labels nor probabilities',
    ],
    ['/file/0/volume/labels?marks=add', 'mark_not_found', 'nothing on these images is an area'],
    [
      '/file/0/volume/labels?layers=4&marks=add&grid=own',
      'semantic_mapping_unavailable',
      'grid=own is for one layer, and for no marks beside it',
    ],
    [
      '/file/0/volume/labels?layers=4&format=seg&grid=own',
      'semantic_mapping_unavailable',
      'a DICOM segmentation names its images: it lies on their grid',
    ],
    ['/file/0/volume/labels?layers=4&time=3', 'frame_out_of_range', 'time 3 is outside 0 to 0'],
  ] as const;
  for (const [path, code, error] of reasons)
    expect({ path, ...(await refusal(server, path)) }).toEqual({ path, code, error });
  expect((await refusal(server, '/file/5/volume/labels?layers=4')).error).toMatch(/slide/);
});
