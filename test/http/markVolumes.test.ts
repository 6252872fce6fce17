import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { serve, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, valueAt, writeSlice } from '../support/sliceFiles.ts';
import { frameAt, VOLUME_COLUMNS, VOLUME_ROWS, writeMultiFrame } from '../support/volumeFiles.ts';

const SLICES = 4;

function writeSlices(): Uint8Array[] {
  return Array.from({ length: SLICES }, (_, number) => writeSlice({ number }, { PixelSpacing: ['2', '0.5'] }));
}

async function send(server: TestServer, method: string, path: string, body: object) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await server.request(`/api${path}`, { method, headers, body: JSON.stringify(body) });
  const answer = await response.json();
  expect({ status: response.status, answer }).toMatchObject({ status: 200 });
  return answer;
}

const at = (file_index: number) => ({ file_index, frame_index: 0 });
const CORNERS = [
  [2, 3],
  [6, 8],
];

/** A box of class a through slices 0 to 2, a triangle of no class on slice 1, and a mask of class b on slice 3. */
async function serveMarked(): Promise<TestServer> {
  const server = await serve(...writeSlices());
  const classes = [
    { key: 'b', title: 'Second', color: '#00ff00', type: { value: '441457006', scheme: 'SCT', meaning: 'Cyst' } },
    { key: 'a', title: 'First', color: '#ff0000' },
  ];
  await send(server, 'PUT', '/labels', { classes });
  const stack = (from: number, to: number) => ({ type: 'stack', from: at(from), to: at(to) });
  await send(server, 'POST', '/marks', {
    kind: 'box',
    class: 'a',
    label: 'lesion 1',
    uid: '2.25.4711',
    place: stack(0, 2),
    points: [],
    slices: [{ ...at(0), points: CORNERS }],
  });
  await send(server, 'POST', '/marks', {
    kind: 'polygon',
    place: { type: 'frame', ...at(1) },
    points: [
      [10, 10],
      [20, 10],
      [10, 20],
    ],
  });
  const mask = { left: 28, top: 18, width: 2, height: 2, runs: [1, 3] };
  await send(server, 'POST', '/marks', {
    kind: 'brush',
    class: 'b',
    place: stack(3, 3),
    points: [],
    slices: [{ ...at(3), points: [], mask }],
  });
  return server;
}

/** Class b is 1, class a is 2, and no class is 3. From the definition: a pixel is inside if its center is. */
function labelAt(place: number, row: number, column: number): number {
  if (place < 3 && column >= 2 && column < 6 && row >= 3 && row < 8) return 2;
  // Right of 10, below 10, and above the line from (20, 10) to (10, 20) or on it.
  if (place === 1 && column >= 10 && row >= 10 && column + 0.5 + row + 0.5 <= 30) return 3;
  const isMasked = column >= 28 && row >= 18 && !(column === 28 && row === 18);
  return place === 3 && isMasked ? 1 : 0;
}

/** As a NIfTI file has them: rows run up. */
function expectedLabels(): Uint8Array {
  const labels = new Uint8Array(SLICES * SLICE_ROWS * SLICE_COLUMNS);
  for (let n = 0; n < labels.length; n += 1) {
    const row = Math.floor(n / SLICE_COLUMNS) % SLICE_ROWS;
    labels[n] = labelAt(Math.floor(n / (SLICE_COLUMNS * SLICE_ROWS)), SLICE_ROWS - 1 - row, n % SLICE_COLUMNS);
  }
  return labels;
}

async function fetchBytes(server: TestServer, path: string) {
  const response = await server.request(path);
  expect({ path, status: response.status }).toEqual({ path, status: 200 });
  return { bytes: Buffer.from(await response.arrayBuffer()), leftOut: response.headers.get('x-marks-left-out') };
}

