import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ImportedMarksResponse, WireMark } from '../../src/shared/contract/marks.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { placeLevel, slideElements } from '../support/slideElements.ts';

const SLICES = 4;
const SLIDE = SLICES;
const SLIDE_COLUMNS = 25;
const SLIDE_ROWS = 14;

/** Slices of one stack, and a slide. Pixels of the slices are 2 mm high and 0.5 mm wide. */
function serveImages(): Promise<TestServer> {
  const slices = Array.from({ length: SLICES }, (_, number) => writeSlice({ number }, { PixelSpacing: ['2', '0.5'] }));
  return serve(...slices, writeDicom(slideElements()));
}

async function post(server: TestServer, body: object): Promise<WireMark> {
  const response = await server.request('/api/marks', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const made = await response.json();
  expect({ status: response.status, made }).toMatchObject({ status: 200 });
  return made;
}

async function setClasses(server: TestServer): Promise<void> {
  const classes = [{ key: 'nodule', title: 'Nodule', color: '#ff8001' }];
  const headers = { 'Content-Type': 'application/json' };
  await server.request('/api/labels', { method: 'PUT', headers, body: JSON.stringify({ classes }) });
}

async function listMarks(server: TestServer): Promise<WireMark[]> {
  const { marks } = await (await server.request('/api/marks')).json();
  return marks;
}

async function deleteAll(server: TestServer): Promise<void> {
  for (const { id, locked } of await listMarks(server)) {
    const headers = { 'Content-Type': 'application/json' };
    if (locked) {
      await server.request(`/api/mark/${id}`, { method: 'PATCH', headers, body: JSON.stringify({ locked: false }) });
    }
    await server.request(`/api/mark/${id}`, { method: 'DELETE' });
  }
}

async function importText(server: TestServer, format: string, text: string, query = '') {
  const response = await server.request(`/api/marks/import?format=${format}${query}`, {
    method: 'POST',
    headers: { 'Content-Type': format === 'csv' ? 'text/csv' : 'application/json' },
    body: text,
  });
  const body: ImportedMarksResponse & { code?: string; error?: string } = await response.json();
  return { status: response.status, body };
}

async function exportText(server: TestServer, format: string, query = '') {
  const response = await server.request(`/api/marks/export?format=${format}${query}`);
  expect(response.status).toBe(200);
  return { text: await response.text(), leftOut: response.headers.get('x-marks-left-out') };
}

const along = (size: number) => fc.double({ min: 0, max: size, noNaN: true });
const pointIn = (columns: number, rows: number) => fc.tuple(along(columns), along(rows));
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom("'=1", '=1', '-5', '"a",\r\nb', ' '),
);
const words = fc.record({
  label: text,
  class: fc.constantFrom('nodule', 'other', null),
  comment: text,
  author: text,
  locked: fc.boolean(),
});

/** Two corners that differ. */
const corners = (columns: number, rows: number) =>
  fc
    .tuple(pointIn(columns, rows), pointIn(columns, rows))
    .filter(([a, b]) => Math.abs(a[0] - b[0]) > 1e-3 && Math.abs(a[1] - b[1]) > 1e-3);

/** A polygon with corners in different places, of which no four are a rectangle. */
const polygon = (columns: number, rows: number) => fc.array(pointIn(columns, rows), { minLength: 5, maxLength: 9 });

const outline = (columns: number, rows: number) =>
  fc.oneof(
    fc.record({ kind: fc.constant('box'), points: corners(columns, rows) }),
    fc.record({ kind: fc.constant('ellipse'), points: corners(columns, rows) }),
    fc.record({ kind: fc.constant('polygon'), points: polygon(columns, rows) }),
  );

const line = (columns: number, rows: number) => {
  const points = (count: number) => fc.array(pointIn(columns, rows), { minLength: count, maxLength: count });
  return fc.oneof(
    fc.record({ kind: fc.constantFrom('length'), points: points(2) }),
    fc.record({ kind: fc.constant('arrow'), points: points(2), text }),
    fc.record({ kind: fc.constant('freehand'), points: points(7) }),
    fc.record({ kind: fc.constant('point'), points: points(1) }),
    fc.record({ kind: fc.constant('angle'), points: points(3) }),
    fc.record({ kind: fc.constantFrom('cobb', 'bidirectional'), points: points(4) }),
  );
};

