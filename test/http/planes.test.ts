import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { VolumeResponse, VolumeValueResponse } from '../../src/shared/contract/volumes.ts';
import { restoreRows } from '../../src/shared/predictedSamples.ts';
import { encodeRle } from '../support/encodeRle.ts';
import { readPng } from '../support/readPng.ts';
import { serveShared, serveWith, type SharedServer } from '../support/serve.ts';
import {
  frameAt,
  seriesUid,
  sliceSamples,
  straight,
  VOLUME_COLUMNS,
  VOLUME_ROWS,
  writeMultiFrame,
  writeSeries,
} from '../support/volumeFiles.ts';

const PLAIN = 0;
const OBLONG = 1;
const PET = 2;
const DIFFUSION = 3;
const PADDED = 4;
const FULL = 5;
const NEGATIVE = 6;
const TABLE = 7;
const RLE_LESS = 8;

const CORONAL = 'orientation=1,0,0,0,0,1';
const AXIAL = 'orientation=1,0,0,0,1,0';
const SIZE = VOLUME_ROWS * VOLUME_COLUMNS;

/** Rows are 3 mm apart, and columns 0.5 mm. */
const oblong = writeSeries(OBLONG, straight(4), { PixelSpacing: ['3', '0.5'] });

/** The stored samples of all slices are 100; slice k has a slope of k + 1. */
const pet = writeSeries(
  PET,
  straight(4).map((slice, k) => ({
    ...slice,
    samples: new Int16Array(SIZE).fill(100),
    more: { RescaleSlope: String(k + 1), RescaleIntercept: '0', Modality: 'PT', Units: 'BQML' },
  })),
);

const diffusion = writeSeries(
  DIFFUSION,
  straight(3).flatMap(({ position }, k) =>
    [0, 500].map((bValue) => ({
      position,
      samples: new Int16Array(SIZE).fill(bValue + k),
      more: { DiffusionBValue: bValue },
    })),
  ),
);

/** The sample at row 1, column 2 of every slice is padding, and so is all of the second slice. */
const padded = writeSeries(
  PADDED,
  straight(3).map((slice, k) => ({
    ...slice,
    samples: sliceSamples(k).map((sample, i) => (i === VOLUME_COLUMNS + 2 || k === 1 ? -2000 : sample)),
    more: { PixelPaddingValue: { vr: 'SS', value: [-2000] } },
  })),
);

const full = writeSeries(FULL, straight(3), { BitsStored: 16, HighBit: 15 });
const negative = writeSeries(NEGATIVE, straight(3), { RescaleSlope: '-2', RescaleIntercept: '7' });

/** A Modality LUT that doubles the values from 0 to 399. */
const tabled = writeSeries(TABLE, straight(3), {
  RescaleSlope: undefined,
  RescaleIntercept: undefined,
  ModalityLUTSequence: [
    {
      LUTDescriptor: { vr: 'US', value: [400, 0, 16] },
      ModalityLUTType: 'HU',
      LUTData: { vr: 'US', value: Array.from({ length: 400 }, (_, i) => 2 * i) },
    },
  ],
});

