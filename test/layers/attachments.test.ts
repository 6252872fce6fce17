import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AttachmentsResponse, WireAttachment } from '../../src/shared/contract/attachments.ts';
import type { LayerResponse, LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import { decodeField, valueOfField } from '../../src/shared/fieldPacket.ts';
import { decodeMasks, type SourceMasks } from '../../src/shared/maskLayers.ts';
import { gzip, writeNifti, writeNpy, writeNpz, writeNrrd, writePng } from '../support/arrayFiles.ts';
import { CORPUS, findCorpus, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const SLICES = 4;
const COUNT = SLICE_COLUMNS * SLICE_ROWS * SLICES;

/** Label 1 in a corner of slice 1, label 7 in slices 1 and 2; no symmetry, so that no flip goes unseen. */
function labelAt(column: number, row: number, slice: number): number {
  if (slice === 1 && column < 3 && row < 2) return 1;
  return (slice === 1 || slice === 2) && column >= 10 && column < 15 + slice && row >= 5 && row < 9 ? 7 : 0;
}

const NAMES = ['column', 'row', 'slice'] as const;
const SIZES = { column: SLICE_COLUMNS, row: SLICE_ROWS, slice: SLICES };

/** The labels with these axes, the fastest first; a name with a minus runs the other way. */
function labelsAlong(...axes: readonly string[]): Uint8Array {
  const names = axes.map((axis) => NAMES.find((name) => axis.endsWith(name))!);
  const [first, second, third] = names.map((name) => SIZES[name]);
  return Uint8Array.from({ length: COUNT }, (_, i) => {
    const at = [i % first!, Math.floor(i / first!) % second!, Math.floor(i / (first! * second!))];
    const way = { column: 0, row: 0, slice: 0 };
    for (const [k, name] of names.entries()) {
      way[name] = axes[k]!.startsWith('-') ? [first!, second!, third!][k]! - 1 - at[k]! : at[k]!;
    }
    return labelAt(way.column, way.row, way.slice);
  });
}

const XYZ = [SLICE_COLUMNS, SLICE_ROWS, SLICES] as const;
const USUAL = labelsAlong('column', 'row', 'slice');
/** Slices are 2 mm apart, pixels 1 mm. RAS has the opposite x and y. */
const SFORM = [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 2, 0];
const LPS = ['type: uint8', 'dimension: 3', 'space: left-posterior-superior', `sizes: ${XYZ.join(' ')}`];
const PLACE = ['space directions: (1,0,0) (0,1,0) (0,0,2)', 'space origin: (0,0,0)'];

function toInt16(samples: Uint8Array, isBigEndian: boolean): Uint8Array {
  const bytes = Buffer.alloc(2 * samples.length);
  for (const [i, value] of samples.entries()) {
    if (isBigEndian) bytes.writeInt16BE(value, 2 * i);
    else bytes.writeInt16LE(value, 2 * i);
  }
  return bytes;
}

function toFloats(samples: Uint8Array, scale = 1): Uint8Array {
  return new Uint8Array(Float32Array.from(samples, (value) => value * scale).buffer);
}

/** The same labels in every format. */
const ENCODINGS: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ['sform.nii', writeNifti({ sizes: XYZ, samples: USUAL, sform: SFORM })],
  ['packed.nii.gz', gzip(writeNifti({ sizes: XYZ, samples: USUAL, sform: SFORM }))],
  [
    // As other tools write it: x to the right, y to the front.
    'flipped.nii',
    writeNifti({
      sizes: XYZ,
      samples: labelsAlong('-column', '-row', 'slice'),
      sform: [1, 0, 0, 1 - SLICE_COLUMNS, 0, 1, 0, 1 - SLICE_ROWS, 0, 0, 2, 0],
    }),
  ],
  [
    'permuted.nii',
    writeNifti({
      sizes: [SLICES, SLICE_COLUMNS, SLICE_ROWS],
      samples: labelsAlong('-slice', 'column', 'row'),
      sform: [0, -1, 0, 0, 0, 0, -1, 0, -2, 0, 0, 2 * (SLICES - 1)],
    }),
  ],
  // Half a turn around z is the quaternion 0, 0, 1.
  [
    'qform.nii',
    writeNifti({ sizes: XYZ, samples: USUAL, qform: { numbers: [0, 0, 1, 0, 0, 0], pixdim: [1, 1, 1, 2] } }),
  ],
  ['big.nii', writeNifti({ sizes: XYZ, samples: toInt16(USUAL, true), datatype: 4, sform: SFORM, isBigEndian: true })],
  ['float.nii', writeNifti({ sizes: XYZ, samples: toFloats(USUAL), datatype: 16, sform: SFORM })],
  ['none.nii', writeNifti({ sizes: XYZ, samples: USUAL })],
  ['raw.nrrd', writeNrrd([...LPS, ...PLACE, 'encoding: raw'], USUAL)],
  ['gzip.nrrd', writeNrrd([...LPS, ...PLACE, 'encoding: gzip'], gzip(USUAL))],
  ['ascii.nrrd', writeNrrd([...LPS, ...PLACE, 'encoding: ascii'], [...USUAL].join(' '))],
  ['hex.nrrd', writeNrrd([...LPS, ...PLACE, 'encoding: hex'], Buffer.from(USUAL).toString('hex'))],
  [
    'ras.nrrd',
    writeNrrd(
      [
        ...LPS.map((line) => line.replace('left-posterior', 'right-anterior')),
        'space directions: (-1,0,0) (0,-1,0) (0,0,2)',
        'space origin: (0,0,0)',
        'encoding: raw',
      ],
      USUAL,
    ),
  ],
  ['zyx.npy', writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], USUAL)],
  ['xyz.npy', writeNpy(XYZ, USUAL, { isFortran: true })],
  ['last.npy', writeNpy(XYZ, labelsAlong('slice', 'row', 'column'))],
  [
    'int64.npy',
    writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], new Uint8Array(BigInt64Array.from(USUAL, BigInt).buffer), {
      descr: '<i8',
    }),
  ],
  ['stored.npz', writeNpz({ 'mask.npy': writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], USUAL) }, false)],
  ['deflated.npz', writeNpz({ 'mask.npy': writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], USUAL) }, true)],
];