test('a label volume of NIfTI has the grid of the volume, and a label for each class', async () => {
  const server = await serveMarked();

  const { bytes: packed, leftOut } = await fetchBytes(server, '/api/file/0/volume/marks');
  const file = gunzipSync(packed);
  const { bytes: volume } = await fetchBytes(server, '/api/file/0/volume/nifti?format=nii');

  expect(leftOut).toBeNull();
  const start = file.readFloatLE(108);
  expect(Buffer.compare(file.subarray(start), expectedLabels())).toBe(0);
  // Sizes, and from the codes of both forms to the end of the affine.
  expect(file.subarray(40, 56)).toEqual(volume.subarray(40, 56));
  expect(file.subarray(252, 328)).toEqual(volume.subarray(252, 328));
  // A comment says what the labels are.
  expect([file.readUInt8(348), file.readInt32LE(352) % 16, file.readInt32LE(356)]).toEqual([1, 0, 6]);
  expect(JSON.parse(file.toString('utf8', 360, start).replaceAll('\0', ''))).toEqual({
    labels: [
      { value: 1, key: 'b', title: 'Second' },
      { value: 2, key: 'a', title: 'First' },
      { value: 3, key: null, title: 'unlabelled' },
    ],
  });
  expect((await fetchBytes(server, '/api/file/0/volume/marks?format=nii')).bytes).toEqual(file);
});

test('a segmentation of 3D Slicer has the same labels, with names, colors and codes', async () => {
  const server = await serveMarked();

  const { bytes } = await fetchBytes(server, '/api/file/0/volume/marks?format=nrrd');

  const end = bytes.indexOf('\n\n') + 2;
  expect(Buffer.compare(gunzipSync(bytes.subarray(end)), expectedLabels())).toBe(0);
  // Columns of 0.5 mm, rows of 2 mm that run up from the last one, which lies at 38 mm, and slices of 2 mm.
  for (const line of [
    'sizes: 30 20 4',
    'space: left-posterior-superior',
    'space directions: (0.5,0,0) (0,-2,0) (0,0,2)',
    'space origin: (0,38,0)',
    'Segment0_Name:=Second',
    'Segment0_LabelValue:=1',
    'Segment1_Color:=1 0 0',
    'Segment2_ID:=unlabelled',
    // The codes of a class as 3D Slicer 5 writes them; slicerio reads them as SCT 85756007 and SCT 441457006.
    'Segment0_Tags:=TerminologyEntry:Segmentation category and type - 3D Slicer General Anatomy list' +
      '~SCT^85756007^Tissue~SCT^441457006^Cyst~^^~Anatomic codes - DICOM master list~^^~^^|negato.class:b|',
  ]) {
    expect(bytes.toString('utf8', 0, end).split('\n')).toContain(line);
  }
});

test('a DICOM segmentation lies over its images, with a segment for each mark', async () => {
  const server = await serveMarked();
  const { bytes } = await fetchBytes(server, '/api/file/0/volume/marks?format=seg');

  const again = await serve(...writeSlices(), bytes);

  const segmentation = await (await again.request(`/api/file/${SLICES}/segmentation`)).json();
  expect(segmentation).toMatchObject({
    segmentation_type: 'BINARY',
    // Three slices with the box, one with the triangle, one with the mask.
    frame_count: 5,
    unmapped: [],
    warnings: [],
    segments: [{ number: 1, label: 'lesion 1' }, { number: 2 }, { number: 3, label: 'Second' }],
  });
  const { segments } = await (await again.request(`/api/file/${SLICES}/segment-statistics`)).json();
  // 3 slices of 4 × 5 pixels; 10 + 9 + … + 1 pixels; 3 pixels. Each is 2 mm × 0.5 mm × 2 mm.
  expect(segments).toMatchObject([
    { voxel_count: 60, volume_mm3: expect.closeTo(120) },
    { voxel_count: 55, volume_mm3: expect.closeTo(110) },
    { voxel_count: 3, volume_mm3: expect.closeTo(6) },
  ]);
  const [tracking] = await Promise.all(
    ['(0062,0002)/0/(0062,0021)'].map(async (path) =>
      (await again.request(`/api/file/${SLICES}/tags/select?path=${path}`)).json(),
    ),
  );
  expect(JSON.stringify(tracking)).toContain('2.25.4711');
});

