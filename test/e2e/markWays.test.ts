import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import {
  MARK_KINDS,
  type MarkKind,
  type MarkPlaceType,
  type MarkStatisticsResponse,
} from '../../src/shared/contract/marks.ts';
import { traitsOf } from '../../src/shared/markTraits.ts';
import type { Attributes } from '../../src/server/standard/dicom/dataSet.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import * as Tag from '../../src/server/standard/dicom/tag.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import { needs } from '../support/needs.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { placeLevel, slideElements } from '../support/slideElements.ts';
import { openViewer } from '../support/viewerPage.ts';

const STUDY = '1.2.826.0.1.3680043.10.67.100';
const FRAME_OF_REFERENCE = '1.2.826.0.1.3680043.10.67.102';
const SLICES = 4;

const NO_SIZE = { PixelSpacing: [], ImagePositionPatient: [], ImageOrientationPatient: [], FrameOfReferenceUID: '' };
const REGION = {
  RegionLocationMinX0: 0,
  RegionLocationMinY0: 0,
  RegionLocationMaxX1: SLICE_COLUMNS - 1,
  RegionLocationMaxY1: SLICE_ROWS - 1,
  PhysicalUnitsXDirection: 3,
  PhysicalUnitsYDirection: 3,
  PhysicalDeltaX: 0.03,
  PhysicalDeltaY: 0.07,
};

/** A stack of which pixels are 2 mm high and 0.5 mm wide, and images that declare the size of their pixels in other ways. */
const FILES = {
  ...Object.fromEntries(
    Array.from({ length: SLICES }, (_, number) => [
      `slice${number}`,
      writeSlice({ number }, { PixelSpacing: ['2', '0.5'] }),
    ]),
  ),
  detector: writeSlice({ number: 0, series: 2 }, { ...NO_SIZE, Modality: 'DX', ImagerPixelSpacing: ['0.2', '0.3'] }),
  ultrasound: writeSlice(
    { number: 0, series: 3 },
    { ...NO_SIZE, Modality: 'US', SequenceOfUltrasoundRegions: [REGION] },
  ),
  film: writeSlice(
    { number: 0, series: 4 },
    { ...NO_SIZE, Modality: 'OT', NominalScannedPixelSpacing: ['0.4', '0.1'] },
  ),
  unknown: writeSlice({ number: 0, series: 5 }, { ...NO_SIZE, Modality: 'OT', PixelAspectRatio: ['3', '2'] }),
  slide: writeDicom(slideElements({ StudyInstanceUID: STUDY, ...placeLevel(1, 1, '0.002') })),
};
const NAMES = Object.keys(FILES);
const fileOf = (name: string) => ({ file_index: NAMES.indexOf(name), frame_index: 0 });

/** Of kinds with more points than two, an outline that crosses itself, and lines that are not at right angles. */
const POINTS = [
  [3.2, 4.1],
  [12.7, 11.3],
  [12.4, 4.6],
  [3.9, 10.8],
];
const MASK = { left: 3, top: 4, width: 4, height: 3, runs: [1, 6, 2, 3] };
const IN_PATIENT = { frame_of_reference_uid: FRAME_OF_REFERENCE, orientation: [1, 0, 0, 0, 1, 0] };

/** Where each type of place is tried. */
const PLACES: Readonly<Record<MarkPlaceType, readonly object[]>> = {
  frame: ['slice1', 'detector', 'ultrasound', 'film', 'unknown'].map((name) => ({ type: 'frame', ...fileOf(name) })),
  stack: [
    { type: 'stack', from: fileOf('slice0'), to: fileOf('slice2') },
    { type: 'stack', from: fileOf('slice1'), to: fileOf('slice1') },
  ],
  plane: [0, 5].map((slab_mm) => ({
    type: 'plane',
    ...fileOf('slice0'),
    ...IN_PATIENT,
    position: [0, 0, 2],
    spacing: [1.5, 0.7],
    slab_mm,
    time: 0,
  })),
  volume: [{ type: 'volume', ...fileOf('slice0'), ...IN_PATIENT, position: [1, 6, -1], size: [3, 8, 4] }],
  slide: [{ type: 'slide', file_index: NAMES.indexOf('slide'), focal_plane_um: null }],
};