/** A folder with four slices of a CT, and files beside them. */
function writeFolder(files: readonly (readonly [name: string, bytes: Uint8Array | string])[]): string {
  const folder = createTempFolder();
  for (let number = 0; number < SLICES; number += 1)
    writeBelow(folder, `ct/slice${number}.dcm`, writeSlice({ number }));
  for (const [name, bytes] of files) writeBelow(folder, `model/${name}`, bytes);
  return folder;
}

async function listAttachments(server: TestServer): Promise<readonly WireAttachment[]> {
  const response = await server.request('/api/attachments');
  const { attachments }: AttachmentsResponse = await response.json();
  return attachments;
}

async function describeLayer(server: TestServer, layer: number): Promise<LayerResponse> {
  const response = await server.request(`/api/layer/${layer}`);
  expect(response.status).toBe(200);
  return response.json();
}

async function readPacket(server: TestServer, path: string): Promise<Buffer> {
  const response = await server.request(path);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect({ status: response.status, ...(response.status !== 200 && { body: bytes.toString() }) }).toEqual({
    status: 200,
  });
  return bytes;
}

function decode(bytes: Buffer): SourceMasks {
  return decodeMasks(Uint8Array.from(bytes).buffer);
}

test('labels give the same packets in every format, over images and in planes', async () => {
  const server = await serve(writeFolder(ENCODINGS));
  const attachments = await listAttachments(server);
  expect(attachments.map(({ title }) => title).toSorted()).toEqual(
    ENCODINGS.map(([name]) => name.replace('.npz', ': mask').replace(/\..*$/, '')).toSorted(),
  );
  const [{ frame_of_reference_uid } = { frame_of_reference_uid: '' }] = (
    await (await server.request('/api/files')).json()
  ).files;
  const plane = `position=0,6,0&orientation=1,0,0,0,0,1&spacing=2,1&rows=${SLICES}&columns=${SLICE_COLUMNS}`;
  const packets = new Map<string, string[]>();
  for (const { layer, title } of attachments) {
    const { parts, targets } = await describeLayer(server, layer);
    expect({ title, parts: parts.map(({ part }) => part), files: targets.map(({ file_index }) => file_index) }).toEqual(
      {
        title,
        parts: [1, 7],
        files: [1, 2],
      },
    );
    const frames = [0, 1, 2, 3].map((file) => `/api/layer/${layer}/frame?file=${file}&frame=0`);
    const paths = [...frames, `/api/layer/${layer}/plane?${plane}&frame_of_reference=${frame_of_reference_uid}`];
    const read = await Promise.all(paths.map((path) => readPacket(server, path)));
    const key = read.map((bytes) => bytes.toString('hex')).join();
    packets.set(key, [...(packets.get(key) ?? []), title]);
  }
  expect([...packets.values()].map((titles) => titles.length)).toEqual([ENCODINGS.length]);

  // And they are the labels: slice 1 has both, and the plane through row 6 has the second one in slices 1 and 2.
  const [{ layer } = { layer: 0 }] = attachments;
  const over = decode(await readPacket(server, `/api/layer/${layer}/frame?file=1&frame=0`));
  expect(
    over.layers.map(({ segment, kind, top, left, rows, columns }) => [segment, kind, top, left, rows, columns]),
  ).toEqual([
    [1, 'mask', 0, 0, 2, 3],
    [7, 'mask', 5, 10, 4, 6],
  ]);
  const cut = decode(
    await readPacket(server, `/api/layer/${layer}/plane?${plane}&frame_of_reference=${frame_of_reference_uid}`),
  );
  expect(cut.layers.map(({ segment, top, left, rows, columns }) => [segment, top, left, rows, columns])).toEqual([
    [7, 1, 10, 2, 7],
  ]);
  expect([...cut.layers[0]!.samples]).toEqual([1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1]);
}, 180_000);

