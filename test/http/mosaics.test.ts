import { beforeAll, describe, expect, test } from 'vitest';
import { readNifti } from '../../src/server/images/attachments/nifti.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { SeriesResponse } from '../../src/shared/contract/series.ts';
import type { VolumeResponse } from '../../src/shared/contract/volumes.ts';
import {
  csaElements,
  imageHeader,
  mosaicSamples,
  type MosaicShape,
  TILE_COLUMNS,
  TILE_ROWS,
  tileSample,
  writeCsaHeader,
  writeMosaics,
} from '../support/mosaicFiles.ts';
import { encodeRle } from '../support/encodeRle.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { seriesUid } from '../support/volumeFiles.ts';

const FIVE: MosaicShape = { count: 5, across: 3, down: 3 };
const UP = [0, 0, 1];
const image = (count: number, normal: readonly number[] = UP, form: 'new' | 'old' = 'new') =>
  csaElements({ image: imageHeader(count, normal, form) });

/** Positions of slices in the protocol of the scanner, along z. */
function protocol(count: number, heights: readonly [first: number, last: number]): DataSetInput {
  const lines = [
    '### ASCCONV BEGIN ###',
    `sSliceArray.asSlice[0].sPosition.dTra\t = \t${heights[0]}`,
    `sSliceArray.asSlice[${count - 1}].sPosition.dTra\t = \t${heights[1]}`,
    `sSliceArray.lSize\t = \t${count}`,
    '### ASCCONV END ###',
  ];
  return csaElements({ series: writeCsaHeader([{ name: 'MrPhoenixProtocol', texts: [lines.join('\n')] }]) });
}

const siemensCount = (count: number): DataSetInput => ({
  '00190010': { vr: 'LO', value: 'SIEMENS MR HEADER' },
  '0019100a': { vr: 'US', value: count },
});

/** As of XA consoles, which write no CSA header. The block of the creator is the second one. */
const xa = (count: number, normal?: readonly number[]): DataSetInput => ({
  '00210010': { vr: 'LO', value: 'SIEMENS MR SDS 01' },
  '00210011': { vr: 'LO', value: 'SIEMENS MR SDI 02' },
  '00211101': { vr: 'US', value: count },
  ...(normal && { '00211102': { vr: 'FD', value: normal } }),
});

const uih = (count: number, positions: readonly (readonly number[])[]): DataSetInput => ({
  Manufacturer: 'UIH',
  ImageType: ['ORIGINAL', 'PRIMARY', 'OTHER', 'VFRAME'],
  '00650010': { vr: 'LO', value: 'Image Private Header' },
  '00651050': { vr: 'DS', value: String(count) },
  '00651051': { vr: 'SQ', value: positions.map((position) => ({ ImagePositionPatient: position.map(String) })) },
});

/** The corner of the mosaic is at -30, -40, 10. Half of two more columns of 6 x 3 mm, and of two more rows of 4 x 2 mm. */
const FIRST: readonly [number, number, number] = [-30 + 18, -40 + 8, 10];
const rising = [0, 1, 2, 3, 4].map((k) => [FIRST[0], FIRST[1], 10 + 5 * k]);
const falling = [0, 1, 2, 3, 4].map((k) => [FIRST[0], FIRST[1], 10 - 5 * k]);

type Case = readonly [name: string, write: (series: number) => Uint8Array[], points: readonly (readonly number[])[]];

const VOLUMES: readonly Case[] = [
  ['a CSA header', (n) => writeMosaics(n, FIVE, image(5)), rising],
  ['a CSA header of the old form', (n) => writeMosaics(n, FIVE, image(5, UP, 'old')), rising],
  ['slices against the normal of the image', (n) => writeMosaics(n, FIVE, image(5, [0, 0, -1])), falling],
  [
    'an Image Type that does not say so',
    (n) => writeMosaics(n, FIVE, { ...image(5), ImageType: ['DERIVED', 'SECONDARY'] }),
    rising,
  ],
  [
    'a number and the protocol of the scanner',
    (n) => writeMosaics(n, FIVE, { ...siemensCount(5), ...protocol(5, [10, 30]) }),
    rising,
  ],
  // The first slice of the mosaic is the last one of the protocol.
  [
    'a protocol in the other order',
    (n) => writeMosaics(n, FIVE, { ...siemensCount(5), ...protocol(5, [-10, 10]) }),
    falling,
  ],
  ['elements of XA consoles', (n) => writeMosaics(n, FIVE, xa(5, [0, 0, -1])), falling],
  // Four slices are 2 x 2.
  [
    'as many slices as places',
    (n) => writeMosaics(n, { count: 4, across: 2, down: 2 }, image(4)),
    [0, 1, 2, 3].map((k) => [-30 + 9, -40 + 4, 10 + 5 * k]),
  ],
  // United Imaging leaves out empty rows: five slices are two rows of three, and each has a position.
  ['positions of United Imaging', (n) => writeMosaics(n, { count: 5, across: 3, down: 2 }, uih(5, rising)), rising],
];