const slice = fc.nat(SLICES - 1);
const onFrame = <Shape extends object>(shapes: fc.Arbitrary<Shape>) =>
  fc.tuple(shapes, words, slice).map(([shape, said, file_index]) => ({
    ...said,
    ...shape,
    place: { type: 'frame', file_index, frame_index: 0 },
  }));

const mask = fc
  .record({
    left: fc.nat(10),
    top: fc.nat(10),
    width: fc.integer({ min: 1, max: 9 }),
    height: fc.integer({ min: 1, max: 9 }),
  })
  .chain((box) =>
    fc.array(fc.boolean(), { minLength: box.width * box.height, maxLength: box.width * box.height }).map((pixels) => {
      const runs = [0];
      for (const pixel of pixels) {
        if ((runs.length % 2 === 0) === pixel) runs[runs.length - 1]! += 1;
        else runs.push(1);
      }
      return { ...box, runs };
    }),
  );

/** Between these two slices, with something drawn on both ends. */
const throughStack = fc
  .tuple(fc.subarray([0, 1, 2, 3], { minLength: 2, maxLength: 4 }), words, fc.constantFrom('box', 'polygon', 'brush'))
  .chain(([on, said, kind]) => {
    const drawn = on.map((file_index) => {
      const place = { file_index: fc.constant(file_index), frame_index: fc.constant(0) };
      if (kind === 'brush') return fc.record({ ...place, points: fc.constant([]), mask });
      const points = kind === 'box' ? corners(SLICE_COLUMNS, SLICE_ROWS) : polygon(SLICE_COLUMNS, SLICE_ROWS);
      return fc.record({ ...place, points });
    });
    return fc.tuple(...drawn).map((slices) => ({
      ...said,
      kind,
      place: { type: 'stack', from: at(on[0]!), to: at(on.at(-1)!) },
      points: [],
      slices,
    }));
  });

const onSlide = fc
  .tuple(fc.oneof(outline(SLIDE_COLUMNS, SLIDE_ROWS), line(SLIDE_COLUMNS, SLIDE_ROWS)), words)
  .map(([shape, said]) => ({ ...said, ...shape, place: { type: 'slide', file_index: SLIDE, focal_plane_um: null } }));

const PATIENT = {
  file_index: 0,
  frame_index: 0,
  frame_of_reference_uid: '1.2.3',
  position: [1.5, -2, 3e-7],
  orientation: [1, 0, 0, 0, 0, -1],
};
const onPlane = fc.tuple(line(30, 20), words).map(([shape, said]) => ({
  ...said,
  ...shape,
  place: { type: 'plane', ...PATIENT, spacing: [0.5, 0.25], slab_mm: 2, time: 0 },
}));
const inVolume = words.map((said) => ({
  ...said,
  kind: 'box',
  points: [],
  place: { type: 'volume', ...PATIENT, size: [10, 20, 30] },
}));

const HELD: Readonly<Record<'csv' | 'coco' | 'geojson', fc.Arbitrary<object>>> = {
  csv: fc.oneof(onFrame(line(30, 20)), onFrame(outline(30, 20)), throughStack, onSlide, onPlane, inVolume),
  coco: fc.oneof(onFrame(outline(SLICE_COLUMNS, SLICE_ROWS)), throughStack),
  geojson: fc.oneof(onSlide, onFrame(line(30, 20)), onFrame(outline(30, 20))),
};

function tile(runs: object, frame_index = 0) {
  return { file_index: 0, frame_index, points: [], mask: runs };
}