test('model output is a list of its own, and the images say how it lies over them', async () => {
  const server = await serve(
    writeFolder([
      ['labels.nii', writeNifti({ sizes: XYZ, samples: USUAL, sform: SFORM })],
      ['other.npy', writeNpy([3, 3, 3], new Uint8Array(27))],
      ['notes.txt', 'no array'],
    ]),
  );
  const files = await (await server.request('/api/files')).json();
  expect({ files: files.files.length, skipped: files.skipped, notShown: files.not_shown }).toEqual({
    files: SLICES,
    skipped: 1,
    notShown: { not_dicom: 1 },
  });
  const layers: LayersResponse = await (await server.request('/api/layers?file=0&frame=0')).json();
  expect(layers.layers.map(({ title, placement, frame_count }) => [title, placement.status, frame_count])).toEqual([
    ['labels', 'by_grid', 2],
    ['other', 'unavailable', 0],
  ]);
  const [first] = layers.layers;
  // 2 x 3 voxels of the first label; 4 rows of 6 and of 7 of the second; each of 1 x 1 x 2 mm.
  const { parts, fullest } = await describeLayer(server, first!.layer);
  // 6 + 24 voxels in slice 1, and 28 in slice 2.
  expect(fullest).toEqual({ file_index: 1, frame_index: 0 });
  expect(parts.map(({ part, volume_mm3, ends }) => [part, volume_mm3, ends])).toEqual([
    [1, 12, [{ first: { file_index: 1, frame_index: 0 }, last: { file_index: 1, frame_index: 0 } }]],
    [7, 104, [{ first: { file_index: 1, frame_index: 0 }, last: { file_index: 2, frame_index: 0 } }]],
  ]);
  const missing = await server.request('/api/layer/1000009');
  expect(await missing.json()).toMatchObject({ code: 'layer_not_found' });
  const matches = await (await server.request('/api/attachment/0/matches')).json();
  expect(matches).toMatchObject({
    placement: { status: 'by_grid' },
    matches: [{ method: 'by_grid', is_chosen: true }],
  });
  expect(await (await server.request('/api/attachment/5/matches')).json()).toMatchObject({
    code: 'attachment_not_found',
  });
});

test('labels over slices at different distances have no volume, because their voxels differ', async () => {
  const slices = [0, 2, 4, 6.8].map((z, number) =>
    writeSlice({ number }, { ImagePositionPatient: ['0', '0', String(z)], SliceThickness: z > 4 ? '2.8' : '2' }),
  );
  const folder = createTempFolder();
  for (const [number, slice] of slices.entries()) writeBelow(folder, `ct/${number}.dcm`, slice);
  writeBelow(folder, 'model/labels.npy', writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], USUAL));
  const server = await serve(folder);
  const layers: LayersResponse = await (await server.request('/api/layers?file=0&frame=0')).json();
  const { parts } = await describeLayer(server, layers.layers[0]!.layer);
  expect(parts.map(({ part, volume_mm3 }) => [part, volume_mm3])).toEqual([
    [1, null],
    [7, null],
  ]);
});

test('a file with another grid lies where its coordinates say', async () => {
  // Twice as coarse: its sample (i, j, k) covers the pixels 2i and 2i + 1, and so on, so its centre is half a pixel off.
  const [columns, rows] = [SLICE_COLUMNS / 2, SLICE_ROWS / 2];
  const samples = new Uint8Array(columns * rows * SLICES);
  samples[2 * columns * rows + 3 * columns + 4] = 5;
  const coarse = writeNifti({
    sizes: [columns, rows, SLICES],
    samples,
    sform: [-2, 0, 0, -0.5, 0, -2, 0, -0.5, 0, 0, 2, 0],
  });
  const server = await serve(writeFolder([['coarse.nii', coarse]]));
  const [attachment] = await listAttachments(server);
  expect(attachment!.placement.status).toBe('direct');
  const { layers } = decode(await readPacket(server, `/api/layer/${attachment!.layer}/frame?file=2&frame=0`));
  expect(
    layers.map(({ segment, top, left, rows: height, columns: width }) => [segment, top, left, height, width]),
  ).toEqual([[5, 6, 8, 2, 2]]);
  expect(decode(await readPacket(server, `/api/layer/${attachment!.layer}/frame?file=1&frame=0`)).layers).toEqual([]);
});

test('what fits in several ways is listed as a question and is not drawn', async () => {
  const folder = createTempFolder();
  for (const series of [1, 2]) {
    for (let number = 0; number < SLICES; number += 1) {
      const space = { FrameOfReferenceUID: `2.25.${series}`, StudyInstanceUID: `2.25.10${series}` };
      writeBelow(folder, `images/${series}-${number}.dcm`, writeSlice({ number, series }, space));
    }
  }
  writeBelow(folder, 'images/labels.npy', writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], USUAL));
  const server = await serve(folder);
  const [attachment] = await listAttachments(server);
  expect(attachment!.placement).toEqual({
    status: 'ambiguous',
    reason: 'it fits 2 stacks of different images equally well',
  });
  const response = await server.request(`/api/layer/${attachment!.layer}/frame?file=0&frame=0`);
  expect([response.status, (await response.json()).code]).toEqual([422, 'semantic_mapping_unavailable']);

  // The user decides, and may leave the decision to the program again.
  const choose = async (file: number | null) => {
    const body = JSON.stringify({ file, frame: 0 });
    const headers = { 'Content-Type': 'application/json' };
    const chosen = await server.request('/api/attachment/0/stack', { method: 'PUT', headers, body });
    const { placement, code } = await chosen.json();
    return code ?? placement.status;
  };
  expect(await choose(SLICES)).toBe('by_shape');
  expect(await readPacket(server, `/api/layer/${attachment!.layer}/frame?file=${SLICES + 1}&frame=0`)).not.toHaveLength(
    0,
  );
  expect((await listAttachments(server))[0]!.over_file_indices).toEqual([SLICES]);
  expect([await choose(99), await choose(null)]).toEqual(['not_found', 'ambiguous']);
});