describe('a plane', () => {
  let server: SharedServer;
  let files: FilesResponse['files'];

  beforeAll(async () => {
    const plain = writeSeries(PLAIN, straight(4));
    const tagged = writeMultiFrame(
      RLE_LESS,
      [0, 2].map((z) => frameAt(z)),
    );
    server = await serveShared(...[plain, oblong, pet, diffusion, padded, full, negative, tabled].flat(), tagged);
    files = (await (await server.request('/api/files')).json()).files;
  }, 180_000);

  const indexOf = (series: number) => files.find((file) => file.series_instance_uid === seriesUid(series))!.index;
  const get = (series: number, path: string, init?: RequestInit) =>
    server.request(`/api/file/${indexOf(series)}/${path}`, init);

  const ask = async (series: number, at: string): Promise<VolumeValueResponse> =>
    (await get(series, `volume/value?at=${at}`)).json();

  async function samplesOf(series: number, query: string): Promise<{ samples: number[]; headers: Headers }> {
    const response = await get(series, `plane/raw?${query}`);
    const { headers } = response;
    if (!response.ok) throw new Error(await response.text());
    const bytes = await response.arrayBuffer();
    const isFloat = headers.get('x-frame-sample-kind') === 'float';
    const isSigned = headers.get('x-frame-pixel-representation') === '1';
    const Type = isFloat ? Float32Array : isSigned ? Int16Array : Uint16Array;
    return { samples: [...new Type(bytes)], headers };
  }

  test('between the axes of the volume holds the stored samples, and says so', async () => {
    const { samples, headers } = await samplesOf(PLAIN, `position=0,2,0&${CORONAL}&spacing=2,1&rows=4&columns=5`);
    // Row 2 of slice k: 100 k + 20 + column.
    const expected = [0, 1, 2, 3].flatMap((k) => [0, 1, 2, 3, 4].map((column) => 100 * k + 20 + column));
    expect(samples).toEqual(expected);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-cache': 'MISS',
      'x-frame-rows': '4',
      'x-frame-columns': '5',
      'x-frame-bits-allocated': '16',
      'x-frame-pixel-representation': '1',
      'x-frame-rescale-intercept': '-1024',
      'x-frame-default-wc': '40',
      // Twelve bits are stored, so the lowest 16-bit sample is free.
      'x-frame-padding-low': '-32768',
      'x-plane-position': '0,2,0',
      'x-plane-orientation': '1,0,0,0,0,1',
      'x-plane-spacing': '2,1',
      'x-plane-slab': '0;max;1',
      'x-plane-sampling': 'stored',
      'x-plane-places': '4/4',
    });
  });

  test('comes out of the cache the second time', async () => {
    const query = `position=0,1,0&${CORONAL}&spacing=2,1&rows=4&columns=5`;
    const first = await samplesOf(PLAIN, query);
    const second = await samplesOf(PLAIN, query);
    expect([first.headers.get('x-cache'), second.headers.get('x-cache')]).toEqual(['MISS', 'HIT']);
    expect(second.samples).toEqual(first.samples);
  });

  test('of a named frame of reference is refused by a volume of another', async () => {
    const query = `position=0,1,0&${CORONAL}&spacing=2,1&rows=4&columns=5`;
    const own = files[indexOf(PLAIN)]?.frame_of_reference_uid;
    const plain = await samplesOf(PLAIN, query);
    expect((await samplesOf(PLAIN, `${query}&frame_of_reference=${own}`)).samples).toEqual(plain.samples);
    for (const endpoint of ['plane/raw', 'plane', 'plane/thumbnail']) {
      const other = await get(PLAIN, `${endpoint}?${query}&frame_of_reference=2.25.1`);
      expect([other.status, await other.json()]).toEqual([
        422,
        expect.objectContaining({
          code: 'semantic_mapping_unavailable',
          error: 'the volume has another frame of reference',
        }),
      ]);
    }
  });

  test('needs only the slices on both sides of it', async () => {
    const { headers } = await samplesOf(PLAIN, `position=0,0,2.5&${AXIAL}&spacing=1,1&rows=4&columns=5`);
    expect(headers.get('x-plane-places')).toBe('2/2');
    const beside = await samplesOf(PLAIN, `position=0,0,90&${AXIAL}&spacing=1,1&rows=1&columns=2`);
    expect([beside.samples, beside.headers.get('x-plane-places')]).toEqual([[-32768, -32768], '0/0']);
  });

  test('beside the samples is interpolated, rounded half up, and empty beyond them', async () => {
    // Halfway between slices 0 and 1, at columns -1, 0.25 and so on: 50 + column.
    const { samples, headers } = await samplesOf(PLAIN, `position=-1,0,1&${AXIAL}&spacing=1,1.25&rows=1&columns=5`);
    expect(samples).toEqual([-32768, 50, 52, 53, 54]);
    expect(headers.get('x-plane-sampling')).toBe('linear');
    const nearest = await samplesOf(
      PLAIN,
      `position=-1,0,1.2&${AXIAL}&spacing=1,1.25&rows=1&columns=5&interpolation=nearest`,
    );
    expect(nearest.samples).toEqual([-32768, 100, 102, 103, 104]);
    const floats = await samplesOf(PLAIN, `position=-1,0,1&${AXIAL}&spacing=1,1.25&rows=1&columns=4&samples=float`);
    expect(floats.samples).toEqual([NaN, 50.25 - 1024, 51.5 - 1024, 52.75 - 1024]);
    expect(floats.headers.get('x-frame-rescale-intercept')).toBe('0');
  });

  test('of oblong pixels takes the distance of rows first and that of columns second', async () => {
    const coronal = await samplesOf(OBLONG, `position=0,3,0&${CORONAL}&spacing=2,0.5&rows=2&columns=5`);
    expect(coronal.samples).toEqual([10, 11, 12, 13, 14, 110, 111, 112, 113, 114]);
    const sagittal = await samplesOf(OBLONG, 'position=0.5,0,0&orientation=0,1,0,0,0,1&spacing=2,3&rows=2&columns=4');
    expect(sagittal.samples).toEqual([1, 11, 21, 31, 101, 111, 121, 131]);
    expect([coronal, sagittal].map(({ headers }) => headers.get('x-plane-sampling'))).toEqual(['stored', 'stored']);
  });

  test('of slices with different slopes has modality values', async () => {
    // Slopes 1, 2, 3 and 4 at 0, 2, 4 and 6 mm.
    const { samples, headers } = await samplesOf(PET, `position=0,0,0&${CORONAL}&spacing=1,1&rows=7&columns=1`);
    expect(samples).toEqual([100, 150, 200, 250, 300, 350, 400]);
    expect(headers.get('x-frame-sample-kind')).toBe('float');
    const { volume }: VolumeResponse = await (await get(PET, 'volume')).json();
    expect(volume?.sample).toMatchObject({ rescale: null, unit: 'Bq/ml' });
  });

  test('of slices with a lookup table has the values of the table', async () => {
    const { samples } = await samplesOf(TABLE, `position=0,1,1&${AXIAL}&spacing=1,1&rows=1&columns=3`);
    // Halfway between twice 10 + column and twice 110 + column.
    expect(samples).toEqual([120, 122, 124]);
  });

  test('is of the time that is asked for', async () => {
    const query = `position=0,0,2&${AXIAL}&spacing=1,1&rows=1&columns=1`;
    expect((await samplesOf(DIFFUSION, query)).samples).toEqual([1]);
    expect((await samplesOf(DIFFUSION, `${query}&time=1`)).samples).toEqual([501]);
    const beyond = await get(DIFFUSION, `plane/raw?${query}&time=2`);
    expect([beyond.status, await beyond.json()]).toMatchObject([404, { code: 'frame_out_of_range' }]);
  });

  test('has no padding mixed into it', async () => {
    const query = `position=1.5,1,0&${AXIAL}&spacing=1,0.5&rows=1&columns=4`;
    const { samples, headers } = await samplesOf(PADDED, query);
    // At 1.5 and 2.5 half of the weight is padding: 11 and 13 remain. At 2 the sample itself is padding.
    expect(samples).toEqual([11, -2000, 13, 13]);
    expect([headers.get('x-frame-padding-low'), headers.get('x-frame-padding-high')]).toEqual(['-2000', '-2000']);
    const slab = `position=0,0,2&${AXIAL}&spacing=1,1&rows=1&columns=5&slab=6`;
    // The slice in the middle is all padding; the others have 0 to 4 and 200 to 204.
    expect((await samplesOf(PADDED, `${slab}&projection=mean`)).samples).toEqual([100, 101, 102, 103, 104]);
    expect((await samplesOf(PADDED, `${slab}&projection=min`)).samples).toEqual([0, 1, 2, 3, 4]);
  });

  test('of samples that use all bits stays as stored inside, and is floats where something is outside', async () => {
    const inside = await samplesOf(FULL, `position=0,0,0&${AXIAL}&spacing=1,1&rows=1&columns=2`);
    expect([inside.samples, inside.headers.get('x-frame-sample-kind')]).toEqual([[0, 1], 'integer']);
    const beyond = await samplesOf(FULL, `position=-1,0,0&${AXIAL}&spacing=1,1&rows=1&columns=2`);
    expect([beyond.samples, beyond.headers.get('x-frame-sample-kind')]).toEqual([[NaN, -1024], 'float']);
  });

  test('of a slab is the largest value, also where a slope below 0 turns the samples around', async () => {
    const query = `position=0,0,2&${AXIAL}&spacing=1,1&rows=1&columns=2&slab=4`;
    const { samples, headers } = await samplesOf(PLAIN, query);
    expect([samples, headers.get('x-plane-slab')]).toEqual([[200, 201], '4;max;3']);
    expect((await samplesOf(NEGATIVE, query)).samples).toEqual([0, 1]);
    expect((await samplesOf(NEGATIVE, `${query}&projection=min`)).samples).toEqual([200, 201]);
  });

  test('comes packed to a client that asks for it', async () => {
    const query = `position=0,2,0&${CORONAL}&spacing=2,1&rows=4&columns=5`;
    const { samples } = await samplesOf(PLAIN, query);
    const response = await get(PLAIN, `plane/raw?${query}&filter=predicted`, {
      headers: { 'Accept-Encoding': 'gzip' },
    });
    expect(response.headers.get('x-frame-filter')).toBe('predicted');
    const restored = new Int16Array(samples.length);
    restoreRows(new Uint8Array(await response.arrayBuffer()), restored, { columns: 5, from: 0, to: 4 });
    expect([...restored]).toEqual(samples);
  });

  test('is a picture through the window of the slices, or the one asked for', async () => {
    const query = `position=0,2,0&${CORONAL}&spacing=2,1&rows=4&columns=5`;
    const response = await get(PLAIN, `plane?${query}&wc=-950&ww=151`);
    expect(response.headers.get('x-frame-window-center')).toBe('-950');
    const { columns, rows, pixels } = readPng(Buffer.from(await response.arrayBuffer()));
    expect([columns, rows]).toEqual([5, 4]);
    // -1004 is (-1004 + 950.5) / 150 + 0.5 = 0.1433 of 255; see PS3.3 C.11.2.1.2.1.
    expect(pixels[0]).toBe(37);
    const declared = await get(PLAIN, `plane?${query}`);
    expect(declared.headers.get('x-frame-window-width')).toBe('400');
    // The plane is 5 mm wide and 8 mm high; a picture with square pixels has no more of them than it needs: 2 mm each.
    const small = readPng(Buffer.from(await (await get(PLAIN, `plane/thumbnail?${query}&size=16`)).arrayBuffer()));
    expect([small.columns, small.rows]).toEqual([3, 4]);
  });

  test('has a value at every point', async () => {
    const inside = await ask(PLAIN, '1.25,2,3');
    // A quarter from column 1 to 2, halfway from slice 1 to 2: 150 + 20 + 1.25. The half is rounded up to slice 2.
    expect(inside).toMatchObject({
      stored: 171.25,
      modality: 171.25 - 1024,
      nearest: { frame_index: 0, row: 2, column: 1 },
    });
    const slice = files.find(({ index }) => index === inside.nearest?.file_index);
    expect(slice?.instance_number).toBe('3');
    expect(await ask(PLAIN, '90,0,0')).toEqual({ stored: null, modality: null, nearest: null });
    expect(await ask(PET, '0,0,1')).toMatchObject({ stored: null, modality: 150 });
    expect(await ask(PADDED, '2,1,0')).toMatchObject({ stored: null, modality: null, nearest: { row: 1, column: 2 } });
  });

  test('of frames of one file is made of these frames', async () => {
    const { samples } = await samplesOf(RLE_LESS, `position=0,0,1&${AXIAL}&spacing=1,1&rows=1&columns=2`);
    expect(samples).toEqual([50, 51]);
  });

  const whole = `position=0,0,0&${AXIAL}&spacing=1,1&rows=2&columns=2`;
  test.each([
    ['two axes that are not perpendicular', whole.replace(AXIAL, 'orientation=1,0,0,0.6,0.8,0'), 400, 'invalid_query'],
    ['axes that are no unit vectors', whole.replace(AXIAL, 'orientation=0.9,0,0,0,0.9,0'), 400, 'invalid_query'],
    ['more samples than allowed', whole.replace('rows=2&columns=2', 'rows=4096&columns=4096'), 400, 'invalid_query'],
    ['a slab thicker than any patient', `${whole}&slab=1e9`, 400, 'invalid_query'],
    ['a point that is no number', whole.replace('position=0,0,0', 'position=0,NaN,0'), 400, 'invalid_query'],
    ['a point out of this world', whole.replace('position=0,0,0', 'position=0,1e308,0'), 400, 'invalid_query'],
    ['half a window', `${whole}&wc=1`, 400, 'invalid_window'],
  ])('of %s is refused', async (_, query, status, code) => {
    const response = await get(PLAIN, `plane?${query}`);
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  });
});