test('a mask on a slide is kept in tiles, measured, and the same after GeoJSON', async () => {
  const server = await serve(writeDicom(slideElements(placeLevel(0, 0, '0.5'))));
  const place = { type: 'slide', file_index: 0, focal_plane_um: null, mask_step: 2 };
  // 13 x 7 pixels of the mask: a ring of 3 x 3, and a pixel that touches it at a corner.
  const painted = { left: 2, top: 1, width: 4, height: 4, runs: [0, 3, 1, 1, 1, 1, 1, 3, 4, 1] };
  const body = { kind: 'brush', place, points: [], slices: [tile(painted)], label: 'Tumour' };
  const { id } = await post(server, body);

  // 9 pixels, each of 2 x 2 pixels of 0.5 x 0.5 mm.
  expect(await (await server.request(`/api/mark/${id}/statistics`)).json()).toMatchObject({ count: 0, area_mm2: 9 });
  const before = await listMarks(server);
  const { text: written } = await exportText(server, 'geojson');
  const [feature] = JSON.parse(written).features;
  expect(feature.geometry.type).toBe('MultiPolygon');
  // In pixels of the slide, clockwise; the hole runs the other way.
  expect(feature.geometry.coordinates[0].map((one: number[][]) => one.length)).toEqual([5, 5]);
  expect(feature.geometry.coordinates[1][0]).toEqual(
    expect.arrayContaining([
      [10, 8],
      [12, 8],
      [12, 10],
      [10, 10],
    ]),
  );
  expect((await exportText(server, 'csv')).leftOut).toBe('brush on a slide: 1');

  await deleteAll(server);
  expect((await importText(server, 'geojson', written)).body).toMatchObject({ imported: 1, refused: 0, left_out: [] });
  const [after] = await listMarks(server);
  const { etag: _, revision: __, ...same } = after!;
  expect(before[0]).toMatchObject(same);

  const refusals: [object, string][] = [
    [{ place: { ...place, mask_step: 3 } }, 'power of two'],
    [{ place: { type: 'slide', file_index: 0, focal_plane_um: null } }, 'power of two'],
    [{ slices: [] }, 'at least one tile'],
    [{ slices: [tile(painted, 1)] }, 'not inside of this tile'],
    [{ slices: [tile({ ...painted, left: 10 })] }, 'beyond the slide of 7 rows and 13 columns'],
    [{ slices: [tile({ ...painted, runs: [0, 3] })] }, 'add up to 3'],
    [{ slices: [tile({ ...painted, left: 4e8 }, 2 ** 31 - 1)] }, 'not inside of this tile'],
  ];
  for (const [wrong, message] of refusals) {
    const headers = { 'Content-Type': 'application/json' };
    const refused = await server.request('/api/marks', {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...body, ...wrong }),
    });
    expect(await refused.json()).toMatchObject({ code: 'invalid_mark', error: expect.stringContaining(message) });
  }
});

test.each(['csv', 'coco', 'geojson'] as const)(
  'marks that leave as %s return as they were, with their words, times and classes',
  async (format) => {
    const server = await serveImages();
    await setClasses(server);
    await fc.assert(
      fc.asyncProperty(fc.array(HELD[format], { minLength: 1, maxLength: 3 }), async (bodies) => {
        await deleteAll(server);
        for (const body of bodies) await post(server, body);
        const before = await listMarks(server);
        const { text: written, leftOut } = await exportText(server, format);
        // Nothing changes if the marks are there.
        expect((await importText(server, format, written)).body).toMatchObject({ known: bodies.length, refused: 0 });
        await deleteAll(server);
        const { body } = await importText(server, format, written);
        expect({ ...body, leftOut }).toMatchObject({ imported: bodies.length, refused: 0, reasons: [], leftOut: null });
        const after = await listMarks(server);
        expect(after.map(withoutRevision)).toEqual(before.map(withoutRevision));
      }),
      { numRuns: 8 },
    );
  },
  180_000,
);

function withoutRevision(mark: WireMark) {
  return { ...mark, etag: undefined, revision: undefined };
}

const LINE = {
  kind: 'length',
  place: { type: 'frame', file_index: 2, frame_index: 0 },
  points: [
    [1, 2],
    [9, 3.5],
  ],
};