test('a cube fits in several ways, and lies as the user wants it', async () => {
  const folder = createTempFolder();
  const different = { Rows: SLICES, Columns: SLICES, PixelData: new Int16Array(SLICES * SLICES) };
  for (let number = 0; number < SLICES; number += 1)
    writeBelow(folder, `${number}.dcm`, writeSlice({ number }, different));
  writeBelow(
    folder,
    'cube.npy',
    writeNpy(
      [SLICES, SLICES, SLICES],
      Uint8Array.from({ length: 64 }, (_, i) => Number(i === 1)),
    ),
  );
  const server = await serve(folder);
  const [attachment] = await listAttachments(server);
  expect(attachment!.placement.status).toBe('ambiguous');
  const headers = { 'Content-Type': 'application/json' };
  await server.request('/api/attachment/0/stack', { method: 'PUT', headers, body: '{"file":0,"frame":0}' });
  const { layers } = decode(await readPacket(server, `/api/layer/${attachment!.layer}/frame?file=0&frame=0`));
  expect(layers.map(({ segment, top, left }) => [segment, top, left])).toEqual([[1, 0, 1]]);
});

test('the folder of the images decides between equal ones', async () => {
  const folder = createTempFolder();
  for (const series of [1, 2]) {
    for (let number = 0; number < SLICES; number += 1) {
      const space = { FrameOfReferenceUID: `2.25.${series}`, StudyInstanceUID: `2.25.10${series}` };
      writeBelow(folder, `patient${series}/ct/${number}.dcm`, writeSlice({ number, series }, space));
    }
    writeBelow(folder, `patient${series}/labels.nii`, writeNifti({ sizes: XYZ, samples: USUAL, sform: SFORM }));
  }
  const attachments = await listAttachments(await serve(folder));
  expect(attachments.map(({ placement, over_file_indices }) => [placement.status, over_file_indices])).toEqual([
    ['by_grid', [0]],
    ['by_grid', [SLICES]],
  ]);
});

test('names and colors of segments, overlapping segments and probabilities are kept', async () => {
  const both = Uint8Array.from({ length: 2 * COUNT }, (_, i) =>
    i % 2 === 0 ? Number(USUAL[i >> 1]! > 0) : Number(USUAL[i >> 1] === 7),
  );
  const segments = writeNrrd(
    [
      'type: uint8',
      'dimension: 4',
      'space: left-posterior-superior',
      `sizes: 2 ${XYZ.join(' ')}`,
      'space directions: none (1,0,0) (0,1,0) (0,0,2)',
      'kinds: list domain domain domain',
      'encoding: raw',
      'space origin: (0,0,0)',
      'Segment0_Name:=all',
      'Segment0_Color:=1 0.5 0',
      'Segment0_LabelValue:=1',
      'Segment0_Layer:=0',
      'Segment1_Name:=part',
      'Segment1_LabelValue:=1',
      'Segment1_Layer:=1',
      'Segment2_Name:=empty',
      'Segment2_LabelValue:=2',
      'Segment2_Layer:=1',
    ],
    both,
  );
  const server = await serve(
    writeFolder([
      ['probability.nii', writeNifti({ sizes: XYZ, samples: toFloats(USUAL, 1 / 14), datatype: 16, sform: SFORM })],
      ['segments.seg.nrrd', segments],
    ]),
  );
  const [probability, named] = await listAttachments(server);
  const { parts } = await describeLayer(server, named!.layer);
  expect(
    parts.map(({ part, label, color, color_source, reason }) => [
      part,
      label,
      color_source === 'declared' && color,
      reason,
    ]),
  ).toEqual([
    [1, 'all', [255, 128, 0], null],
    [2, 'part', false, null],
    [3, 'empty', false, 'the file has no voxels of it'],
  ]);
  const over = decode(await readPacket(server, `/api/layer/${named!.layer}/frame?file=2&frame=0`));
  expect(over.layers.map(({ segment, left, columns }) => [segment, left, columns])).toEqual([
    [1, 10, 7],
    [2, 10, 7],
  ]);
  const { kind, units, default_levels, value_range } = await describeLayer(server, probability!.layer);
  expect({ kind, units, default_levels, value_range }).toEqual({
    kind: 'field',
    units: { label: '', kind: 'probability' },
    default_levels: [0.5],
    value_range: [0, 1],
  });
  const { item } = await readField(server, `/api/layer/${probability!.layer}/frame?file=2&frame=0`);
  // 7 / 14 within the second label, and nothing beside it.
  expect([valueOfField(item!, 12, 6), valueOfField(item!, 25, 6)]).toEqual([0.5, 0]);
});

async function readField(server: TestServer, path: string) {
  return decodeField(Uint8Array.from(await readPacket(server, path)).buffer);
}

/** 100 * slice + 10 * row + column, and 5000 more in the second volume. */
function valueAt(column: number, row: number, slice: number, volume = 0): number {
  return 100 * slice + 10 * row + column + 5000 * volume;
}

function valuesOf(volumes: number): number[] {
  return Array.from({ length: COUNT * volumes }, (_, i) =>
    valueAt(
      i % SLICE_COLUMNS,
      Math.floor(i / SLICE_COLUMNS) % SLICE_ROWS,
      Math.floor(i / (SLICE_COLUMNS * SLICE_ROWS)) % SLICES,
      Math.floor(i / COUNT),
    ),
  );
}