/** A mark of every kind at every place that the kind can be at. A new kind joins by its rule. */
function listBodies() {
  return MARK_KINDS.flatMap((kind) => {
    const {
      points: [fewest, most],
      places,
    } = traitsOf(kind);
    const own = POINTS.slice(0, Math.min(most, Math.max(fewest, POINTS.length)));
    return places.flatMap((type) =>
      PLACES[type].map((place) => {
        const isDrawn = type !== 'stack' && type !== 'volume' && kind !== 'brush';
        const file = kind === 'brush' && type === 'slide' ? { ...fileOf('slide') } : fileOf('slice1');
        const slice = kind === 'brush' ? { ...file, points: [], mask: MASK } : { ...file, points: own };
        return {
          kind,
          place: kind === 'brush' && type === 'slide' ? { ...place, mask_step: 1 } : place,
          points: isDrawn ? own : [],
          slices: type === 'stack' || kind === 'brush' ? [slice] : [],
        };
      }),
    );
  }).map((body, n) => ({ ...body, label: `m${String(n).padStart(3, '0')};` }));
}

type Body = ReturnType<typeof listBodies>[number];
type Made = Body & { readonly id: number; readonly uid: string };
/** A quantity with its unit, such as `area mm²`, and its value. */
type Numbers = ReadonlyMap<string, number>;

function toNumbers(entries: readonly (readonly [string, number | string | null | undefined])[]): Numbers {
  return new Map(
    entries.flatMap(([name, value]) =>
      value === null || value === undefined || value === '' ? [] : [[name, Number(value)] as const],
    ),
  );
}

async function makeMarks(server: TestServer): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (const body of listBodies()) {
    const response = await server.request('/api/marks', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    expect({ status: response.status, answer, body }).toMatchObject({ status: 200 });
    made.push({ ...body, id: answer.id, uid: answer.uid });
  }
  return made;
}

/** What one way says of each mark that it has, by its label. */
type Way = (server: TestServer, marks: readonly Made[]) => Promise<ReadonlyMap<string, Numbers>>;

const readApi: Way = async (server, marks) => {
  const found = new Map<string, Numbers>();
  for (const { id, label } of marks) {
    const response = await server.request(`/api/mark/${id}/statistics`);
    if (response.status !== 200) continue;
    const told: MarkStatisticsResponse = await response.json();
    found.set(
      label,
      toNumbers([
        ['area mm²', told.area_mm2],
        ['volume ml', told.volume_ml],
        ...(['mean', 'min', 'max'] as const).map((name) => [`${name} ${told.unit}`, told[name]] as const),
        ...(told.mean === null ? [] : [['count', told.count] as const]),
        ['pixels', told.count + told.without_value],
        ['pixels volume ml', told.pixels_volume_ml],
      ]),
    );
  }
  return found;
};

/** The quantities of a row of the CSV of marks, as texts or as numbers. */
function numbersOfRow(row: Readonly<Record<string, string | number | null>>): Numbers {
  return toNumbers([
    ['length mm', row['length_mm']],
    ['length px', row['length_px']],
    ['short axis mm', row['short_axis_mm']],
    ['short axis px', row['short_axis_px']],
    ['angle °', row['angle_degrees']],
    // Of a mark through a stack, a row has the area of one slice.
    ...(row['place'] === 'stack'
      ? []
      : [['area mm²', row['area_mm2']] as const, ['area px²', row['area_px']] as const]),
    ['volume ml', row['volume_ml']],
  ]);
}

const readCsv: Way = async (server) => {
  const text = await (await server.request('/api/marks/export?format=csv')).text();
  const rows: Record<string, string>[] = parse(text, { columns: true });
  return new Map(rows.map((row) => [row['label'] ?? '', numbersOfRow(row)]));
};

const PYTHON = `
import json, sys
from negato._http import Client
from negato._viewer import Viewer
viewer = Viewer.__new__(Viewer)
viewer._client = Client(sys.argv[1], None, lambda: None)
table = viewer.marks()
print(json.dumps(table.to_dict("records") if hasattr(table, "to_dict") else table))
`;