/** The rows of a CSV without quoted line breaks, by column. */
function parseCsv(csv: string): Record<string, string>[] {
  const [names = [], ...rows] = csv
    .trim()
    .split('\r\n')
    .map((row) =>
      [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    );
  return rows.map((row) => Object.fromEntries(names.map((name, n) => [name, row[n] ?? ''])));
}

test('the CSV has millimetres, and where each point is in the patient', async () => {
  const server = await serveImages();
  await post(server, LINE);
  const box = { kind: 'box', place: { type: 'stack', from: at(0), to: at(3) }, points: [] };
  const drawn = [
    [1, 1],
    [5, 4],
  ];
  await post(server, { ...box, slices: [{ ...at(1), points: drawn }] });
  await post(server, {
    kind: 'brush',
    place: { type: 'stack', from: at(0), to: at(0) },
    points: [],
    slices: [{ ...at(0), points: [], mask: { left: 2, top: 3, width: 2, height: 2, runs: [1, 3] } }],
  });

  const rows = parseCsv((await exportText(server, 'csv')).text);

  // 8 columns of 0.5 mm and 1.5 rows of 2 mm: 4, 3, 5. The slice lies at 4 mm. Pixel centers are half a pixel from corners.
  expect(rows[0]).toMatchObject({
    length_mm: '5',
    points_mm: '[[0.25,3,4],[4.25,6,4]]',
    frame_number: '1',
    sop_instance_uid: '1.2.826.0.1.3680043.10.67.1.3',
    spacing_source: 'pixel_spacing',
  });
  // 4 × 3 pixels of 1 mm², and three pixels.
  expect(rows[1]).toMatchObject({ area_px: '12', area_mm2: '12', length_mm: '', points_mm: '[[0.25,1,2],[2.25,7,2]]' });
  expect(rows[2]).toMatchObject({ area_px: '3', area_mm2: '3', points_px: '' });
  expect(rows).toHaveLength(3);
});

function at(file_index: number) {
  return { file_index, frame_index: 0 };
}

test('a format says what it cannot hold, and has the rest', async () => {
  const server = await serveImages();
  await post(server, LINE);
  await post(server, LINE);
  const corner = [
    [1, 1],
    [5, 4],
  ];
  await post(server, {
    kind: 'box',
    place: { type: 'slide', file_index: SLIDE, focal_plane_um: null },
    points: corner,
  });
  await post(server, { ...LINE, kind: 'ellipse', points: corner });

  const { text: coco, leftOut } = await exportText(server, 'coco');

  expect(leftOut).toBe('length on a frame: 2, box on a slide: 1');
  // The area of an ellipse with half axes of 2 and 1.5.
  expect(JSON.parse(coco).annotations).toMatchObject([
    { bbox: [1, 1, 4, 3], iscrowd: 0, area: expect.closeTo(Math.PI * 3) },
  ]);
  expect((await exportText(server, 'geojson')).leftOut).toBeNull();
  expect(JSON.parse((await exportText(server, 'geojson', '&kind=box')).text).features).toHaveLength(1);
});

test('COCO has an outline on every frame of a range, computed between those that were drawn', async () => {
  const server = await serveImages();
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- only here
  const box = (x: number) => [
    [x, 1],
    [x + 4, 5],
  ];
  await post(server, {
    kind: 'box',
    place: { type: 'stack', from: at(0), to: at(3) },
    points: [],
    slices: [
      { ...at(0), points: box(1) },
      { ...at(2), points: box(5) },
    ],
  });

  const { annotations, images, categories } = JSON.parse((await exportText(server, 'coco')).text);

  expect(annotations.map((one: { bbox: number[]; attributes: object }) => [one.bbox, one.attributes])).toMatchObject([
    [[1, 1, 4, 4], { interpolated: false }],
    [[3, 1, 4, 4], { interpolated: true }],
    [[5, 1, 4, 4], { interpolated: false }],
    // After the last outline it stays as it is.
    [[5, 1, 4, 4], { interpolated: true }],
  ]);
  expect(images).toHaveLength(4);
  expect(images[2]).toMatchObject({ width: 30, height: 20, sop_instance_uid: '1.2.826.0.1.3680043.10.67.1.3' });
  expect(categories).toMatchObject([{ id: 1, name: 'unlabelled', key: null }]);
});

/** As QuPath 0.5 writes it. */
const QUPATH = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      id: '00000000-0000-0000-0000-00000000002a',
      geometry: { type: 'Polygon', coordinates: [ring(1, 1, 5, 4)] },
      properties: { objectType: 'annotation', name: 'first', classification: { name: 'Tumor', color: [200, 0, 1] } },
    },
    {
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: [ring(2, 2, 6, 4)], isEllipse: true },
      properties: { objectType: 'annotation', isLocked: true, classification: { name: 'Nodule', color: [0, 0, 0] } },
    },
    {
      type: 'Feature',
      geometry: { type: 'MultiPolygon', coordinates: [[triangle(1)], [triangle(8), ring(9, 2, 10, 3)]] },
      properties: { objectType: 'annotation' },
    },
    {
      type: 'Feature',
      geometry: {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [3, 4],
        ],
      },
      properties: {},
    },
    { type: 'Feature', geometry: { type: 'Point', coordinates: [99, 0] }, properties: {} },
    { type: 'Feature', geometry: { type: 'GeometryCollection' }, properties: {} },
  ],
};