test('values are a field, with the values of the file over images and in planes, in every format', async () => {
  const values = valuesOf(1);
  const wide = new Uint8Array(Int16Array.from(values, (value) => value * 2).buffer);
  const floats = new Uint8Array(Float32Array.from(values).buffer);
  const flipped = Float64Array.from({ length: COUNT }, (_, i) => {
    const [slice, row, column] = [
      i % SLICES,
      Math.floor(i / SLICES) % SLICE_ROWS,
      Math.floor(i / (SLICES * SLICE_ROWS)),
    ];
    return valueAt(column, SLICE_ROWS - 1 - row, slice);
  });
  const server = await serve(
    writeFolder([
      ['float.nii.gz', gzip(writeNifti({ sizes: XYZ, samples: floats, datatype: 16, sform: SFORM }))],
      [
        // Slices are the fastest axis, and rows run to the front.
        'permuted.nii',
        writeNifti({
          sizes: [SLICES, SLICE_ROWS, SLICE_COLUMNS],
          samples: new Uint8Array(flipped.buffer),
          datatype: 64,
          sform: [0, 0, -1, 0, 0, 1, 0, 1 - SLICE_ROWS, 2, 0, 0, 0],
        }),
      ],
      ['scaled.nii', writeNifti({ sizes: XYZ, samples: wide, datatype: 4, sform: SFORM, slope: 0.5 })],
      ['zyx.npy', writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], floats, { descr: '<f4' })],
    ]),
  );
  const [{ frame_of_reference_uid } = { frame_of_reference_uid: '' }] = (
    await (await server.request('/api/files')).json()
  ).files;
  const plane = `position=0,6,0&orientation=1,0,0,0,0,1&spacing=1,1&rows=7&columns=${SLICE_COLUMNS}`;
  const attachments = await listAttachments(server);
  expect(attachments).toHaveLength(4);
  for (const { layer, title } of attachments) {
    const { kind, units, value_range, description, targets } = await describeLayer(server, layer);
    expect({ title, kind, units, value_range, description, images: targets.length }).toEqual({
      title,
      kind: 'field',
      units: { label: '', kind: 'stored' },
      // 300 + 190 + 29.
      value_range: [0, 519],
      description: 'values from 0 to 519',
      images: SLICES,
    });
    const over = await readField(server, `/api/layer/${layer}/frame?file=2&frame=0`);
    expect({ title, value: valueOfField(over.item!, 7, 3) }).toEqual({ title, value: 237 });
    const cut = await readField(
      server,
      `/api/layer/${layer}/plane?${plane}&frame_of_reference=${frame_of_reference_uid}`,
    );
    // Row 6 of the image; 3 mm up is halfway between the slices 1 and 2.
    expect({ title, value: valueOfField(cut.item!, 4, 3) }).toEqual({ title, value: 150 + 60 + 4 });
  }
});

test('of several volumes one is sent, and each has a name in words', async () => {
  const values = valuesOf(3);
  const floats = new Uint8Array(Float32Array.from(values).buffer);
  const softmax = new Uint8Array(Float32Array.from(values, (_, i) => [0.7, 0.2, 0.1][Math.floor(i / COUNT)]!).buffer);
  const place = { datatype: 16, sform: SFORM };
  const server = await serve(
    writeFolder([
      ['bold.nii', writeNifti({ ...place, sizes: [...XYZ, 3], samples: floats, timeStep: 2.5 })],
      ['channels.npy', writeNpy([3, SLICES, SLICE_ROWS, SLICE_COLUMNS], softmax, { descr: '<f4' })],
      ['vectors.nii', writeNifti({ ...place, sizes: [...XYZ, 1, 3], samples: floats })],
    ]),
  );
  const [bold, channels, vectors] = await listAttachments(server);
  const described = await Promise.all([bold, channels, vectors].map((one) => describeLayer(server, one!.layer)));
  expect(described.map(({ volumes, first_volume }) => [first_volume, ...volumes.map(({ label }) => label)])).toEqual([
    [0, 'Volume 1 of 3, 0 s', 'Volume 2 of 3, 2.5 s', 'Volume 3 of 3, 5 s'],
    [1, 'Channel 0', 'Channel 1', 'Channel 2'],
    [0, 'Component 1 of 3', 'Component 2 of 3', 'Component 3 of 3'],
  ]);
  for (const { layer } of [bold!, vectors!]) {
    const read = [0, 1, 2].map(async (part) => {
      const { item } = await readField(server, `/api/layer/${layer}/frame?file=1&frame=0&parts=${part}`);
      return valueOfField(item!, 7, 3);
    });
    expect(await Promise.all(read)).toEqual([137, 5137, 10137]);
  }
  const { item } = await readField(server, `/api/layer/${channels!.layer}/frame?file=1&frame=0&parts=2`);
  expect(valueOfField(item!, 7, 3)).toBeCloseTo(0.1, 6);
  const beyond = await server.request(`/api/layer/${bold!.layer}/frame?file=1&frame=0&parts=3`);
  expect([beyond.status, (await beyond.json()).code]).toEqual([404, 'frame_out_of_range']);
});

