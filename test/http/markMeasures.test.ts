import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { Attributes } from '../../src/server/standard/dicom/dataSet.ts';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import * as Tag from '../../src/server/standard/dicom/tag.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import type { MarkStatisticsResponse, WireMark } from '../../src/shared/contract/marks.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';

const SLICES = 4;

/** Slices at every 2 mm, with pixels 2 mm high and 0.5 mm wide. */
function serveSlices(): Promise<TestServer> {
  return serve(
    ...Array.from({ length: SLICES }, (_, number) => writeSlice({ number }, { PixelSpacing: ['2', '0.5'] })),
  );
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

async function readStatistics(server: TestServer, id: number): Promise<MarkStatisticsResponse> {
  return (await server.request(`/api/mark/${id}/statistics`)).json();
}

function at(file_index: number) {
  return { file_index, frame_index: 0 };
}

const ON_FRAME = { type: 'frame', ...at(0) };

test('statistics have the area of the shape as drawn, and that of its pixels under another name', async () => {
  const server = await serveSlices();
  const { id } = await post(server, {
    kind: 'ellipse',
    place: ON_FRAME,
    points: [
      [1.25, 1.25],
      [5.25, 4.25],
    ],
  });

  // Half axes of 2 and 1.5 pixels of 1 mm²: 3π. Pixels count if their center is inside.
  let inside = 0;
  for (let row = 0; row < 20; row += 1) {
    for (let column = 0; column < 30; column += 1) {
      if (((column + 0.5 - 3.25) / 2) ** 2 + ((row + 0.5 - 2.75) / 1.5) ** 2 <= 1) inside += 1;
    }
  }
  expect(await readStatistics(server, id)).toMatchObject({
    count: inside,
    area_mm2: expect.closeTo(3 * Math.PI, 9),
    pixels_area_mm2: inside,
    volume_ml: null,
    pixels_volume_ml: null,
  });
  expect(inside).not.toBeCloseTo(3 * Math.PI, 1);
});

test('through a stack, statistics have the volume of the drawn shape and that of its pixels', async () => {
  const server = await serveSlices();
  const points = [
    [1.25, 1.25],
    [5.25, 4.25],
  ];
  const { id } = await post(server, {
    kind: 'ellipse',
    place: { type: 'stack', from: at(1), to: at(1) },
    points: [],
    slices: [{ ...at(1), points }],
  });

  const found = await readStatistics(server, id);

  // One image reaches half way to both of its neighbours in the stack: 2 mm.
  expect(found).toMatchObject({
    area_mm2: null,
    volume_ml: expect.closeTo((3 * Math.PI * 2) / 1_000, 12),
    pixels_volume_ml: expect.closeTo((found.count * 2) / 1_000, 12),
  });
});

type Row = Readonly<Record<string, string>>;

async function exportText(server: TestServer, format: string): Promise<string> {
  const response = await server.request(`/api/marks/export?format=${format}`);
  expect(response.status).toBe(200);
  return response.text();
}

async function exportRows(server: TestServer): Promise<readonly Row[]> {
  return parse(await exportText(server, 'csv'), { columns: true });
}

/** The numbers of a report: the meaning of the concept, the value, its unit, and what qualifies it. */
async function exportNumbers(server: TestServer) {
  const response = await server.request('/api/marks/export?format=sr');
  expect(response.status).toBe(200);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return listNumbers(readDicom(bufferSource(bytes)).dataSet);
}

type ReportedNumber = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly method?: string;
};

function meaningOf(one: Attributes | undefined, tag: number, part = Tag.CodeMeaning): string {
  return one?.items(tag)[0]?.string(part) ?? '';
}

function listNumbers(item: Attributes): readonly ReportedNumber[] {
  const content = item.items(Tag.ContentSequence);
  const own = content.flatMap((one) => {
    if (one.string(Tag.ValueType) !== 'NUM') return [];
    const [measured] = one.items(Tag.MeasuredValueSequence);
    const modifier = one.items(Tag.ContentSequence).find((child) => child.string(Tag.ValueType) === 'CODE');
    return {
      name: meaningOf(one, Tag.ConceptNameCodeSequence),
      value: measured?.number(Tag.NumericValue) ?? NaN,
      unit: meaningOf(measured, Tag.MeasurementUnitsCodeSequence, Tag.CodeValue),
      ...(modifier && { method: meaningOf(modifier, Tag.ConceptCodeSequence) }),
    };
  });
  return [...own, ...content.flatMap(listNumbers)];
}

/** Two triangles with a base of 8 and a height of 5 pixels. */
const BOW_TIE = {
  kind: 'polygon',
  place: ON_FRAME,
  points: [
    [2, 2],
    [10, 12],
    [10, 2],
    [2, 12],
  ],
};