function ring(left: number, top: number, right: number, bottom: number) {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
    [left, top],
  ];
}

function triangle(x: number) {
  return [
    [x, 1],
    [x + 5, 1],
    [x, 6],
    [x, 1],
  ];
}

test('annotations of QuPath become marks on the file that is named, with their classes', async () => {
  const server = await serveImages();
  await setClasses(server);

  const { body: nowhere } = await importText(server, 'geojson', JSON.stringify(QUPATH));
  expect(nowhere).toMatchObject({
    imported: 0,
    reasons: expect.arrayContaining([{ mark: 'feature 0', reason: expect.stringContaining('file=N') }]),
  });

  const { body } = await importText(server, 'geojson', JSON.stringify(QUPATH), `&file=${SLIDE}`);
  expect(body).toMatchObject({ imported: 6, refused: 1, left_out: ['holes of polygons: 1'] });
  expect(body.reasons).toMatchObject([
    { mark: 'feature 5', reason: 'geometry: "GeometryCollection" cannot be a mark' },
  ]);
  const marks = await listMarks(server);
  // 0x2a is 42.
  expect(marks[0]).toMatchObject({ kind: 'box', uid: '2.25.42', label: 'first', class: 'Tumor', color: [200, 0, 1] });
  expect(marks[1]).toMatchObject({
    kind: 'ellipse',
    class: 'nodule',
    locked: true,
    points: [
      [2, 2],
      [6, 4],
    ],
  });
  expect(marks.map(({ kind }) => kind)).toEqual(['box', 'ellipse', 'polygon', 'polygon', 'length', 'point']);
  expect(new Set(marks.map(({ place }) => place.type))).toEqual(new Set(['slide']));

  // On an image that is no slide they are on its frame, whose size is checked.
  const { body: onFrame0 } = await importText(server, 'geojson', JSON.stringify({ ...QUPATH.features[4] }), '&file=0');
  expect(onFrame0.reasons).toMatchObject([{ mark: 'feature 0', reason: expect.stringContaining('outside the image') }]);
});

test('annotations of other programs are read from COCO: boxes, several polygons, run lengths', async () => {
  const server = await serveImages();
  const annotation = { image_id: 7, category_id: 3, iscrowd: 0 };
  const coco = {
    images: [{ id: 7, file_name: 'images/1.dcm', width: 30, height: 20 }],
    categories: [{ id: 3, name: 'lesion' }],
    annotations: [
      { ...annotation, id: 1, bbox: [1, 2, 3, 4] },
      {
        ...annotation,
        id: 2,
        segmentation: [
          [0, 0, 4, 0, 4, 4],
          [5, 5, 9, 5, 9, 9],
        ],
        bbox: [0, 0, 9, 9],
      },
      // Column 1 has rows 2 to 4, column 2 has row 2: 20 + 2 outside, 3 inside, 17 outside, and so on.
      { ...annotation, id: 3, segmentation: { size: [20, 30], counts: [22, 3, 17, 1, 557] } },
      { ...annotation, id: 4, segmentation: { size: [20, 30], counts: [22, 3] } },
      { ...annotation, id: 5, image_id: 8, bbox: [1, 2, 3, 4] },
    ],
  };

  const { body } = await importText(server, 'coco', JSON.stringify(coco));

  expect(body).toMatchObject({ imported: 4, refused: 2 });
  expect(body.reasons.map(({ mark }) => mark)).toEqual(['annotation 4', 'annotation 5']);
  const marks = await listMarks(server);
  expect(marks.map(({ kind, class: key }) => [kind, key])).toEqual([
    ['box', 'lesion'],
    ['polygon', 'lesion'],
    ['polygon', 'lesion'],
    ['brush', 'lesion'],
  ]);
  expect(marks[0]).toMatchObject({
    place: { file_index: 1 },
    points: [
      [1, 2],
      [4, 6],
    ],
  });
  // Rows 2 to 4 of columns 1 and 2: both, the first, the first.
  expect(marks[3]?.slices[0]?.mask).toEqual({ left: 1, top: 2, width: 2, height: 3, runs: [0, 3, 1, 1, 1] });
});