test('one-hot channels are parts of one attachment', async () => {
  const channels = [0, 1, 7].flatMap((label) => [...USUAL].map((value) => Number(value === label)));
  const oneHot = writeNpy([3, SLICES, SLICE_ROWS, SLICE_COLUMNS], Uint8Array.from(channels));
  const server = await serve(writeFolder([['one-hot.npy', oneHot]]));
  const [attachment] = await listAttachments(server);
  const { kind, parts } = await describeLayer(server, attachment!.layer);
  expect([kind, ...parts.map(({ label }) => label)]).toEqual(['mask', 'Channel 0', 'Channel 1', 'Channel 2']);
});

async function arrange(server: TestServer, attachment: number, choice: object) {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ file: 0, frame: 0, ...choice });
  return (await server.request(`/api/attachment/${attachment}/stack`, { method: 'PUT', headers, body })).json();
}

describe('the user decides how an array without an affine lies', () => {
  const SIDE = 4;

  async function serveCube() {
    const folder = createTempFolder();
    const different = { Rows: SIDE, Columns: SIDE, PixelData: new Int16Array(SIDE * SIDE) };
    for (let number = 0; number < SIDE; number += 1)
      writeBelow(folder, `${number}.dcm`, writeSlice({ number }, different));
    // One voxel, at index (0, 1, 2).
    const samples = Uint8Array.from({ length: SIDE ** 3 }, (_, i) => Number(i === 1 * SIDE + 2));
    writeBelow(folder, 'cube.npy', writeNpy([SIDE, SIDE, SIDE], samples));
    const size = { rows: SIDE, columns: SIDE, bits: 8, colorType: 0 };
    for (let at = 0; at < SIDE; at += 1) {
      const bytes = Uint8Array.from({ length: SIDE * SIDE }, (_, i) => Number(at === 0 && i === 2));
      writeBelow(folder, `masks/${at}.png`, writePng({ ...size, bytes }));
    }
    return serve(folder);
  }

  /** Where the only voxel is. */
  const findVoxel = async (server: TestServer, layer: number) => {
    const found: (readonly [slice: number, row: number, column: number])[] = [];
    for (let file = 0; file < SIDE; file += 1) {
      const { layers } = decode(await readPacket(server, `/api/layer/${layer}/frame?file=${file}&frame=0`));
      for (const { top, left } of layers) found.push([file, top, left]);
    }
    return found;
  };

  test('by the order of its axes and by flips, which are listed and remembered', async () => {
    const server = await serveCube();
    const [cube] = await listAttachments(server);
    const { matches } = await arrange(server, 0, {});
    expect(matches).toMatchObject([{ flips: ['columns', 'rows', 'slices'], is_chosen: true }]);
    const [{ orders }] = matches;
    expect(orders).toHaveLength(6);
    expect(orders.slice(0, 2)).toEqual(['slices, rows, columns', 'columns, rows, slices']);
    expect(await findVoxel(server, cube!.layer)).toEqual([[0, 1, 2]]);
    // The last axis is then that of the slices.
    await arrange(server, 0, { order: 1 });
    expect(await findVoxel(server, cube!.layer)).toEqual([[2, 1, 0]]);
    await arrange(server, 0, { flips: ['columns', 'slices'] });
    expect(await findVoxel(server, cube!.layer)).toEqual([[3, 1, 1]]);
    expect((await listAttachments(server))[0]!.choice).toEqual({
      file_index: 0,
      frame_index: 0,
      order: 0,
      flips: ['columns', 'slices'],
    });
    expect(await arrange(server, 0, { order: 6 })).toMatchObject({ code: 'semantic_mapping_unavailable' });
    expect(await arrange(server, 0, { flips: ['time'] })).toMatchObject({ code: 'invalid_json' });
    expect(await arrange(server, 0, { file: null })).toMatchObject({ placement: { status: 'ambiguous' } });
    expect((await listAttachments(server))[0]!.choice).toBeNull();
  });

  test('pictures may lie over the slices the other way round', async () => {
    const server = await serveCube();
    const [, masks] = await listAttachments(server);
    expect(await findVoxel(server, masks!.layer)).toEqual([[0, 0, 2]]);
    expect(await arrange(server, 1, { flips: ['slices'] })).toMatchObject({ matches: [{ flips: ['slices'] }] });
    expect(await findVoxel(server, masks!.layer)).toEqual([[3, 0, 2]]);
  });

  test('also where its affine leads elsewhere, as that of programs that write none', async () => {
    const identity = [1, 0, 0, 500, 0, 1, 0, 500, 0, 0, 1, 500];
    const server = await serve(
      writeFolder([['elsewhere.nii', writeNifti({ sizes: XYZ, samples: USUAL, sform: identity })]]),
    );
    const [attachment] = await listAttachments(server);
    expect(attachment!.placement).toEqual({
      status: 'ambiguous',
      reason: 'the file lies in another part of space; only its sizes are those of the images',
    });
    expect(await arrange(server, 0, {})).toMatchObject({ placement: { status: 'by_shape' } });
    const { layers } = decode(await readPacket(server, `/api/layer/${attachment!.layer}/frame?file=1&frame=0`));
    expect(layers.map(({ segment, top, left }) => [segment, top, left])).toEqual([
      [1, 0, 0],
      [7, 5, 10],
    ]);
  });
});