test('a polygon that crosses itself has the area by the even-odd rule in every format', async () => {
  const server = await serveSlices();
  const { id } = await post(server, BOW_TIE);

  // 2 · (10 · 4) / 2 pixels of 1 mm².
  expect(await readStatistics(server, id)).toMatchObject({ area_mm2: 40 });
  expect(await exportRows(server)).toMatchObject([{ area_px: '40', area_mm2: '40' }]);
  expect(JSON.parse(await exportText(server, 'coco')).annotations).toMatchObject([{ area: 40 }]);
  expect(await exportNumbers(server)).toEqual([{ name: 'Area', value: 40, unit: 'mm2' }]);
  const { features } = JSON.parse(await exportText(server, 'geojson'));
  expect(features[0].geometry).toMatchObject({ type: 'MultiPolygon', coordinates: [[{ length: 4 }], [{ length: 4 }]] });
});

/** 400 lines from side to side, of which nearly each pair crosses: about 80,000 crossings. */
function writeTangle(): number[][] {
  return Array.from({ length: 400 }, (_, n) => [n % 2 === 0 ? 1 : 19, 1 + ((n * 7_919) % 10_007) / 600]);
}

test('a polygon that crosses itself very often has no area, and every format says so', async () => {
  const server = await serveSlices();
  const points = writeTangle();
  const { id } = await post(server, { ...BOW_TIE, points });
  const caveat = 'No area: the outline crosses itself more than 10,000 times or is beside itself too often';

  expect(await readStatistics(server, id)).toMatchObject({ area_mm2: null, caveats: [caveat] });
  expect(await exportRows(server)).toMatchObject([{ area_px: '', area_mm2: '', caveat }]);
  expect(JSON.parse(await exportText(server, 'coco')).annotations).toMatchObject([{ area: null }]);
  expect(await exportNumbers(server)).toEqual([{ name: 'Area', value: NaN, unit: '' }]);
  // A ring of a polygon may not cross itself.
  const { features } = JSON.parse(await exportText(server, 'geojson'));
  expect(features[0].geometry).toEqual({ type: 'LineString', coordinates: [...points, points[0]] });
  const report = await server.request('/api/marks/export?format=sr');
  expect(Buffer.from(await report.arrayBuffer()).toString('latin1')).toContain(caveat);
});

test.each([
  ['', BOW_TIE.points],
  ['very often ', writeTangle()],
])('a polygon that crosses itself %sreturns from GeoJSON as it was drawn', async (_, points) => {
  const server = await serveSlices();
  await post(server, { ...BOW_TIE, points });
  const text = await exportText(server, 'geojson');
  await server.request('/api/mark/1', { method: 'DELETE' });

  const headers = { 'Content-Type': 'application/json' };
  const response = await server.request('/api/marks/import?format=geojson', { method: 'POST', headers, body: text });

  expect(await response.json()).toMatchObject({ refused: 0, left_out: [] });
  const { marks } = await (await server.request('/api/marks')).json();
  expect(marks).toMatchObject([{ kind: 'polygon', points }]);
});

const LINE = {
  kind: 'length',
  place: ON_FRAME,
  points: [
    [1, 2],
    [9, 8],
  ],
};
const ANGLE = {
  kind: 'angle',
  place: ON_FRAME,
  points: [
    [9, 2],
    [1, 2],
    [9, 10],
  ],
};

/** One image without a size of its own in the patient. */
function writeFlat(more: DataSetInput): Uint8Array {
  const none = { PixelSpacing: [], ImagePositionPatient: [], ImageOrientationPatient: [], FrameOfReferenceUID: '' };
  return writeSlice({ number: 0 }, { ...none, ...more });
}