const readPython: Way = async ({ baseUrl }) => {
  const cwd = fileURLToPath(new URL('../../python', import.meta.url));
  const { stdout } = await promisify(execFile)(process.env['PYTHON'] ?? 'python3', ['-c', PYTHON, baseUrl], {
    cwd,
  });
  const rows: Record<string, string | number | null>[] = JSON.parse(stdout);
  return new Map(rows.map((row) => [String(row['label']), numbersOfRow(row)]));
};

const REPORTED: Readonly<Record<string, string>> = {
  Length: 'length',
  'Long axis': 'length',
  'Short axis': 'short axis',
  Angle: 'angle',
  'Cobb angle': 'angle',
  Area: 'area',
  Volume: 'volume',
};
const UCUM: Readonly<Record<string, string>> = {
  mm: 'mm',
  mm2: 'mm²',
  ml: 'ml',
  deg: '°',
  '{pixels}': 'px',
  '{square_pixels}': 'px²',
};

function codeOf(item: Attributes | undefined, sequence: number, part: number): string {
  return item?.items(sequence)[0]?.string(part) ?? '';
}

const readReport: Way = async (server) => {
  const response = await server.request('/api/marks/export?format=sr');
  expect(response.status).toBe(200);
  const found = new Map<string, Numbers>();
  const visit = (item: Attributes) => {
    const content = item.items(Tag.ContentSequence);
    const label = content.find((one) => codeOf(one, Tag.ConceptNameCodeSequence, Tag.CodeValue) === '112039');
    const numbers = content.filter((one) => one.string(Tag.ValueType) === 'NUM');
    if (label !== undefined) {
      found.set(
        label.string(Tag.TextValue) ?? '',
        toNumbers(
          numbers.map((one) => {
            const [measured] = one.items(Tag.MeasuredValueSequence);
            const name = REPORTED[codeOf(one, Tag.ConceptNameCodeSequence, Tag.CodeMeaning)] ?? 'unknown';
            const unit = UCUM[codeOf(measured, Tag.MeasurementUnitsCodeSequence, Tag.CodeValue)] ?? 'unknown';
            return [`${name} ${unit}`, measured?.number(Tag.NumericValue)] as const;
          }),
        ),
      );
    }
    for (const one of content) visit(one);
  };
  visit(readDicom(bufferSource(new Uint8Array(await response.arrayBuffer()))).dataSet);
  return found;
};

const readCoco: Way = async (server) => {
  const { annotations } = JSON.parse(await (await server.request('/api/marks/export?format=coco')).text());
  const found = new Map<string, Numbers>();
  for (const { area, attributes } of annotations) {
    if (attributes.stack === undefined) found.set(attributes.label, toNumbers([['area px²', area]]));
  }
  return found;
};

type Ring = readonly (readonly [number, number])[];

function ringArea(ring: Ring): number {
  return Math.abs(ring.slice(1).reduce((sum, [x, y], n) => sum + ring[n]![0] * y - x * ring[n]![1], 0)) / 2;
}

function lineLength(line: Ring): number {
  return line.slice(1).reduce((sum, [x, y], n) => sum + Math.hypot(x - line[n]![0], y - line[n]![1]), 0);
}

const readGeoJson: Way = async (server) => {
  const { features } = JSON.parse(await (await server.request('/api/marks/export?format=geojson')).text());
  const found = new Map<string, Numbers>();
  for (const { geometry, properties } of features) {
    const { type, coordinates, isEllipse } = geometry;
    const polygons: Ring[][] = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : [];
    const area = polygons.reduce(
      (sum, [outer = [], ...holes]) => sum + ringArea(outer) - holes.reduce((own, hole) => own + ringArea(hole), 0),
      0,
    );
    const isLine = properties.negato.kind === 'length' || properties.negato.kind === 'freehand';
    found.set(
      properties.name,
      toNumbers([
        // The corners of an ellipse are on it, so that it is larger than its 96-gon by this factor.
        ['area px²', polygons.length === 0 ? null : area * (isEllipse ? Math.PI / 48 / Math.sin(Math.PI / 48) : 1)],
        ['length px', isLine ? lineLength(coordinates) : null],
      ]),
    );
  }
  return found;
};