test('pictures are named after their images, or are as many as they', async () => {
  const slice = USUAL.subarray(COUNT / 4, COUNT / 2);
  const size = { rows: SLICE_ROWS, columns: SLICE_COLUMNS };
  const gray = writePng({ ...size, bits: 8, colorType: 0, bytes: slice });
  const wide = Uint8Array.from({ length: 2 * slice.length }, (_, i) => (i % 2 === 0 ? 0 : slice[i >> 1]!));
  const palette = [0, 0, 0, 1, 2, 3, ...Array.from({ length: 15 }, () => 9), 200, 100, 50];
  const folder = writeFolder([
    ['named/slice1_mask.png', gray],
    ['wide/slice1.png', writePng({ ...size, bits: 16, colorType: 0, bytes: wide })],
    ['palette/slice1.png', writePng({ ...size, bits: 8, colorType: 3, bytes: slice, palette })],
    ...Array.from(
      { length: SLICES },
      (_, i) =>
        [
          `counted/${i}.png`,
          i === 1 ? gray : writePng({ ...size, bits: 8, colorType: 0, bytes: new Uint8Array(slice.length) }),
        ] as const,
    ),
  ]);
  const server = await serve(folder);
  const attachments = await listAttachments(server);
  expect(attachments.map(({ title, placement }) => [title, placement.status])).toEqual([
    ['counted', 'by_shape'],
    ['named', 'by_reference'],
    ['palette', 'by_reference'],
    ['wide', 'by_reference'],
  ]);
  const packets = await Promise.all(
    attachments.map(({ layer }) => readPacket(server, `/api/layer/${layer}/frame?file=1&frame=0`)),
  );
  expect(new Set(packets.map((bytes) => bytes.toString('hex'))).size).toBe(1);
  const { parts } = await describeLayer(server, attachments[2]!.layer);
  expect(parts.map(({ part, color }) => [part, color])).toEqual([
    [1, [1, 2, 3]],
    [7, [200, 100, 50]],
  ]);
  // 3 x 2 and 6 x 4 pixels of 1 x 1 mm, in a slice that is 2 mm from the next.
  for (const { layer } of attachments) {
    const described = await describeLayer(server, layer);
    expect(described.parts.map(({ part, volume_mm3 }) => [part, volume_mm3])).toEqual([
      [1, 12],
      [7, 48],
    ]);
  }
});

test('labels over slices whose positions are rounded in the file have the volume of their mean distance', async () => {
  const spacingMm = 0.703125;
  const slices = Array.from({ length: SLICES }, (_, number) =>
    writeSlice({ number }, { ImagePositionPatient: ['0', '0', (number * spacingMm).toFixed(2)] }),
  );
  const folder = createTempFolder();
  for (const [number, slice] of slices.entries()) writeBelow(folder, `ct/${number}.dcm`, slice);
  writeBelow(folder, 'model/labels.npy', writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], USUAL));
  const server = await serve(folder);
  const layers: LayersResponse = await (await server.request('/api/layers?file=0&frame=0')).json();
  const { parts } = await describeLayer(server, layers.layers[0]!.layer);
  // The slices are at 0, 0.7, 1.41 and 2.11 mm. 6 voxels, and 24 + 28.
  expect(parts.map(({ volume_mm3 }) => volume_mm3)).toEqual([
    expect.closeTo((6 * 2.11) / 3, 6),
    expect.closeTo((52 * 2.11) / 3, 6),
  ]);
  const { volume } = await (await server.request('/api/file/0/volume')).json();
  expect(volume.spacing_mm).toBeCloseTo(2.11 / 3, 9);
  const series = await (await server.request('/api/series')).json();
  expect(series.series[0].stacks[0].warnings).toEqual([]);
});

test('an image is taken for values and not for labels', async () => {
  const samples = new Uint8Array(Int16Array.from({ length: COUNT }, (_, i) => (i * 7) % 1000).buffer);
  const server = await serve(
    writeFolder([['image.nii', writeNifti({ sizes: XYZ, samples, datatype: 4, sform: SFORM })]]),
  );
  const [{ layer } = { layer: 0 }] = await listAttachments(server);
  const { kind, description, parts } = await describeLayer(server, layer);
  expect([kind, description, parts.length]).toEqual(['field', 'values from 0 to 999', 0]);
});

describe('one label volume in 13 encodings over a real series', needs(LAYERS_DATA), () => {
  test('has one and the same packet over each frame', { ...needs(CORPUS), timeout: 180_000 }, async () => {
    const server = await serve(
      join(findCorpus() ?? '', 'series/ct-head-small'),
      join(findLayersData() ?? '', 'model-output/ct-head-small'),
    );
    const attachments = await listAttachments(server);
    const labels = attachments.filter(
      ({ title, path }) => /labels[^/]*$|seg\.nrrd$/.test(path) && !title.endsWith('probabilities'),
    );
    expect(labels.length).toBe(13);
    const found = new Map<string, string[]>();
    let voxels = 0;
    for (const { layer, title } of labels) {
      const { targets } = await describeLayer(server, layer);
      const packets: string[] = [];
      // Every third frame of the others is enough for each run.
      const isFirst = layer === labels[0]!.layer;
      for (const [at, { file_index }] of targets.entries()) {
        if (!isFirst && at % 3 !== 0) continue;
        const bytes = await readPacket(server, `/api/layer/${layer}/frame?file=${file_index}&frame=0`);
        if (at % 3 === 0) packets.push(bytes.toString('hex'));
        if (!isFirst) continue;
        for (const { samples } of decode(bytes).layers) for (const sample of samples) voxels += sample;
      }
      const key = packets.join();
      found.set(key, [...(found.get(key) ?? []), title]);
    }
    expect([...found.values()].map((titles) => titles.length)).toEqual([13]);
    // 78,513 of label 1 and 72,235 of label 2, as truth.json has them.
    expect(voxels).toBe(150_748);
  });
});