test('lengths in a region of an ultrasound image are in millimetres in CSV and report, and outside in pixels', async () => {
  const region = {
    RegionSpatialFormat: 1,
    RegionDataType: 1,
    RegionFlags: 0,
    RegionLocationMinX0: 0,
    RegionLocationMinY0: 0,
    RegionLocationMaxX1: 14,
    RegionLocationMaxY1: 19,
    PhysicalUnitsXDirection: 3,
    PhysicalUnitsYDirection: 3,
    PhysicalDeltaX: 0.05,
    PhysicalDeltaY: 0.1,
  };
  const server = await serve(writeFlat({ Modality: 'US', SequenceOfUltrasoundRegions: [region] }));
  await post(server, LINE);
  await post(server, {
    ...LINE,
    points: [
      [20, 2],
      [28, 8],
    ],
  });
  await post(server, ANGLE);

  // 8 columns of 0.5 mm and 6 rows of 1 mm; 8 columns and 6 rows; and 4 by 8 mm.
  const inside = Math.hypot(4, 6);
  const degrees = (Math.atan2(8, 4) * 180) / Math.PI;
  expect(await exportRows(server)).toMatchObject([
    { length_mm: String(inside), length_px: '10', spacing_source: 'ultrasound_region' },
    { length_mm: '', length_px: '10', spacing_source: '' },
    { angle_degrees: expect.stringMatching(new RegExp(`^${String(degrees).slice(0, 10)}`)) },
  ]);
  expect(await exportNumbers(server)).toEqual([
    { name: 'Length', value: expect.closeTo(inside, 9), unit: 'mm' },
    { name: 'Length', value: 10, unit: '{pixels}' },
    { name: 'Angle', value: expect.closeTo(degrees, 9), unit: 'deg' },
  ]);
});

function doppler(left: number, more: DataSetInput): DataSetInput {
  return {
    RegionSpatialFormat: 3,
    RegionDataType: 1,
    RegionFlags: 0,
    RegionLocationMinX0: left,
    RegionLocationMinY0: 0,
    RegionLocationMaxX1: left + 9,
    RegionLocationMaxY1: 19,
    PhysicalUnitsXDirection: 4,
    PhysicalDeltaX: 0.01,
    ...more,
  };
}

function lineFrom(left: number) {
  return {
    ...LINE,
    points: [
      [left + 1, 2],
      [left + 5, 12],
    ],
  };
}

test('lines in Doppler and M-mode have times, velocities and distances, and a traced velocity has its integral', async () => {
  const regions = [
    // 10 ms a column; -2.5 cm/s a row, because velocities grow upwards.
    doppler(0, { PhysicalUnitsYDirection: 7, PhysicalDeltaY: -2.5 }),
    doppler(10, { PhysicalUnitsYDirection: 3, PhysicalDeltaY: 0.05 }),
    // An electrocardiogram: time across, and nothing down.
    doppler(20, { PhysicalUnitsYDirection: 0, PhysicalDeltaY: 0 }),
  ];
  const server = await serve(writeFlat({ Modality: 'US', SequenceOfUltrasoundRegions: regions }));
  for (const left of [0, 10, 20]) await post(server, lineFrom(left));
  const triangle = [
    [1, 15],
    [5, 3],
    [9, 15],
  ];
  await post(server, { ...lineFrom(0), kind: 'polygon', points: triangle });
  await post(server, { ...ANGLE, points: triangle });

  const none = { length_mm: '', time_s: '', velocity_cm_s: '', distance_mm: '', velocity_time_integral_cm: '' };
  const source = { spacing_source: 'ultrasound_region' };
  // 4 columns and 10 rows: 40 ms, 25 cm/s and 5 mm. The triangle: half of 8 columns and 12 rows, 80 ms and 30 cm/s.
  expect(await exportRows(server)).toMatchObject([
    { ...none, ...source, time_s: '0.04', velocity_cm_s: '25' },
    { ...none, ...source, time_s: '0.04', distance_mm: '5' },
    { ...none, ...source, time_s: '0.04' },
    {
      ...none,
      ...source,
      velocity_time_integral_cm: expect.stringMatching(/^1\.2(0{9,})?/),
      area_mm2: '',
      area_px: '48',
    },
    { ...none, angle_degrees: '' },
  ]);
  expect(await exportNumbers(server)).toEqual([
    { name: 'Time', value: 0.04, unit: 's' },
    { name: 'Velocity difference', value: 25, unit: 'cm/s' },
    { name: 'Time', value: 0.04, unit: 's' },
    { name: 'Distance along one axis', value: 5, unit: 'mm' },
    { name: 'Time', value: 0.04, unit: 's' },
    { name: 'Velocity Time Integral', value: expect.closeTo(1.2, 9), unit: 'cm' },
  ]);
});

test('a length at the detector says so in the report', async () => {
  const server = await serve(writeFlat({ Modality: 'DX', ImagerPixelSpacing: ['0.5', '0.5'] }));
  await post(server, LINE);

  expect(await exportRows(server)).toMatchObject([{ length_mm: '5', spacing_source: 'imager' }]);
  expect(await exportNumbers(server)).toEqual([
    { name: 'Length', value: 5, unit: 'mm', method: 'Imager Pixel Spacing, at the detector' },
  ]);
});