test('a file that is not of its format is refused, and nothing changes', async () => {
  const server = await serveImages();
  const cases = [
    ['coco', '{"images": []}', 422, 'invalid_json'],
    ['geojson', '{"type": "Topology"}', 422, 'invalid_json'],
    ['json', '[]', 422, 'invalid_json'],
    ['csv', 'a,b\r\n1,2\r\n', 422, 'invalid_json'],
    ['csv', '"a', 422, 'invalid_json'],
    ['coco', '{', 422, 'invalid_json'],
    ['tiff', '{}', 400, 'invalid_query'],
  ] as const;
  for (const [format, sent, status, code] of cases) {
    expect({ format, sent, ...(await importText(server, format, sent)) }).toMatchObject({ status, body: { code } });
  }
  expect(await listMarks(server)).toEqual([]);
});

test('the export of this program is imported with its files, whatever numbers they had', async () => {
  const server = await serveImages();
  await setClasses(server);
  await post(server, { ...LINE, class: 'nodule' });
  const written = await (await server.request('/api/marks/export.json')).text();

  const reversed = await serve(...[3, 2, 1, 0].map((number) => writeSlice({ number }, { PixelSpacing: ['2', '0.5'] })));
  expect((await importText(reversed, 'json', written)).body).toMatchObject({ imported: 1, refused: 0 });
  expect(await listMarks(reversed)).toMatchObject([{ ...LINE, place: { file_index: 1 }, color: [255, 128, 1] }]);
});

test('a report has a group for each mark, with its measurements and where they were made', async () => {
  const server = await serveImages();
  const classes = [
    { key: 'c', title: 'Cyst', color: '#ff8001', type: { value: '441457006', scheme: 'SCT', meaning: 'Cyst' } },
  ];
  const headers = { 'Content-Type': 'application/json' };
  await server.request('/api/labels', { method: 'PUT', headers, body: JSON.stringify({ classes }) });
  await post(server, { ...LINE, label: 'left', uid: '2.25.4712', class: 'c' });
  const corner = [
    [1, 1],
    [5, 4],
  ];
  await post(server, { ...LINE, kind: 'ellipse', points: corner });
  await post(server, {
    kind: 'box',
    place: { type: 'stack', from: at(0), to: at(2) },
    points: [],
    slices: [{ ...at(1), points: corner }],
  });
  await post(server, { ...LINE, kind: 'arrow', text: 'here' });

  const response = await server.request('/api/marks/export?format=sr');
  expect(response.headers.get('x-marks-left-out')).toBe(
    'arrow on a frame: 1, drawn outlines of box through a stack: 1',
  );
  const report = new Uint8Array(await response.arrayBuffer());
  const slices = Array.from({ length: SLICES }, (_, number) => writeSlice({ number }, { PixelSpacing: ['2', '0.5'] }));
  const again = await serve(...slices, report);

  const { groups } = await (await again.request(`/api/file/${SLICES}/report/measurements`)).json();
  expect(groups).toHaveLength(3);
  // The length is 5 mm, see above; the area of an ellipse with half axes of 2 and 1.5 pixels of 1 mm² is 3π.
  expect(JSON.stringify(groups[0])).toMatch(/"left".*2\.25\.4712.*Cyst.*Length.*"5"/);
  expect(JSON.stringify(groups[1])).toMatch(/Area.*9\.42477796/);
  const { layers } = await (await again.request('/api/layers?file=1&frame=0')).json();
  expect(layers).toHaveLength(1);

  const slide = { kind: 'point', place: { type: 'slide', file_index: SLIDE, focal_plane_um: null }, points: [[1, 1]] };
  await post(server, slide);
  const refused = await server.request('/api/marks/export?format=sr');
  expect({ status: refused.status, body: await refused.json() }).toMatchObject({
    status: 400,
    body: { code: 'invalid_query' },
  });
  const chosen = await server.request('/api/marks/export?format=sr&study=1.2.826.0.1.3680043.8.498.71');
  expect({ status: chosen.status, leftOut: chosen.headers.get('x-marks-left-out') }).toEqual({
    status: 200,
    leftOut: null,
  });
});