const REFUSALS: readonly (readonly [string, (series: number) => Uint8Array[], string | RegExp])[] = [
  ['no number of slices', (n) => writeMosaics(n, FIVE), /the number of its slices is not given/],
  [
    'no side',
    (n) => writeMosaics(n, FIVE, siemensCount(5)),
    /the side to which its slices follow each other is not given: SliceNormalVector is neither in/,
  ],
  [
    'a protocol of slices elsewhere',
    (n) => writeMosaics(n, FIVE, { ...siemensCount(5), ...protocol(5, [100, 120]) }),
    /the side to which its slices follow each other is not given/,
  ],
  ['two numbers', (n) => writeMosaics(n, FIVE, { ...image(5), ...siemensCount(6) }), /its headers name 5 and 6 slices/],
  [
    'a matrix that does not divide',
    (n) => writeMosaics(n, FIVE, image(17)),
    /17 slices are 5 rows of 5, which 12 rows and 18 columns of samples are no multiple of/,
  ],
  ['a million slices', (n) => writeMosaics(n, FIVE, image(1_000_000)), /it would have 1000000 slices/],
  [
    'a normal in the plane',
    (n) => writeMosaics(n, FIVE, image(5, [1, 0, 0])),
    /SliceNormalVector is not perpendicular/,
  ],
  [
    'no distance',
    (n) => writeMosaics(n, FIVE, { ...image(5), SpacingBetweenSlices: undefined }),
    /it has no valid Spacing Between Slices/,
  ],
  [
    'no position',
    (n) => writeMosaics(n, FIVE, { ...image(5), ImagePositionPatient: undefined }),
    /it has no valid Image Position/,
  ],
  [
    'too few positions of United Imaging',
    (n) => writeMosaics(n, { count: 5, across: 3, down: 2 }, uih(5, rising.slice(1))),
    /\(0065,xx51\) has 4 items with positions, and there are 5 slices/,
  ],
];

const BOTH = [...VOLUMES, ...REFUSALS];

describe('mosaics of slices:', () => {
  let server: SharedServer;
  let files: FilesResponse['files'];

  beforeAll(async () => {
    server = await serveShared(...BOTH.flatMap(([, write], series) => write(series)));
    files = (await (await server.request('/api/files')).json()).files;
  });

  async function ask(name: string): Promise<VolumeResponse & { readonly index: number }> {
    const uid = seriesUid(BOTH.findIndex(([own]) => own === name));
    const { index } = files.find((file) => file.series_instance_uid === uid)!;
    return { index, ...(await (await server.request(`/api/file/${index}/volume`)).json()) };
  }

  test.each(VOLUMES)('%s places the slices', async (name, _, points) => {
    const { volume, refusal, index } = await ask(name);
    expect(refusal).toBeNull();
    expect(volume).toMatchObject({ rows: TILE_ROWS, columns: TILE_COLUMNS, places: points.length, spacing_mm: 5 });
    const ascending = points.toSorted((a, b) => a[2]! - b[2]!);
    for (const [at, part] of ascending.flat().entries()) expect(volume!.first_points[at]).toBeCloseTo(part, 9);
    // The value of each slice, and the stored sample that it is.
    const across = name.startsWith('as many') ? 2 : 3;
    for (const [slice, [x = 0, y = 0, z = 0]] of points.entries()) {
      const at = [x + 2 * 3, y + 1 * 2, z].join();
      const value = await (await server.request(`/api/file/${index}/volume/value?at=${at}`)).json();
      expect(value).toEqual({
        stored: tileSample(0, slice, 1, 2),
        modality: tileSample(0, slice, 1, 2),
        nearest: {
          file_index: index,
          frame_index: 0,
          row: Math.floor(slice / across) * TILE_ROWS + 1,
          column: (slice % across) * TILE_COLUMNS + 2,
        },
      });
    }
  });

  test.each(REFUSALS)('%s is refused with the reason', async (name, _, message) => {
    const { volume, refusal } = await ask(name);
    expect(volume).toBeNull();
    expect(refusal?.reason).toBe('mosaic');
    expect(refusal?.message).toMatch(message);
  });

  test('the stored image has no position, because its slices lie elsewhere', async () => {
    const { series }: SeriesResponse = await (await server.request('/api/series')).json();
    const { stacks } = series.find((one) => one.series_instance_uid === seriesUid(0))!;
    expect(stacks[0]!.frames[0]!.position_along_normal_mm).toBeNull();
    expect(stacks[0]!.planes).toMatchObject([{ origin_step: null, pixel_spacing_mm: [2, 3] }]);
  });
});