test('a length on a scanned film, in the image plane of an RT Image and on an endoscopic picture', async () => {
  const server = await serve(
    writeFlat({ Modality: 'CR', NominalScannedPixelSpacing: ['0.5', '0.5'] }),
    writeFlat({ Modality: 'RTIMAGE', SOPInstanceUID: '2.25.91', ImagePlanePixelSpacing: ['0.4', '0.4'] }),
    writeFlat({ Modality: 'ES', SOPInstanceUID: '2.25.92' }),
    writeFlat({
      Modality: 'MG',
      SOPInstanceUID: '2.25.93',
      ImagerPixelSpacing: ['0.9', '0.9'],
      EstimatedRadiographicMagnificationFactor: '1.8',
    }),
  );
  for (const index of [0, 1, 2, 3]) await post(server, { ...LINE, place: { type: 'frame', ...at(index) } });

  // A line of 10 pixels.
  expect(await exportRows(server)).toMatchObject([
    { length_mm: '5', spacing_source: 'nominal' },
    { length_mm: '4', spacing_source: 'image_plane' },
    { length_mm: '', length_px: '10', spacing_source: '' },
    { length_mm: '5', spacing_source: 'magnification' },
  ]);
  expect(await exportNumbers(server)).toMatchObject([
    { value: 5, unit: 'mm', method: 'Nominal Scanned Pixel Spacing' },
    { value: 4, unit: 'mm', method: 'Image Plane Pixel Spacing of an RT Image' },
    { value: 10, unit: '{pixels}' },
    { value: 5, unit: 'mm', method: expect.stringMatching(/^Imager Pixel Spacing divided by the estimated/) },
  ]);
});

test('a length on a plane of a volume is that of the plane, and projected in a slab', async () => {
  const server = await serveSlices();
  for (const slab_mm of [0, 4]) {
    const plane = {
      type: 'plane',
      ...at(0),
      frame_of_reference_uid: server.catalog.get(0).frameOfReferenceUid,
      position: [0, 0, 3],
      orientation: [1, 0, 0, 0, 0, 1],
      spacing: [2, 0.5],
      slab_mm,
      time: 0,
    };
    await post(server, { ...LINE, place: plane });
  }

  const numbers = await exportNumbers(server);
  const [row] = await exportRows(server);
  // The line runs 8 columns of 0.5 mm and 6 rows of 2 mm.
  expect(row).toMatchObject({ length_mm: String(Math.hypot(4, 12)), spacing_source: 'pixel_spacing' });
  expect(numbers).toEqual([
    { name: 'Length', value: expect.closeTo(Math.hypot(4, 12), 9), unit: 'mm' },
    { name: 'Length', value: expect.closeTo(Math.hypot(4, 12), 9), unit: 'mm', method: 'Projected' },
  ]);
});

test('an angle needs only the aspect ratio of the pixels', async () => {
  const server = await serve(writeFlat({ PixelAspectRatio: ['2', '1'] }));
  await post(server, ANGLE);
  await post(server, LINE);

  // 8 columns across and 8 rows down, each twice as high as wide.
  const degrees = (Math.atan2(16, 8) * 180) / Math.PI;
  const rows = await exportRows(server);
  expect(Number(rows[0]?.['angle_degrees'])).toBeCloseTo(degrees, 9);
  expect(rows[1]).toMatchObject({ length_mm: '', length_px: '10' });
  expect(await exportNumbers(server)).toEqual([
    { name: 'Angle', value: expect.closeTo(degrees, 9), unit: 'deg' },
    { name: 'Length', value: 10, unit: '{pixels}' },
  ]);
});

test.for([
  ['Study Instance UID', '100'],
  ['Series Instance UID', '101.1'],
  ['SOP Instance UID', '1.1'],
] as const)(
  'a report or a segmentation that would name an invalid %s is refused with that UID',
  async ([what, ending]) => {
    const wrong = '999.999.01.2.3';
    const slices = [0, 1].map((number) => writeSlice({ number }));
    const server = await serve(
      ...slices.map((bytes) => replaceUid(bytes, `1.2.826.0.1.3680043.10.67.${ending}`, wrong)),
    );
    await post(server, { ...LINE, kind: 'box' });

    for (const path of ['marks/export?format=sr', 'file/0/volume/marks?format=seg']) {
      const response = await server.request(`/api/${path}`);
      expect({ status: response.status, body: await response.json() }).toMatchObject({
        status: 422,
        body: { code: 'malformed_content', error: expect.stringMatching(new RegExp(`${what} "${wrong}"`)) },
      });
    }
  },
);

/** `writeDicom` refuses to write such a UID. The other has as many bytes. */
function replaceUid(bytes: Uint8Array, uid: string, other: string): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const padded = other.padEnd(uid.length + (uid.length % 2), '\0');
  return Buffer.from(text.replaceAll(uid.padEnd(padded.length, '\0'), padded), 'latin1');
}