type LabelVolume = { readonly pixels: number; readonly voxelMm3: number };

/** How a label volume is read without our code for it. */
const LABEL_VOLUMES: Readonly<Record<'nii' | 'nrrd' | 'seg', (bytes: Buffer) => LabelVolume>> = {
  nii(bytes) {
    // pixdim, from its second number on.
    const voxelMm3 = bytes.readFloatLE(80) * bytes.readFloatLE(84) * bytes.readFloatLE(88);
    return { pixels: countSet(bytes.subarray(bytes.readFloatLE(108))), voxelMm3 };
  },
  nrrd(bytes) {
    const start = bytes.indexOf('\n\n') + 2;
    const header = bytes.subarray(0, start).toString();
    const directions = [...header.matchAll(/\(([^)]*)\)/g)]
      .slice(0, 3)
      .map(([, text = '']) => text.split(',').map(Number));
    const data = bytes.subarray(start);
    return {
      pixels: countSet(header.includes('encoding: gzip') ? gunzipSync(data) : data),
      voxelMm3: directions.reduce((product, vector) => product * Math.hypot(...vector), 1),
    };
  },
  seg(bytes) {
    const { dataSet } = readDicom(bufferSource(new Uint8Array(bytes)));
    const [measures] = dataSet.items(Tag.SharedFunctionalGroupsSequence)[0]!.items(Tag.PixelMeasuresSequence);
    const [down = NaN, across = NaN] = measures!.numbers(Tag.PixelSpacing, 2);
    const depth = measures!.number(Tag.SpacingBetweenSlices) ?? NaN;
    // A bit for each pixel; those that fill the last byte are 0.
    const bits = dataSet.bytes(Tag.PixelData, bytes.length) ?? new Uint8Array();
    const pixels = bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
    return { pixels, voxelMm3: down * across * depth };
  },
};

function countSet(samples: Uint8Array): number {
  return samples.reduce((sum, value) => sum + (value === 0 ? 0 : 1), 0);
}

/** One label volume for each mark on the stack, because marks lie on each other. */
function readLabelVolumes(format: keyof typeof LABEL_VOLUMES): Way {
  return async (server, marks) => {
    const found = new Map<string, Numbers>();
    for (const { kind, place, label } of marks) {
      const isArea: readonly MarkKind[] = ['box', 'ellipse', 'polygon', 'brush'];
      const isInStack = JSON.stringify(place).includes(`"file_index":${NAMES.indexOf('slice1')}`) || 'size' in place;
      if (!isArea.includes(kind) || !isInStack) continue;
      const path = `/api/file/0/volume/marks?format=${format}&text=${encodeURIComponent(label)}`;
      const response = await server.request(path);
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      const { pixels, voxelMm3 } = LABEL_VOLUMES[format](Buffer.from(await response.arrayBuffer()));
      const isOne = 'type' in place && place.type === 'frame';
      found.set(
        label,
        toNumbers([
          ['pixels', pixels],
          ['pixels volume ml', isOne ? null : (pixels * voxelMm3) / 1_000],
        ]),
      );
    }
    return found;
  };
}

