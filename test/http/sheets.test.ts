import { describe, expect, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { paletteColor } from '../../src/shared/segmentColor.ts';
import { AXIAL, placedImage, segmentationElements } from '../support/placedElements.ts';
import { type Png, readPng } from '../support/readPng.ts';
import { reportElements } from '../support/regionElements.ts';
import { type Patch, writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { serve, serveShared, serveWith, type SharedServer } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { levelOf, SLICE_COLUMNS, SLICE_ROWS, SLICE_UID, valueAt, writeSlice } from '../support/sliceFiles.ts';
import { slideElements } from '../support/slideElements.ts';
import { circle, structureSetElements } from '../support/structureSetElements.ts';

const SERIES = `${SLICE_UID}.100/${SLICE_UID}.101.1`;
/** Of the files of `placedElements.ts`: the images, and what lies over them. */
const IMAGES = '2.25.502/2.25.501';
const OBJECT = '2.25.502/2.25.601';

const slices = (count: number, more: DataSetInput = {}) =>
  Array.from({ length: count }, (_, number) => writeSlice({ number }, more));

type Sheet = Png & { readonly headers: Headers; readonly tiles: readonly string[] };

async function readSheet(server: Pick<SharedServer, 'request'>, series: string, query: string): Promise<Sheet> {
  const response = await server.request(`/api/series/${series}/sheet?${query}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(new TextDecoder().decode(bytes));
  expect(response.headers.get('content-type')).toBe('image/png');
  return {
    ...readPng(bytes),
    headers: response.headers,
    tiles: response.headers.get('x-sheet-tiles')?.split(',') ?? [],
  };
}

function pixelAt({ pixels, columns, channels }: Png, x: number, y: number): number[] {
  return [...pixels.subarray((y * columns + x) * channels, (y * columns + x + 1) * channels)];
}

const planeAt = (z: number) => ({ ...AXIAL, position: [0, 0, z] });

const cut = (file: Uint8Array) => file.subarray(0, file.length - 600);

const unsupported = (number: number) =>
  writeSlice(
    { number },
    { PixelData: { fragments: [new Uint8Array(16)] } },
    { transferSyntaxUid: '1.2.840.10008.1.2.4.102' },
  );

describe('a sheet of slices', () => {
  test('has evenly spaced ones without the ends, as bright as the page shows them', async () => {
    const server = await serveShared(...slices(10));
    // Three pictures of 30 columns and two gaps of 2. One slice is left out at each end, so that 8 remain.
    const sheet = await readSheet(server, SERIES, 'slices=3&columns=3&w=94');
    expect(sheet).toMatchObject({ rows: SLICE_ROWS, columns: 94, channels: 1, tiles: ['1/0', '5/0', '8/0'] });
    expect(sheet.headers.get('x-sheet-columns')).toBe('3');
    for (const [place, number] of [1, 5, 8].entries()) {
      for (const [x, y] of [
        [0, 0],
        [29, 0],
        [7, 19],
      ] as const) {
        expect(pixelAt(sheet, place * (SLICE_COLUMNS + 2) + x, y)).toEqual([levelOf(valueAt(number, x, y))]);
      }
    }
    expect(pixelAt(sheet, SLICE_COLUMNS, 3)).toEqual([0]);
  });

  test('has the window of the request, and the same sheet comes from the cache', async () => {
    const server = await serve(...slices(2));
    const sheet = await readSheet(server, SERIES, 'slices=1&w=30&window=20,40');
    // Of two, the first: 0 + 7 + 2 x 5 = 17.
    expect(pixelAt(sheet, 7, 5)).toEqual([levelOf(17, { center: 20, width: 40 })]);
    expect(sheet.headers.get('x-cache')).toBe('MISS');
    expect((await readSheet(server, SERIES, 'slices=1&w=30&window=20,40')).headers.get('x-cache')).toBe('HIT');
    expect((await readSheet(server, SERIES, 'slices=1&w=30&window=20,41')).headers.get('x-cache')).toBe('MISS');
  });

  test('shows slices that declare no window with one for all of them', async () => {
    const server = await serveShared(...slices(3, { WindowCenter: undefined, WindowWidth: undefined }));
    const sheet = await readSheet(server, SERIES, 'slices=3&columns=3&w=94');
    // The value 30 is in the first slice at x = 10, y = 10, in the second at x = 0, y = 10, in the third at x = 0, y = 5.
    const [first] = pixelAt(sheet, 10, 10);
    expect(pixelAt(sheet, SLICE_COLUMNS + 2, 10)).toEqual([first]);
    expect(pixelAt(sheet, 2 * (SLICE_COLUMNS + 2), 5)).toEqual([first]);
    const each = await readSheet(server, SERIES, 'slices=3&columns=3&w=94&window=file');
    // Each with its own range: the darkest pixel of each is black.
    expect(pixelAt(each, 0, 0)).toEqual([0]);
    expect(pixelAt(each, 2 * (SLICE_COLUMNS + 2), 0)).toEqual([0]);
    expect(pixelAt(sheet, 2 * (SLICE_COLUMNS + 2), 0)).not.toEqual([0]);
  });

  test('gives pixels that are not square their shape, and pictures that are too small their size', async () => {
    const server = await serveShared(...slices(1, { PixelSpacing: ['2', '1'] }));
    // 20 rows of 2 mm are as long as 40 columns.
    expect(await readSheet(server, SERIES, 'slices=1&w=60')).toMatchObject({ rows: 80, columns: 60 });
  });

  test('is that of a file, for series that an address cannot name', async () => {
    const server = await serveShared(...slices(2));
    expect((await readSheet(server, 'file/1', 'slices=2')).tiles).toEqual(['0/0', '1/0']);
    expect((await readSheet(server, SERIES.replace('/', '%2F'), 'slices=2')).tiles).toEqual(['0/0', '1/0']);
  });

  test('is that of the file itself if it is in no series', async () => {
    const server = await serveShared(writeSlice({ number: 3 }, { SeriesInstanceUID: undefined }));
    const sheet = await readSheet(server, 'file/0', 'w=30');
    expect(sheet.tiles).toEqual(['0/0']);
    expect(pixelAt(sheet, 7, 5)).toEqual([levelOf(valueAt(3, 7, 5))]);
  });

  test('of planes cuts the volume', async () => {
    const server = await serveShared(...slices(10));
    // 30 columns of 1 mm and 9 steps of 2 mm with one row each: 10 rows, twice as high as wide.
    const sheet = await readSheet(server, SERIES, 'slices=1&w=30&plane=coronal');
    expect(sheet).toMatchObject({ rows: 20, columns: 30 });
    // The fourth and fifth of ten slices are in the middle. The middle row of 20 is that at 9 mm, from the back to the front.
    expect(sheet.tiles).toEqual(['4@coronal+9.00']);
    const refused = await (await serveShared(...slices(1))).request(`/api/series/${SERIES}/sheet?plane=coronal`);
    expect(await refused.json()).toMatchObject({ code: 'volume_unavailable' });
  });
});

describe('a sheet of other series', () => {
  test('shows the first frame of a cine, and the one that differs most from it', async () => {
    const frames = [10, 12, 200, 40].flatMap((value) => Array.from({ length: 16 }, () => value));
    const cine = {
      SOPInstanceUID: '2.25.3',
      SamplesPerPixel: 1,
      PhotometricInterpretation: 'MONOCHROME2',
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.3.1',
      StudyInstanceUID: '2.25.1',
      SeriesInstanceUID: '2.25.2',
      Modality: 'US',
      NumberOfFrames: 4,
      Rows: 4,
      Columns: 4,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelRepresentation: 0,
      WindowCenter: '128',
      WindowWidth: '256',
      PixelData: Uint8Array.from(frames),
    };
    const server = await serveShared(writeDicom(cine));
    expect((await readSheet(server, '2.25.1/2.25.2', 'slices=9')).tiles).toEqual(['0/0', '0/2']);
    // A single picture is that in the middle.
    expect((await readSheet(server, '2.25.1/2.25.2', 'slices=1')).tiles).toEqual(['0/1']);
  });

  test('puts the tiles of a slide together', async () => {
    // Nine tiles of 10 x 6 for 25 x 14 pixels; tile n has the level 20 n.
    const samples = Uint8Array.from({ length: 9 * 60 }, (_, at) => 20 * Math.floor(at / 60));
    const slide = slideElements({ PixelData: samples, WindowCenter: '128', WindowWidth: '256' });
    const server = await serveShared(writeDicom(slide));
    const sheet = await readSheet(server, '1.2.826.0.1.3680043.8.498.71/1.2.826.0.1.3680043.8.498.72', 'w=250');
    expect(sheet).toMatchObject({ rows: 140, columns: 250, tiles: ['0/slide'] });
    // The middle of tile 4, which begins at column 10 and row 6; and of tile 8, of which 5 columns and 2 rows are left.
    expect(pixelAt(sheet, 150, 90)).toEqual([80]);
    expect(pixelAt(sheet, 225, 130)).toEqual([160]);
  });

  test('of documents is refused with the kind of its files', async () => {
    const server = await serveShared(writeDicom(reportElements([], { SeriesInstanceUID: '2.25.9' })));
    const response = await server.request('/api/series/file/0/sheet');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      code: 'no_pixel_data',
      error: expect.stringContaining('structured report'),
    });
  });

  test.each([
    ['1.2/3.4', '', 404, 'not_found'],
    ['file/99', '', 404, 'not_found'],
    [SERIES, 'slices=0', 400, 'invalid_query'],
    [SERIES, 'slices=65', 400, 'invalid_query'],
    [SERIES, 'window=40', 400, 'invalid_query'],
    [SERIES, 'window=40,0', 400, 'invalid_window'],
    [SERIES, 'w=2048&columns=1&slices=64', 400, 'invalid_query'],
    [SERIES, 'layers=2', 400, 'invalid_query'],
  ])('%s?%s is refused as %i %s', async (series, query, status, code) => {
    const server = await serveShared(...slices(2));
    const response = await server.request(`/api/series/${series}/sheet?${query}`);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });
});

describe('a sheet with layers', () => {
  const images = [0, 3, 6].map((z, at) =>
    writeDicom(
      placedImage(
        { uid: `2.25.80${at}`, rows: 32, columns: 32, plane: planeAt(z) },
        { InstanceNumber: String(at + 1), WindowCenter: '128', WindowWidth: '256' },
      ),
    ),
  );
  /** The left half of the second image. */
  const half = writeDicom(
    segmentationElements({
      rows: 32,
      columns: 32,
      type: 'BINARY',
      frames: [
        {
          samples: Array.from({ length: 1024 }, (_, at) => (at % 32 < 16 ? 1 : 0)),
          plane: planeAt(3),
          source: { uid: '2.25.801' },
        },
        {
          samples: Array.from({ length: 1024 }, (_, at) => (at === 0 ? 1 : 0)),
          plane: planeAt(6),
          source: { uid: '2.25.802' },
        },
      ],
    }),
  );
  const ring = writeDicom(
    structureSetElements([
      { number: 1, name: 'Ring', color: [255, 0, 0], contours: [{ points: circle([15.5, 15.5, 3], 10) }] },
    ]),
  );

  test('has the masks over the images only if they are asked for', async () => {
    const server = await serveShared(...images, half);
    const plain = await readSheet(server, IMAGES, 'slices=3&columns=3&w=100');
    expect(plain).toMatchObject({ channels: 1 });
    const sheet = await readSheet(server, IMAGES, 'slices=3&columns=3&w=100&layers=1');
    // Half of the color over black, one pixel for each of the image.
    const color = paletteColor(1).map((channel) => Math.round(channel * 0.5));
    const near = (pixel: readonly number[]) => pixel.every((channel, at) => Math.abs(channel - color[at]!) <= 1);
    expect(near(pixelAt(sheet, 34 + 5, 16))).toBe(true);
    expect(pixelAt(sheet, 34 + 20, 16)).toEqual([0, 0, 0]);
    expect(pixelAt(sheet, 5, 16)).toEqual([0, 0, 0]);
  });

  test('of a segmentation shows the images that it lies over, and for one picture that with most of it', async () => {
    const server = await serveShared(...images, half);
    const sheet = await readSheet(server, OBJECT, 'slices=9&w=66');
    expect(sheet.tiles).toEqual(['1/0', '2/0']);
    expect(sheet.channels).toBe(3);
    expect((await readSheet(server, OBJECT, 'slices=1&w=32')).tiles).toEqual(['1/0']);
  });

  test('of a structure set shows its outlines over the images', async () => {
    const server = await serveShared(...images, ring);
    const sheet = await readSheet(server, OBJECT, 'slices=9&w=32');
    expect(sheet.tiles).toEqual(['1/0']);
    // The circle passes through x = 26, y = 16 in pixels from the corner; its middle is not filled.
    const [red = 0, green = 0] = pixelAt(sheet, 25, 16);
    expect(red).toBeGreaterThan(100);
    expect(green).toBeLessThan(20);
    expect(pixelAt(sheet, 16, 16)).toEqual([0, 0, 0]);
  });

  test('of a structure set without its images says so', async () => {
    const response = await (await serveShared(ring)).request(`/api/series/${OBJECT}/sheet`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'semantic_mapping_unavailable' });
  });

  test('has masks on planes, too', async () => {
    const server = await serveShared(...images, half);
    const sheet = await readSheet(server, IMAGES, 'slices=1&w=32&plane=axial&layers=1');
    expect(sheet.tiles).toEqual(['1@axial+3.00']);
    expect(pixelAt(sheet, 5, 16)).not.toEqual([0, 0, 0]);
    expect(pixelAt(sheet, 20, 16)).toEqual([0, 0, 0]);
  });

  test('has the marks and ROIs of its images, as they are now', async () => {
    const server = await serve(...images);
    const query = 'slices=3&columns=3&w=100&layers=1';
    expect(await readSheet(server, IMAGES, query)).toMatchObject({ channels: 1 });
    const place = { type: 'frame', file_index: 1, frame_index: 0 };
    const points = [
      [4, 4],
      [20, 24],
    ];
    const made = await server.request('/api/marks', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ kind: 'box', place, points }),
    });
    expect(made.status).toBe(200);
    const sheet = await readSheet(server, IMAGES, query);
    // Light green, as marks without a class are.
    const [red = 0, green = 0] = pixelAt(sheet, 34 + 12, 4);
    expect(green).toBeGreaterThan(red);
    expect(green).toBeGreaterThan(100);
    expect(pixelAt(sheet, 12, 4)).toEqual([0, 0, 0]);
    await server.request('/api/file/0/annotations', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ num_roi: 1, roi_coords: [[4, 4, 24, 20]], roi_frames: [] }),
    });
    expect(pixelAt(await readSheet(server, IMAGES, query), 12, 4)).not.toEqual([0, 0, 0]);
  });
});

describe('what cannot be shown', () => {
  test('is marked on the sheet and named beside it', async () => {
    const server = await serveShared(writeSlice({ number: 0 }), cut(writeSlice({ number: 1 })), unsupported(2));
    const sheet = await readSheet(server, 'file/0', 'slices=9&columns=3&w=94');
    expect(sheet.headers.get('x-sheet-problems')).toMatch(/unsupported_transfer_syntax/);
  });

  test('is an error if there is no other picture', async () => {
    const server = await serveShared(unsupported(0));
    const response = await server.request('/api/series/file/0/sheet');
    expect(await response.json()).toMatchObject({ code: 'unsupported_transfer_syntax' });
  });

  test('is covered where it is redacted', async () => {
    const server = await serve(...slices(1));
    const before = await readSheet(server, SERIES, 'slices=1&w=30');
    expect(pixelAt(before, 6, 6)).not.toEqual(pixelAt(before, 14, 14));
    await server.request('/api/file/0/redactions', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ num_roi: 1, roi_coords: [[5, 5, 15, 15]], roi_frames: [] }),
    });
    const after = await readSheet(server, SERIES, 'slices=1&w=30');
    expect(after.headers.get('x-cache')).toBe('MISS');
    // All of the box has one value.
    expect(pixelAt(after, 6, 6)).toEqual(pixelAt(after, 14, 14));
    expect(pixelAt(after, 20, 17)).toEqual(pixelAt(before, 20, 17));
  });
});

const square = (slice: number, left: number): Patch => ({ slice, segment: 1, top: 8, left, rows: 8, columns: 8 });

/** A circle on three slices. */
const ring = (uid: string, x: number) =>
  writeDicom(
    structureSetElements(
      [
        {
          number: 1,
          name: 'Ring',
          contours: [1, 2, 3].map((slice) => ({ points: circle([x, 12, slice * 3], 4) })),
        },
      ],
      { SOPInstanceUID: uid, SeriesInstanceUID: `${uid}.1` },
    ),
  );

describe('errors of a test on a sheet', () => {
  /** Squares of 64 pixels on four of six slices; the test has them a column to the right, and 100 false pixels on the fifth slice. */
  const truth = { uid: '2.25.900', name: 'Truth', patches: [0, 1, 2, 3].map((slice) => square(slice, 8)) };
  const planted = { slice: 4, segment: 1, top: 20, left: 20, rows: 10, columns: 10 };
  const test5 = { uid: '2.25.901', name: 'Test', patches: [...[0, 1, 2, 3].map((slice) => square(slice, 9)), planted] };
  const images = writeSlices(6);
  const both = [...images, writeSegmentation(truth), writeSegmentation(test5)];
  const COLORS = { tp: [86, 180, 233], fp: [213, 94, 0], fn: [240, 228, 66] } as const;

  /** The color of a kind of error over a gray value, at an opacity of 0.55. */
  const isColor = (kind: keyof typeof COLORS, gray: number, found: readonly number[]) =>
    COLORS[kind].every((value, at) => Math.abs(0.55 * value + 0.45 * gray - found[at]!) <= 2);

  function nameAt(sheet: Sheet, gray: number, x: number, y: number): string {
    const found = pixelAt(sheet, x, y);
    if (sheet.channels === 1 || found.every((value) => value === gray)) return 'none';
    return (['tp', 'fp', 'fn'] as const).find((kind) => isColor(kind, gray, found)) ?? found.join();
  }

  test('are drawn in the colors of the page, and the worst slice is one of those that are shown', async () => {
    const server = await serveShared(...both);
    const plain = await readSheet(server, IMAGES, 'slices=2&columns=1&w=32');
    const sheet = await readSheet(server, IMAGES, 'slices=2&columns=1&w=32&errors=6:7');

    // Four slices have 16 wrong pixels, and one has 100, which takes the place of the one after it.
    expect([plain.tiles, sheet.tiles]).toEqual([
      ['0/0', '5/0'],
      ['0/0', '4/0'],
    ]);
    const [gray = 0] = pixelAt(plain, 0, 0);
    const at = (x: number, y: number) => nameAt(sheet, gray, x, y);
    expect([at(8, 8), at(9, 8), at(15, 15), at(16, 15), at(17, 15), at(7, 8)]).toEqual([
      'fn',
      'tp',
      'tp',
      'fp',
      'none',
      'none',
    ]);
    // The second picture begins after 32 rows and a gap of 2.
    expect([at(20, 34 + 20), at(29, 34 + 29), at(30, 34 + 29), at(9, 34 + 8)]).toEqual(['fp', 'fp', 'none', 'none']);
    expect((await readSheet(server, IMAGES, 'slices=1&w=32&errors=6:7')).tiles).toEqual(['4/0']);
    expect(sheet.headers.get('x-sheet-left-out')).toBeNull();
  });

  test('are those of the layers that the user has named, where two of them lie over the images', async () => {
    const folder = createTempFolder();
    const [one, other] = [
      writeBelow(folder, 'truth/a.dcm', writeSegmentation(truth)),
      writeBelow(folder, 'test/a.dcm', writeSegmentation(test5)),
    ];
    const server = await serveWith({ inputs: [...images, one, other], overlays: [one, other], areCompared: true });
    const without = await serveShared(...both);

    const sheet = await readSheet(server, IMAGES, 'slices=1&w=32&errors=named');
    expect(sheet.tiles).toEqual(['4/0']);
    expect(sheet.channels).toBe(3);
    const plain = await readSheet(without, IMAGES, 'slices=1&w=32&errors=named');
    expect([plain.channels, plain.headers.get('x-sheet-left-out')]).toEqual([1, null]);
  });

  test('are drawn on planes', async () => {
    const server = await serveShared(...both);
    const sheet = await readSheet(server, IMAGES, 'slices=1&w=64&plane=coronal&errors=6:7');
    expect(sheet.channels).toBe(3);
  });

  test('need two layers that lie over the images', async () => {
    const server = await serveShared(...both);
    const alone = await server.request(`/api/series/${IMAGES}/sheet?errors=6`);
    expect([alone.status, (await alone.json()).code]).toEqual([400, 'invalid_query']);
    const far = await readSheet(server, IMAGES, 'slices=1&w=32&errors=6:1000000');
    expect(far.headers.get('x-sheet-left-out')).toBe('errors: layer_not_found');
    expect(far.channels).toBe(1);
  });

  test('between structures are those of their areas', async () => {
    const server = await serve(...images, ring('2.25.910', 10), ring('2.25.911', 14));
    const plain = await readSheet(server, IMAGES, 'slices=1&w=32');
    const sheet = await readSheet(server, IMAGES, 'slices=1&w=32&errors=6:7');
    const [gray = 0] = pixelAt(plain, 0, 0);
    expect(sheet.headers.get('x-sheet-left-out')).toBeNull();
    expect([7, 12, 17].map((x) => nameAt(sheet, gray, x, 12))).toEqual(['fn', 'tp', 'fp']);
  });
});