test('a series of mosaics is a volume with a time for each image', async () => {
  const server = await serveShared(...writeMosaics(1, { ...FIVE, times: 3 }, image(5)));
  const { volume, warnings }: VolumeResponse = await (await server.request('/api/file/2/volume')).json();
  expect(volume!.times.map(({ label }) => label)).toEqual(['acquisition 1', 'acquisition 2', 'acquisition 3']);
  expect(warnings).toEqual([]);
  expect(volume!.file_indices).toEqual([0, 1, 2].flatMap((file) => [file, file, file, file, file]));
  expect(volume!.first_rows).toEqual([0, 1, 2].flatMap(() => [0, 0, 0, 4, 4]));
  expect(volume!.first_columns).toEqual([0, 1, 2].flatMap(() => [0, 6, 12, 0, 6]));

  const response = await server.request('/api/file/0/volume/nifti?format=nii');
  const bytes = new Uint8Array(await response.arrayBuffer());
  const header = readNifti({ source: bufferSource(bytes), name: 'a.nii' });
  expect(header.shape).toEqual([TILE_COLUMNS, TILE_ROWS, 5, 3]);
  // Rows go up: the last row of a slice is first, at y = -32 + 3 x 2 mm.
  expect([...header.affine!].map((part) => part + 0)).toEqual([3, 0, 0, 0, -2, 0, 0, 0, 5, -12, -26, 10]);
  const samples = new Int16Array(bytes.slice(352).buffer);
  const expected: number[] = [];
  for (let time = 0; time < 3; time += 1)
    for (let slice = 0; slice < 5; slice += 1)
      for (let row = TILE_ROWS - 1; row >= 0; row -= 1)
        for (let column = 0; column < TILE_COLUMNS; column += 1) expected.push(tileSample(time, slice, row, column));
  expect([...samples]).toEqual(expected);
});

test('a plane of a compressed mosaic has the samples of its slices', async () => {
  const mosaics = [0, 1].map((time) => {
    const samples = new Uint8Array(mosaicSamples({ ...FIVE, time }).buffer);
    const more = {
      AcquisitionNumber: String(time + 1),
      InstanceNumber: String(time + 1),
      SOPInstanceUID: `1.2.3.${time}`,
    };
    const PixelData = { fragments: [encodeRle(samples, 2, 1)] };
    return writeMosaics(1, FIVE, { ...image(5), ...more, PixelData }, { transferSyntaxUid: '1.2.840.10008.1.2.5' })[0]!;
  });
  const server = await serveShared(...mosaics);
  // Coronal, through row 1 of all slices, at y = -32 + 2 mm.
  const query = `position=${FIRST[0]},${FIRST[1] + 2},10&orientation=1,0,0,0,0,1&spacing=5,3&rows=5&columns=6`;
  const response = await server.request(`/api/file/0/plane/raw?${query}&time=1`);
  expect(response.headers.get('x-plane-sampling')).toBe('stored');
  const samples = new Int16Array(await response.arrayBuffer());
  expect([...samples]).toEqual([0, 1, 2, 3, 4].flatMap((k) => [0, 1, 2, 3, 4, 5].map((c) => tileSample(1, k, 1, c))));
});

test('marks of mosaics do not become label volumes, because they are on the whole images', async () => {
  const server = await serveShared(...writeMosaics(1, FIVE, image(5)));
  const response = await server.request('/api/file/0/volume/marks?format=nii.gz');
  expect(response.status).toBe(422);
  expect((await response.json()).error).toMatch(/^the images are mosaics of slices: marks are on the whole images/);
});