test('a label volume that was saved comes back as masks with the same classes and pixels, whichever way its axes run', async () => {
  const server = await serveMarked();
  const saved = await Promise.all(
    ['nii.gz', 'nrrd'].map(async (format) => {
      const { bytes } = await fetchBytes(server, `/api/file/0/volume/marks?format=${format}`);
      return { format: format === 'nrrd' ? 'nrrd' : 'nifti', bytes };
    }),
  );
  const unpacked = gunzipSync(saved[0]!.bytes);

  for (const { format, bytes } of [...saved, { format: 'nifti', bytes: turnNifti(unpacked) }]) {
    const other = await serve(...writeSlices());
    const answer = await importVolume(other, bytes, `format=${format}&file=2`);
    expect(answer).toMatchObject({ status: 200, body: { imported: 3, refused: 0, left_out: [] } });

    // The other server has no classes but those of the file, in the order of their labels.
    const { bytes: again } = await fetchBytes(other, '/api/file/0/volume/marks?format=nii');
    expect(Buffer.compare(again.subarray(again.readFloatLE(108)), expectedLabels())).toBe(0);
    const { marks } = await (await other.request('/api/marks')).json();
    expect(marks).toMatchObject([
      { kind: 'brush', class: 'b', label: '', place: { type: 'stack', from: at(3), to: at(3) } },
      { kind: 'brush', class: 'a', label: '', place: { type: 'stack', from: at(0), to: at(2) } },
      { kind: 'brush', class: null, place: { type: 'stack', from: at(1), to: at(1) } },
    ]);
    expect(marks[0].slices).toEqual([
      { ...at(3), points: [], mask: { left: 28, top: 18, width: 2, height: 2, runs: [1, 3] } },
    ]);
  }
});

test('a volume of other programs has its names as classes; what is no label volume of these images is refused', async () => {
  const server = await serve(...writeSlices());
  // The last column and row of slices 2 and 3, and a voxel beside of the images. Columns run to the left (0.5 mm), rows to
  // the back (2 mm) and slices to the head (2 mm); the corner is at 14.5, 38, 4 mm.
  const space = ['space directions: (-0.5,0,0) (0,-2,0) (0,0,2)', 'space origin: (-14.5,-38,4)', 'sizes: 2 1 2'];
  const names = ['Segment0_ID:=Segment_1', 'Segment0_Name:=Liver', 'Segment0_LabelValue:=7', 'Segment0_Color:=1 0 0'];

  const small = writeNrrd('uchar', [...space, ...names], Uint8Array.of(7, 7, 7, 9));
  const answer = await importVolume(server, small, 'format=nrrd&file=0');
  expect(answer).toMatchObject({ status: 200, body: { imported: 1, left_out: ['voxels outside of the images: 2'] } });
  const { marks } = await (await server.request('/api/marks')).json();
  const corner = { left: 29, top: 19, width: 1, height: 1, runs: [0, 1] };
  expect(marks).toMatchObject([
    { class: 'Liver', color: [255, 0, 0], slices: [2, 3].map((n) => ({ ...at(n), points: [], mask: corner })) },
  ]);

  const half = Buffer.alloc(16);
  half.writeFloatLE(0.5, 4);
  const moved = ['space directions: (-0.5,0,0) (0,-2,0) (0,0,2)', 'space origin: (-14.25,-38,4)', 'sizes: 2 1 2'];
  for (const [bytes, query, status, reason] of [
    [writeNrrd('float', space, half), 'format=nrrd&file=0', 422, 'the value 0.5 is no label'],
    [
      writeNrrd('uchar', moved, Uint8Array.of(1, 1, 1, 1)),
      'format=nrrd&file=0',
      422,
      'its voxels are not those of the images',
    ],
    [writeNrrd('uchar', ['sizes: 2 1 2'], Uint8Array.of(1, 1, 1, 1)), 'format=nrrd&file=0', 422, 'where it lies'],
    [writeNrrd('uchar', space, Uint8Array.of(1)), 'format=nrrd&file=0', 422, 'declares 4 bytes'],
    [Buffer.from('x'), 'format=nifti&file=0', 422, 'no NIfTI header'],
    [small, 'format=nrrd', 400, 'file must name an image'],
  ] as const) {
    const refused = await importVolume(server, bytes, query);
    expect(refused).toMatchObject({ status, body: { error: expect.stringContaining(reason) } });
  }
  expect((await (await server.request('/api/marks')).json()).marks).toHaveLength(1);
});

function writeNrrd(type: string, lines: readonly string[], samples: Uint8Array): Buffer {
  const fixed = ['NRRD0005', 'dimension: 3', 'space: RAS', 'endian: little', 'encoding: raw', `type: ${type}`];
  return Buffer.concat([Buffer.from([...fixed, ...lines, '', ''].join('\n')), samples]);
}