test('a stack that is no volume has no planes, for the reason that its description gives', async () => {
  const server = await serveShared(...writeSeries(20, straight(1)));
  const response = await server.request(`/api/file/0/plane/raw?position=0,0,0&${AXIAL}&spacing=1,1&rows=2&columns=2`);
  expect([response.status, await response.json()]).toMatchObject([
    422,
    { code: 'volume_unavailable', error: expect.stringContaining('only one image') },
  ]);
});

describe('a volume that does not fit into the memory', () => {
  const SIDE = 1024;
  /** 1024 x 1024 x 12 samples of 2 bytes are 24 MiB. Volumes may use 19 MiB, 60 % of the half of 64 MiB: Node has 64. */
  const memoryBytes = 128 * 2 ** 20;
  const files = writeSeries(
    21,
    straight(12).map((slice, k) => ({ ...slice, more: { PixelData: noise(k) } })),
    { Rows: SIDE, Columns: SIDE },
  );

  /** It goes through all slices, turned around two axes. */
  const OBLIQUE =
    'position=30,20,0.1&orientation=0.99974,0,0.022802,-0.0004557,0.9998,0.019980&spacing=1.5,1.5&rows=500&columns=600';

  function noise(k: number): Int16Array {
    const samples = new Int16Array(SIDE * SIDE);
    for (let i = 0; i < samples.length; i++) samples[i] = ((i * 7919 + k * 104_729) % 4001) - 2000;
    return samples;
  }

  const PLANES: readonly (readonly [name: string, query: string, sampling: string])[] = [
    ['a coronal plane', `position=0,500,0&${CORONAL}&spacing=2,1&rows=12&columns=1024`, 'stored'],
    [
      'a coronal plane between the rows',
      `position=3.25,500.25,0.5&${CORONAL}&spacing=1,1&rows=22&columns=900`,
      'linear',
    ],
    [
      'a sagittal plane at the edge',
      'position=1023,0,0&orientation=0,1,0,0,0,1&spacing=2,1&rows=12&columns=1024',
      'stored',
    ],
    ['a plane of one slice', `position=10,10,22&${AXIAL}&spacing=1,1&rows=64&columns=64`, 'stored'],
    ['a plane between two slices', `position=-4,-4,9.5&${AXIAL}&spacing=1.5,1.5&rows=40&columns=40`, 'linear'],
    [
      'a coronal slab',
      `position=0,500,0&${CORONAL}&spacing=2,1&rows=12&columns=1024&slab=20&projection=mean`,
      'stored',
    ],
    [
      'a small oblique plane',
      'position=300,300,4&orientation=0.8775825618903728,0,0.479425538604203,0,1,0&spacing=1,1&rows=50&columns=20',
      'linear',
    ],
    [
      'a plane through all slices that is hardly tilted',
      'position=0,0,0&orientation=0.9999,0,0.0141418,0,1,0&spacing=1,1&rows=1024&columns=1024',
      'linear',
    ],
    ['the nearest samples of an oblique plane', `${OBLIQUE}&interpolation=nearest`, 'nearest'],
    ['the maximum of an oblique slab', `${OBLIQUE}&slab=6&projection=max`, 'linear'],
    [
      'the minimum of an oblique slab of nearest samples',
      `${OBLIQUE}&slab=6&projection=min&interpolation=nearest`,
      'nearest',
    ],
    ['the mean of an oblique slab', `${OBLIQUE}&slab=6&projection=mean`, 'linear'],
    [
      'the view of the whole volume from a side',
      'position=-200,700,-1&orientation=0.8,-0.6,0,0,0,1&spacing=4,4&rows=7&columns=400&slab=2000&sheet=4',
      'linear',
    ],
    ['a plane beside the volume', `position=0,2000,0&${CORONAL}&spacing=2,1&rows=12&columns=1024`, 'stored'],
  ];

  /** As the page asks for planes: a busy machine answers late, and not with 503. */
  const WAITING = { headers: { Prefer: 'wait=60' } };
  const POINTS = ['0,0,0', '1023.25,1022.5,21.75', '500.3,400.7,11', '700,3,13.2', '-90,0,0'];

  /** All planes, and the values at some points, are the same with little memory and with enough. */
  async function compareMemories(inputs: readonly Uint8Array[], planes = PLANES) {
    const small = await serveWith({ inputs, memoryBytes });
    const large = await serveWith({ inputs });
    // Each is read at once: one that nobody reads is cut off when its connection has been idle for 10 s.
    const both = (path: string) =>
      Promise.all(
        [small, large].map(async (one) => {
          const response = await one.request(`/api/file/0/${path}`, WAITING);
          return { response, bytes: Buffer.from(await response.arrayBuffer()) };
        }),
      );
    for (const [name, query, sampling] of planes) {
      const answers = await both(`plane/raw?${query}`);
      const bytes = answers.map((one) => one.bytes);
      const facts = answers.map(({ response: { status, headers } }) => [
        status,
        headers.get('x-plane-sampling'),
        headers.get('x-plane-slab'),
      ]);
      expect([name, facts[0]]).toEqual([name, facts[1]]);
      expect([name, facts[0]]).toEqual([name, [200, sampling, expect.anything()]]);
      expect([name, bytes[0]!.equals(bytes[1]!)]).toEqual([name, true]);
      expect([name, new Set(bytes[0]).size > 10]).toEqual([name, !name.includes('beside')]);
    }
    for (const at of POINTS) {
      const [ofSmall, ofLarge] = (await both(`volume/value?at=${at}`)).map(({ bytes }) => JSON.parse(bytes.toString()));
      expect([at, ofSmall]).toEqual([at, ofLarge]);
      expect([at, ofSmall]).not.toHaveProperty('[1].error');
    }
    return small;
  }

  test('gives every plane out of its files, the same as one that is in memory', async () => {
    const small = await compareMemories(files);
    expect(small.memory.tasks.mostHeldBytes()).toBeLessThanOrEqual(32 * 2 ** 20);
  });

  /** Each slice begins elsewhere, at irregular distances. */
  const IRREGULAR = straight(12).map(({ position: [x, y, z] }, k) => ({
    position: [x, y + 0.7 * k, z + 0.3 * (k % 3)] as const,
    more: { PixelData: noise(k) },
  }));

  test('gives the same planes if its slices are tilted and irregular and have padding', async () => {
    const withPadding = writeSeries(24, IRREGULAR, {
      Rows: SIDE,
      Columns: SIDE,
      PixelPaddingValue: -2000,
      PixelPaddingRangeLimit: -1500,
    });
    expect((await compareMemories(withPadding, onIrregular(PLANES))).memory.tasks.waiting()).toBe(0);
  });

  test('gives the same planes if each slice has a rescale of its own', async () => {
    const slices = IRREGULAR.map(({ more, ...slice }, k) => ({
      ...slice,
      more: { ...more, RescaleSlope: `${1 + k / 8}` },
    }));
    const scaled = writeSeries(25, slices, { Rows: SIDE, Columns: SIDE, Modality: 'PT' });
    expect((await compareMemories(scaled, onIrregular(PLANES))).memory.tasks.waiting()).toBe(0);
  });

  /** On the grid of irregular slices there are only slices. */
  function onIrregular(planes: typeof PLANES): typeof PLANES {
    return planes.map(([name, query, sampling]) => [name, query, sampling === 'stored' ? 'linear' : sampling]);
  }

  const rle = { transferSyntaxUid: '1.2.840.10008.1.2.5' };
  /** The slices repeat after a few. */
  const writeRle = (series: number, some: readonly Uint8Array[], more: DataSetInput = {}) => {
    const encoded = some.map((bytes) => ({ PixelData: { fragments: [encodeRle(bytes, 2, 1)] } }));
    const slices = straight(12).map((slice, k) => ({ ...slice, more: encoded[k % encoded.length]! }));
    return writeSeries(series, slices, { Rows: SIDE, Columns: SIDE, ...more }, rle);
  };

  test('is packed if its files are compressed, and gives the same planes as one that is in memory', async () => {
    // Waves that are much smaller than 19 MiB when they are packed.
    const waves = [0, 1, 2].map((k) =>
      Int16Array.from({ length: SIDE * SIDE }, (_, i) => 16 * Math.round(60 * Math.sin(i / 500 + k)) + (i % 7)),
    );
    const inputs = writeRle(
      22,
      waves.map(({ buffer }) => new Uint8Array(buffer)),
    );
    const small = await compareMemories(inputs);
    expect(small.memory.tasks.mostHeldBytes()).toBeLessThanOrEqual(32 * 2 ** 20);
    // The bricks stay for the next plane, as part of the account.
    expect(small.memory.tasks.heldBytes()).toBeGreaterThan(0);
  });

  test('tells how many of its slices are packed', async () => {
    const ramp = Int16Array.from({ length: SIDE * SIDE }, (_, i) => i % 251);
    const server = await serveWith({ inputs: writeRle(26, [new Uint8Array(ramp.buffer)]), memoryBytes });
    const leaving = new AbortController();
    const events = await server.request('/api/events', { signal: leaving.signal });
    const coronal = `position=0,500,0&${CORONAL}&spacing=2,1&rows=12&columns=1024`;
    const plane = server.request(`/api/file/0/plane/raw?${coronal}`, WAITING);
    let text = '';
    for await (const chunk of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes('"places_loaded":12,"storage":"packed"')) break;
    }
    leaving.abort();
    expect((await plane).status).toBe(200);
    expect(text).toContain('{"file_index":0,"time":0,"places":12,"places_loaded":12,"storage":"packed"}');
    const described = await server.request('/api/file/0/volume');
    expect(await described.json()).toMatchObject({ volume: { storage: 'packed', places_loaded: 12 } });
  });

  test('is refused with all numbers if it is too large even packed', async () => {
    // Noise of 16 bits does not get smaller.
    const noises = [0, 1].map(() => randomBytes(2 * SIDE * SIDE));
    const inputs = writeRle(23, noises, { BitsStored: 16, HighBit: 15 });
    const server = await serveWith({ inputs, memoryBytes });
    const coronal = `position=0,500,0&${CORONAL}&spacing=2,1&rows=12&columns=1024`;
    const response = await server.request(`/api/file/0/plane/raw?${coronal}`, WAITING);
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { code: 'volume_memory_exceeded', error: expect.stringMatching(/24 MiB.*2[0-9] MiB if it is packed.*19 MiB/) },
    ]);
    // A plane of one slice needs few of the bricks.
    const axial = `position=0,0,0&${AXIAL}&spacing=1,1&rows=2&columns=2`;
    expect((await server.request(`/api/file/0/plane/raw?${axial}`, WAITING)).status).toBe(200);
  });
});

test('the acquired plane is answered also where the writer has rounded its directions', async () => {
  // The cosine of the angle between row and column is 0.003.
  const skewed = straight(3).map((slice) => ({ ...slice, orientation: [1, 0, 0, 0.003, 1, 0] }));
  const server = await serveShared(...writeSeries(40, skewed));
  const { volume }: VolumeResponse = await (await server.request('/api/file/0/volume')).json();
  const orientation = volume?.orientation.join();
  const grid = `spacing=1,1&rows=${VOLUME_ROWS}&columns=${VOLUME_COLUMNS}`;
  const response = await server.request(`/api/file/0/plane/raw?position=0,0,2&orientation=${orientation}&${grid}`);
  expect(response.status).toBe(200);
  expect(new Int16Array(await response.arrayBuffer())).toEqual(sliceSamples(1));
});