/** The CSV that the page saves, in which numbers are not rounded. */
const readPage: Way = async (server, marks) => {
  const { page, complaints } = await openViewer(server);
  await page.keyboard.press('Shift+M');
  const panel = page.getByRole('region', { name: 'Marks', exact: true });
  const list = panel.locator('div:has(> div > ul)');
  const listed = marks.filter(({ kind }) => kind !== 'brush').length;
  // Only the rows in view are drawn, but the numbers of all are learned.
  const complete = new Set<string>();
  const readOn = async () => {
    const rows = await list.evaluate((element) => {
      const drawn = [...element.querySelectorAll('li')].map((row) => ({
        uid: row.querySelector('[data-row]')?.getAttribute('data-row') ?? '',
        text: row.textContent,
      }));
      const isEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 1;
      element.scrollTop = isEnd ? 0 : element.scrollTop + element.clientHeight;
      return drawn;
    });
    for (const { uid, text } of rows) if (!text.includes('…')) complete.add(uid);
    return complete.size;
  };
  await expect.poll(readOn, { timeout: 60_000 }).toBeGreaterThanOrEqual(listed);
  const downloading = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'Save marks' }).click();
  await page.getByRole('menuitem', { name: /^Values/ }).click();
  const csv = await readFile(await (await downloading).path(), 'utf8');
  const found = new Map<string, Numbers>();
  const table: Record<string, string>[] = parse(csv, { columns: true });
  for (const row of table) {
    const unit = row['size_unit'] ?? '';
    const areaUnit = unit.endsWith('²') ? unit : `${unit}²`;
    const isStack = row['frame_number'] === '' && row['plane'] === '' && row['volume_ml'] !== '';
    found.set(
      row['label'] ?? '',
      toNumbers([
        [`length ${unit}`, row['length']],
        [`short axis ${unit}`, row['short_axis']],
        ['angle °', row['angle_degrees']],
        [`area ${areaUnit}`, isStack ? null : row['area']],
        ['volume ml', row['volume_ml']],
        [`mean ${row['value_unit']}`, row['mean']],
        [`min ${row['value_unit']}`, row['min']],
        [`max ${row['value_unit']}`, row['max']],
        ['count', row['pixel_count']],
      ]),
    );
  }
  expect(complaints).toEqual([]);
  return found;
};

const WAYS: Readonly<Record<string, Way>> = {
  page: readPage,
  api: readApi,
  csv: readCsv,
  report: readReport,
  coco: readCoco,
  geojson: readGeoJson,
  nifti: readLabelVolumes('nii'),
  nrrd: readLabelVolumes('nrrd'),
  segmentation: readLabelVolumes('seg'),
};

const SIZES = /^(length|short axis|angle|area|volume) /;

test('every quantity of every kind of mark is the same number with the same unit in every way', async () => {
  const server = await serve(...Object.values(FILES));
  const marks = await makeMarks(server);
  expect(marks.length).toBeGreaterThanOrEqual(30);
  const told = new Map<string, ReadonlyMap<string, Numbers>>();
  for (const [name, read] of Object.entries(WAYS)) told.set(name, await read(server, marks));

  const differences: string[] = [];
  let compared = 0;
  for (const { kind, place, label } of marks) {
    const what = `${kind} ${JSON.stringify(place)}`;
    const known = new Map<string, readonly [way: string, value: number]>();
    for (const [way, found] of told) {
      for (const [quantity, value] of found.get(label) ?? []) {
        const before = known.get(quantity);
        if (before === undefined) known.set(quantity, [way, value]);
        else if (Math.abs(before[1] - value) <= 1e-6 * Math.max(1e-3, Math.abs(value))) compared += 1;
        else differences.push(`${what}: ${quantity} is ${before[1]} in ${before[0]} and ${value} in ${way}`);
      }
    }
    // What the page shows is in the CSV and, if it holds the mark at all, in the report, in the same unit.
    for (const quantity of told.get('page')?.get(label)?.keys() ?? []) {
      if (!SIZES.test(quantity)) continue;
      for (const way of ['csv', 'report']) {
        const own = told.get(way)?.get(label);
        if (way === 'report' && own === undefined) continue;
        if (own?.has(quantity) !== true) differences.push(`${what}: ${way} has no ${quantity}`);
      }
    }
  }
  expect(differences).toEqual([]);
  // Every way was compared with another one, many times.
  expect(compared).toBeGreaterThan(3 * marks.length);
  for (const found of told.values()) expect(found.size).toBeGreaterThan(0);
}, 300_000);

test('Python has the numbers of the CSV', needs('Python 3.9 with pytest'), async () => {
  const server = await serve(...Object.values(FILES));
  const marks = await makeMarks(server);
  expect(await readPython(server, marks)).toEqual(await readCsv(server, marks));
});