async function importVolume(server: TestServer, bytes: Buffer, query: string) {
  const response = await server.request(`/api/marks/import?${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
  return { status: response.status, body: await response.json() };
}

/** The same voxels in the order k, i, j, each from its other end. */
function turnNifti(file: Buffer): Buffer {
  const start = file.readFloatLE(108);
  const turned = Buffer.from(file);
  const sizes = [0, 1, 2].map((axis) => file.readInt16LE(42 + 2 * axis));
  const [columns = 0, rows = 0, slices = 0] = sizes;
  const order = [2, 0, 1];
  for (const [axis, from] of order.entries()) {
    turned.writeInt16LE(sizes[from]!, 42 + 2 * axis);
    for (let row = 0; row < 3; row += 1)
      turned.writeFloatLE(-file.readFloatLE(280 + 16 * row + 4 * from), 280 + 16 * row + 4 * axis);
  }
  for (let row = 0; row < 3; row += 1) {
    const rowAt = 280 + 16 * row;
    const last = sizes.reduce((sum, size, axis) => sum + (size - 1) * file.readFloatLE(rowAt + 4 * axis), 0);
    turned.writeFloatLE(file.readFloatLE(rowAt + 12) + last, rowAt + 12);
  }
  // The sform counts alone.
  turned.writeInt16LE(0, 252);
  for (let k = 0; k < slices; k += 1) {
    for (let i = 0; i < columns; i += 1) {
      for (let j = 0; j < rows; j += 1) {
        const [to, from] = [
          (j * columns + i) * slices + k,
          (slices - 1 - k) * columns * rows + (rows - 1 - j) * columns + columns - 1 - i,
        ];
        turned[start + to] = file[start + from]!;
      }
    }
  }
  return turned;
}

test('what such a volume cannot hold is named, and a segmentation of nothing is refused', async () => {
  const server = await serveMarked();
  const box = { kind: 'box', class: 'b', place: { type: 'frame', ...at(0) }, points: CORNERS };
  await send(server, 'POST', '/marks', box);
  await send(server, 'POST', '/marks', { ...box, kind: 'length' });

  const { leftOut } = await fetchBytes(server, '/api/file/0/volume/marks');
  // The box covers the 20 pixels of the other box on that slice.
  expect(leftOut).toBe('length on a frame: 1, voxels in more than one class: 20');
  expect((await fetchBytes(server, '/api/file/0/volume/marks?class=b&kind=box,brush')).leftOut).toBeNull();

  const refused = await server.request('/api/file/0/volume/marks?format=seg&kind=ellipse');
  expect({ status: refused.status, body: await refused.json() }).toMatchObject({
    status: 404,
    body: { code: 'mark_not_found' },
  });
});

/**
 * Of the box from 1, 6 and 1 mm to 3, 14 and 4 mm: columns are 0.5 mm, rows and slices 2 mm apart, from 0 on, so columns 2
 * to 6, rows 3 to 7, and slices 1 and 2.
 */
function isInBox(slice: number, row: number, column: number): boolean {
  return slice >= 1 && slice <= 2 && row >= 3 && row <= 7 && column >= 2 && column <= 6;
}

test('a box in a volume has the voxels whose centers are inside, as labels, as a segment and in statistics', async () => {
  const server = await serve(...writeSlices());
  const place = { type: 'volume', ...at(0), frame_of_reference_uid: '', orientation: [1, 0, 0, 0, 1, 0] };
  const post = (position: number[], size: number[]) =>
    send(server, 'POST', '/marks', { kind: 'box', place: { ...place, position, size }, points: [] });
  const { id } = await post([1, 6, 1], [2, 8, 3]);

  const { bytes, leftOut } = await fetchBytes(server, '/api/file/0/volume/marks?format=nii');
  expect(leftOut).toBeNull();
  const values: number[] = [];
  const labels = Uint8Array.from({ length: SLICES * SLICE_ROWS * SLICE_COLUMNS }, (_, n) => {
    const slice = Math.floor(n / (SLICE_COLUMNS * SLICE_ROWS));
    // Rows run up.
    const row = SLICE_ROWS - 1 - (Math.floor(n / SLICE_COLUMNS) % SLICE_ROWS);
    if (!isInBox(slice, row, n % SLICE_COLUMNS)) return 0;
    values.push(valueAt(slice, n % SLICE_COLUMNS, row));
    return 1;
  });
  expect(values).toHaveLength(50);
  expect(Buffer.compare(bytes.subarray(bytes.readFloatLE(108)), labels)).toBe(0);
  expect(await (await server.request(`/api/mark/${id}/statistics`)).json()).toMatchObject({
    count: 50,
    frames: 2,
    min: Math.min(...values),
    max: Math.max(...values),
    area_mm2: null,
    volume_ml: expect.closeTo(0.048, 9),
  });
  // A segmentation has its pixels and not its corners.
  const { leftOut: notHeld } = await fetchBytes(server, '/api/file/0/volume/marks?format=seg');
  expect(notHeld).toBe('outline of box in a volume: 1');

  // Between two slices.
  await post([1, 6, 2.5], [2, 8, 1]);
  const later = await fetchBytes(server, '/api/file/0/volume/marks');
  expect(later.leftOut).toBe('boxes that reach no image: 1');
});

test('statistics are of the pixels whose centers are inside, in the units of the rescale', async () => {
  const server = await serveMarked();
  const read = async (id: number) => (await server.request(`/api/mark/${id}/statistics`)).json();

  const values: number[] = [];
  for (let place = 0; place < 3; place += 1) {
    for (let row = 3; row < 8; row += 1)
      for (let column = 2; column < 6; column += 1) values.push(valueAt(place, column, row));
  }
  const sum = values.reduce((total, value) => total + value, 0);
  const mean = sum / values.length;
  const variance = values.reduce((total, value) => total + (value - mean) ** 2, 0) / values.length;
  expect(await read(1)).toMatchObject({
    count: 60,
    min: Math.min(...values),
    max: Math.max(...values),
    mean: expect.closeTo(mean),
    sd: expect.closeTo(Math.sqrt(variance)),
    sum: expect.closeTo(sum),
    unit: 'HU',
    frames: 3,
    without_value: 0,
    area_mm2: null,
    // 60 pixels of 2 mm³.
    volume_ml: expect.closeTo(0.12),
  });
  // A triangle with two sides of 10 mm; the centers of 55 pixels of 1 mm² are inside or on its outline.
  expect(await read(2)).toMatchObject({ count: 55, frames: 1, area_mm2: 50, pixels_area_mm2: 55, volume_ml: null });
  expect(await read(3)).toMatchObject({ count: 3, min: valueAt(3, 29, 18), max: valueAt(3, 29, 19), frames: 1 });

  const length = { kind: 'length', place: { type: 'frame', ...at(0) }, points: CORNERS };
  const { id } = await send(server, 'POST', '/marks', length);
  expect(await read(id)).toMatchObject({ code: 'invalid_mark' });
});

test('labels are those of the file that is asked for, also if several files are one volume with times', async () => {
  const server = await serve(
    ...[10, 20].map((ms, k) =>
      writeMultiFrame(
        1,
        [0, 2, 4].map((z) => frameAt(z, { MREchoSequence: [{ EffectiveEchoTime: ms }] })),
        { SOPInstanceUID: `1.2.826.0.1.3680043.10.77.9.${k}` },
      ),
    ),
  );
  await send(server, 'POST', '/marks', {
    kind: 'box',
    place: { type: 'frame', file_index: 1, frame_index: 1 },
    points: [
      [1, 1],
      [3, 2],
    ],
  });
  const { volume } = await (await server.request('/api/file/1/volume')).json();
  expect(volume.times).toHaveLength(2);
  const size = VOLUME_COLUMNS * VOLUME_ROWS;
  const read = async (path: string) => {
    const file = gunzipSync((await fetchBytes(server, `/api/file/${path}`)).bytes);
    return file.subarray(file.readFloatLE(108));
  };

  // Two pixels of the second slice. Rows run up.
  const labels = new Uint8Array(3 * size);
  labels.fill(1, size + 2 * VOLUME_COLUMNS + 1, size + 2 * VOLUME_COLUMNS + 3);
  expect(await read('1/volume/marks')).toEqual(Buffer.from(labels));
  expect(await read('0/volume/marks?time=1')).toEqual(Buffer.from(labels));
});