/** The masks of a packet without their numbers: where they lie, and their samples. One label may be left out. */
function listMasks(packet: SourceMasks, leftOut?: number): string[] {
  return packet.layers
    .filter(({ segment }) => segment !== leftOut || segment === undefined)
    .flatMap(({ kind, top, left, columns, samples }) => {
      const values = kind === 'labels' ? [...new Set(samples)].filter((value) => value !== 0) : [1];
      return values.map((value) =>
        Array.from(samples, (sample, i) =>
          sample === value ? `${top + Math.floor(i / columns)},${left + (i % columns)}` : '',
        )
          .filter((pixel) => pixel !== '')
          .join(' '),
      );
    })
    .toSorted();
}

describe('the NRRDs from which real segmentations were made', needs(LAYERS_DATA), () => {
  const liver = 'seg/dcmqi-liver';
  const small = 'seg/dcmqi-24x38x3';
  /** Images, segmentation, NRRDs, and the label that only the segmentation declares to be padding. */
  type Case = [images: string, segmentation: string, names: string[], padding: number | undefined];
  test.each<Case>([
    [`${liver}/ct-3slice`, `${liver}/liver.dcm`, ['liver_seg'], undefined],
    [`${liver}/ct-3slice`, `${liver}/partial_overlaps.dcm`, [1, 2, 3].map((n) => `partial_overlaps-${n}`), undefined],
    [`${small}/image`, `${small}/seg/label.seg`, ['label'], undefined],
    [`${small}/image`, `${small}/sparse-labelmap-noppv.dcm`, ['sparse_labelmap_noppv_seg'], undefined],
    [`${small}/image`, `${small}/sparse-labelmap-ppv5.dcm`, ['sparse_labelmap_ppv5_seg'], 5],
  ])('over %s, %s equals %s', needs(CORPUS), async (images, segmentation, names, padding) => {
    const server = await serve(
      join(findCorpus() ?? '', images),
      join(findCorpus() ?? '', segmentation),
      ...names.map((name) => join(findLayersData() ?? '', `model-output/dcmqi/${name}.nrrd`)),
    );
    const attachments = await listAttachments(server);
    expect(attachments.map(({ placement }) => placement.status)).toEqual(names.map(() => 'by_grid'));
    // The three images come first, then the segmentation.
    let masks = 0;
    for (const file of [0, 1, 2]) {
      const over = `frame?file=${file}&frame=0`;
      const expected = listMasks(decode(await readPacket(server, `/api/layer/3/${over}`)));
      const found: string[] = [];
      for (const { layer } of attachments)
        found.push(...listMasks(decode(await readPacket(server, `/api/layer/${layer}/${over}`)), padding));
      expect(found.toSorted()).toEqual(expected);
      masks += found.length;
    }
    expect(masks).toBeGreaterThan(0);
  });
});

test('coordinates that would fit exactly if they were read the other way are drawn as written, with a warning, until the user wants it', async () => {
  // The columns of the images lie at x from -12 to 17, the rows at y from -8 to 11. The file says the same, but of RAS, so
  // its voxel (i, j) lies at x = 12 - i, y = 8 - j: in column 24 - i, row 16 - j.
  const folder = createTempFolder();
  for (let number = 0; number < SLICES; number += 1) {
    const place = { ImagePositionPatient: ['-12', '-8', String(2 * number)] };
    writeBelow(folder, `${number}.dcm`, writeSlice({ number }, place));
  }
  const samples = new Uint8Array(SLICE_COLUMNS * SLICE_ROWS * SLICES);
  samples[SLICE_COLUMNS * SLICE_ROWS + 3 * SLICE_COLUMNS + 4] = 5;
  const sform = [1, 0, 0, -12, 0, 1, 0, -8, 0, 0, 2, 0];
  writeBelow(folder, 'lps.nii', writeNifti({ sizes: XYZ, samples, sform }));
  const server = await serve(folder);
  const [attachment] = await listAttachments(server);
  const layer = attachment!.layer;
  const places = async () => {
    const { layers } = decode(await readPacket(server, `/api/layer/${layer}/frame?file=1&frame=0`));
    return layers.map(({ segment, top, left }) => [segment, top, left]);
  };
  const warnings = async () => {
    const described = await (await server.request(`/api/layer/${layer}`)).json();
    return described.warnings.map(({ code }: { code: string }) => code);
  };

  expect(attachment!.placement.status).toBe('direct');
  expect(await places()).toEqual([[5, 13, 20]]);
  expect(await warnings()).toEqual(['other_reading_fits']);

  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ file: 0, frame: 0, order: 1 });
  const chosen = await server.request('/api/attachment/0/stack', { method: 'PUT', headers, body });
  expect(await chosen.json()).toMatchObject({ placement: { status: 'by_grid' }, matches: [{ readings: 2 }] });
  expect(await places()).toEqual([[5, 3, 4]]);
  expect(await warnings()).toEqual([]);
});
