import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { AttachmentsResponse } from '../../src/shared/contract/attachments.ts';
import type { LayerResponse } from '../../src/shared/contract/layerAnswers.ts';
import type { MarkStatisticsResponse } from '../../src/shared/contract/marks.ts';
import type { ValueMappingResponse } from '../../src/shared/contract/valueMapping.ts';
import type { VolumeResponse, VolumeValueResponse } from '../../src/shared/contract/volumes.ts';
import { decodeField, valueOfField } from '../../src/shared/fieldPacket.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { formatValue } from '../../src/web/kit/ui/formatNumbers.ts';
import { writeNifti, writeNpy, writeNrrd } from '../support/arrayFiles.ts';
import {
  CT_ORIGIN,
  CT_SIZE,
  CT_SPACING_MM,
  CT_STEP_MM,
  PET_SIZE,
  writeCt,
  writeDose,
  writePet,
} from '../support/fieldFiles.ts';
import { needs } from '../support/needs.ts';
import { digits, FRAME_OF_REFERENCE } from '../support/placedElements.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { openViewer, projectionOf } from '../support/viewerPage.ts';

const { rows, columns, slices } = CT_SIZE;
/** In all volumes the center of a sample: pixel (34, 18) of slice 4 of the CT. */
const POINT = [3, -9, -6] as const;
const ON_CT = { slice: 4, column: 34, row: 18 };

/** The doses are moved by 1 mm, so that their rows are among those of the CT. */
const DOSE_PLACE = { ImagePositionPatient: digits([-30, -36, -18]) };
const DOSE_STORED = 16_123;
const DOSE_SIZE = { rows: 20, columns: 24, planes: 14 };

function doseSamples(): Uint16Array {
  // Something else beside the sample, so that a wrong place is noticed.
  const samples = Uint16Array.from(
    { length: DOSE_SIZE.rows * DOSE_SIZE.columns * DOSE_SIZE.planes },
    (_, i) => i % 997,
  );
  samples[(4 * DOSE_SIZE.rows + 9) * DOSE_SIZE.columns + 11] = DOSE_STORED;
  return samples;
}

function doseOf(uid: string, name: string, different: DataSetInput): Uint8Array {
  return writeDose({
    uid,
    different: { ...DOSE_PLACE, PixelData: doseSamples(), SeriesDescription: name, ...different },
  });
}

/** A map on the grid of the CT: 0.25 for each stored 0.5, and 10 more. */
function writeMap(): Uint8Array {
  const units = { CodeValue: 'mm2/s', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'square millimeters per second' };
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.30',
    SOPInstanceUID: '2.25.790',
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: '2.25.790.1',
    SeriesDescription: 'ADC',
    FrameOfReferenceUID: FRAME_OF_REFERENCE,
    Modality: 'MR',
    NumberOfFrames: slices,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: rows,
    Columns: columns,
    BitsAllocated: 32,
    SharedFunctionalGroupsSequence: [
      {
        PlaneOrientationSequence: [{ ImageOrientationPatient: digits([1, 0, 0, 0, 1, 0]) }],
        PixelMeasuresSequence: [{ PixelSpacing: digits([CT_SPACING_MM, CT_SPACING_MM]) }],
        RealWorldValueMappingSequence: [
          {
            LUTLabel: 'ADC',
            DoubleFloatRealWorldValueFirstValueMapped: 0,
            DoubleFloatRealWorldValueLastValueMapped: 1e6,
            RealWorldValueSlope: 0.5,
            RealWorldValueIntercept: 10,
            MeasurementUnitsCodeSequence: [units],
          },
        ],
      },
    ],
    PerFrameFunctionalGroupsSequence: Array.from({ length: slices }, (_, slice) => ({
      PlanePositionSequence: [
        { ImagePositionPatient: digits([CT_ORIGIN[0], CT_ORIGIN[1], CT_ORIGIN[2] + slice * CT_STEP_MM]) },
      ],
    })),
    FloatPixelData: onCtGrid(123.5),
  });
}

/** One value at the point, and others around it. */
function onCtGrid(value: number): Float32Array {
  const samples = Float32Array.from({ length: slices * rows * columns }, (_, i) => i % 89);
  samples[(ON_CT.slice * rows + ON_CT.row) * columns + ON_CT.column] = value;
  return samples;
}

type Told = { readonly value: number; readonly unit: string };

/** What lies at the point in each object: by arithmetic, from what was written. */
type Valued = Told & {
  readonly name: string;
  /** SOP Instance UID of the first file and of the file with the point. */
  readonly first: string;
  readonly uid: string;
  /** The place of the point in the stack, and in its frame. */
  readonly frame: number;
  readonly position: number;
  readonly column: number;
  readonly row: number;
  readonly size: { readonly rows: number; readonly columns: number; readonly places: number };
  readonly stored: number;
};

const IN_DOSE = { frame: 4, position: 4, column: 11, row: 9, stored: DOSE_STORED, size: { ...DOSE_SIZE, places: 14 } };
const GRAY = DOSE_STORED * 0.002;
/** Slice 3 of the PET, whose slope is 1.3. */
const PET_STORED = Math.round(20_000 / 1.3);

const OBJECTS: readonly Valued[] = [
  {
    name: 'CT',
    first: '2.25.710',
    uid: '2.25.714',
    frame: 0,
    position: 4,
    column: 34,
    row: 18,
    size: { rows, columns, places: slices },
    stored: 1034,
    value: 34,
    unit: 'HU',
  },
  {
    name: 'PET',
    first: '2.25.760',
    uid: '2.25.763',
    frame: 0,
    position: 3,
    column: 12,
    row: 9,
    size: { rows: PET_SIZE.rows, columns: PET_SIZE.columns, places: PET_SIZE.slices },
    // By body weight: 370 MBq without decay in 70 kg.
    stored: PET_STORED,
    value: (PET_STORED * 1.3 * 70_000) / 370e6,
    unit: 'SUVbw',
  },
  { name: 'dose', first: '2.25.730', uid: '2.25.730', ...IN_DOSE, value: GRAY, unit: 'Gy' },
  { name: 'effective dose', first: '2.25.731', uid: '2.25.731', ...IN_DOSE, value: GRAY, unit: 'Gy (effective)' },
  { name: 'relative dose', first: '2.25.732', uid: '2.25.732', ...IN_DOSE, value: GRAY, unit: 'relative' },
  {
    name: 'map',
    first: '2.25.790',
    uid: '2.25.790',
    frame: 4,
    position: 4,
    column: 34,
    row: 18,
    size: { rows, columns, places: slices },
    stored: 123.5,
    value: 0.5 * 123.5 + 10,
    unit: 'mm²/s',
  },
];
const FILES: readonly Uint8Array[] = [
  ...writeCt(),
  ...writePet(),
  doseOf('2.25.730', 'Plain', {}),
  doseOf('2.25.731', 'Effective', { DoseType: 'EFFECTIVE' }),
  doseOf('2.25.732', 'Relative', { DoseUnits: 'RELATIVE' }),
  writeMap(),
];

async function readJson<T>(server: TestServer, path: string): Promise<T> {
  const response = await server.request(path);
  const answer: T = await response.json();
  expect({ path, status: response.status, answer }).toMatchObject({ status: 200 });
  return answer;
}

async function indexOf(server: TestServer, uid: string): Promise<number> {
  type Files = { readonly files: readonly { readonly index: number; readonly sop_instance_uid: string }[] };
  const { files } = await readJson<Files>(server, '/api/files');
  return files.find(({ sop_instance_uid }) => sop_instance_uid === uid)?.index ?? -1;
}

type Way = (server: TestServer, object: Valued) => Promise<Told | undefined>;

/** A pixel as a mark. */
const askMark: Way = async (server, { uid, frame, column, row }) => {
  const place = { type: 'frame', file_index: await indexOf(server, uid), frame_index: frame };
  const response = await server.request('/api/marks', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ kind: 'point', place, points: [[column + 0.5, row + 0.5]] }),
  });
  const { id } = await response.json();
  const { mean, unit } = await readJson<MarkStatisticsResponse>(server, `/api/mark/${id}/statistics`);
  return { value: mean ?? NaN, unit };
};

/** The stored sample, and what the frame declares of it. */
const askFrame: Way = async (server, { uid, frame, stored }) => {
  const path = `/api/file/${await indexOf(server, uid)}/frame/${frame}/value-mapping`;
  const { modality, real_world, pet, default_reading } = await readJson<ValueMappingResponse>(server, path);
  const modal = stored * modality.rescale_slope + modality.rescale_intercept;
  if (default_reading.kind === 'modality') return { value: modal, unit: default_reading.unit };
  if (default_reading.kind === 'suv' && pet !== null && 'factor' in pet.suv) {
    return { value: modal * pet.suv.factor, unit: default_reading.unit };
  }
  const { transform } = real_world[default_reading.index ?? -1]!;
  if (transform.kind !== 'linear') throw new Error('not linear');
  return { value: stored * transform.slope + transform.intercept, unit: default_reading.unit };
};

/** What the sidecar of the volume says of its modality values. */
async function toQuantity(server: TestServer, index: number, value: number): Promise<Told> {
  type Sidecar = {
    readonly Units?: string;
    readonly QuantityUnits?: string;
    readonly QuantitySlope?: number;
    readonly QuantityIntercept?: number;
  };
  const sidecar = await readJson<Sidecar>(server, `/api/file/${index}/volume/nifti/sidecar`);
  if (sidecar.QuantityUnits === undefined) return { value, unit: sidecar.Units ?? '' };
  return { value: value * sidecar.QuantitySlope! + sidecar.QuantityIntercept!, unit: sidecar.QuantityUnits };
}

const askVolume: Way = async (server, { first }) => {
  const index = await indexOf(server, first);
  const { modality } = await readJson<VolumeValueResponse>(
    server,
    `/api/file/${index}/volume/value?at=${POINT.join()}`,
  );
  const { volume } = await readJson<VolumeResponse>(server, `/api/file/${index}/volume`);
  const told = await toQuantity(server, index, modality ?? NaN);
  // Where no other quantity is the usual one, the volume itself says the unit.
  return { ...told, unit: told.unit === '' ? (volume?.sample.unit ?? '') : told.unit };
};

const askNifti: Way = async (server, { first, size, position, column, row }) => {
  const index = await indexOf(server, first);
  const response = await server.request(`/api/file/${index}/volume/nifti`);
  expect(response.status).toBe(200);
  const file = gunzipSync(await response.arrayBuffer());
  // Rows are written from the last to the first.
  const at = (position * size.rows + size.rows - 1 - row) * size.columns + column;
  const type = file.readInt16LE(70);
  const read: Readonly<Record<number, () => number>> = {
    4: () => file.readInt16LE(352 + 2 * at),
    512: () => file.readUInt16LE(352 + 2 * at),
    16: () => file.readFloatLE(352 + 4 * at),
  };
  const sample = read[type]?.() ?? NaN;
  const slope = file.readFloatLE(112);
  return toQuantity(server, index, slope === 0 ? sample : sample * slope + file.readFloatLE(116));
};

/** The packet of the field over the image of the CT, where the point is a sample of both. */
const askField: Way = async (server, { first, name }) => {
  if (name === 'CT') return undefined;
  const index = await indexOf(server, first);
  const told = await askPacket(server, index);
  return name === 'PET' || name === 'map' ? toQuantity(server, index, told.value) : told;
};

async function askPacket(server: TestServer, layer: number): Promise<Told> {
  const { units } = await readJson<LayerResponse>(server, `/api/layer/${layer}`);
  const ct = await indexOf(server, '2.25.714');
  const response = await server.request(`/api/layer/${layer}/frame?file=${ct}&frame=0`);
  expect(response.status).toBe(200);
  const { item } = decodeField(await response.arrayBuffer());
  return { value: valueOfField(item!, ON_CT.column, ON_CT.row) ?? NaN, unit: units?.label ?? '' };
}

const WAYS: Readonly<Record<string, Way>> = {
  'as a mark': askMark,
  'as a stored frame': askFrame,
  'as a volume': askVolume,
  'as NIfTI': askNifti,
  'over another image': askField,
};

test('the value at a point is the same number in the same unit in all answers and exports', async () => {
  const server = await serve(...FILES);
  for (const object of OBJECTS) {
    for (const [way, ask] of Object.entries(WAYS)) {
      const told = await ask(server, object);
      if (told === undefined) continue;
      // Volumes of several rescales, and packets, are 32-bit floats.
      const expected = { value: expect.closeTo(object.value, 4), unit: object.unit };
      expect.soft(told, `${object.name} ${way}`).toEqual(expected);
    }
  }
}, 120_000);

/** A line of the first cell while the pointer is over a pixel. */
async function readProbe(
  server: TestServer,
  {
    address,
    position,
    size,
    column,
    row,
  }: { address: string; position: number } & Pick<Valued, 'size' | 'column' | 'row'>,
  shown: RegExp,
): Promise<string> {
  const { page, cell, complaints } = await openViewer(server, { address, position });
  const at = await projectionOf(cell, size, {});
  await page.mouse.move(...at(column + 0.5, row + 0.5));
  const texts = async () => (await cell.innerText()).replaceAll('\u00a0', ' ');
  await expect.poll(texts, { timeout: 60_000 }).toMatch(shown);
  expect(complaints).toEqual([]);
  return texts();
}

function escape(text: string): string {
  return text.replaceAll(/[.()²]/g, '\\$&');
}

test('the page shows these numbers and units under the pointer, in the image and over another one', async () => {
  const server = await serve(...FILES);
  for (const { uid, frame, position, size, column, row, value, unit } of OBJECTS) {
    const address = `#cell=${uid},${frame + 1}`;
    const text = `(${column}, ${row}) ${formatValue(value)} ${unit}`;
    const shown = new RegExp(`${escape(text)}( \\(|\\n|$)`);
    expect(await readProbe(server, { address, position, size, column, row }, shown)).toMatch(shown);
  }
  const fields = OBJECTS.filter(({ name }) => name !== 'CT');
  const address = `#cell=2.25.714,1${fields.map(({ first }) => `&layer=${first}`).join('')}`;
  const each = fields.map(({ value, unit }) => `(?=[^]*${escape(` ${formatValue(value)} ${unit}`)}( \\(| ·|\\n|$))`);
  const shown = new RegExp(each.join(''));
  const place = { address, position: 4, size: { rows, columns, places: slices }, ...ON_CT };
  expect(await readProbe(server, place, shown)).toMatch(shown);
}, 300_000);

const VALUES = onCtGrid(61.25);
const [left, top, low] = CT_ORIGIN;
const ATTACHED: Readonly<Record<string, Uint8Array>> = {
  'values.nii': writeNifti({
    sizes: [columns, rows, slices],
    samples: new Uint8Array(VALUES.buffer),
    datatype: 16,
    sform: [-CT_SPACING_MM, 0, 0, -left, 0, -CT_SPACING_MM, 0, -top, 0, 0, CT_STEP_MM, low],
  }),
  'values.npy': writeNpy([slices, rows, columns], new Uint8Array(VALUES.buffer), { descr: '<f4' }),
  'values.nrrd': writeNrrd(
    [
      'type: float',
      'dimension: 3',
      'endian: little',
      'space: left-posterior-superior',
      `sizes: ${columns} ${rows} ${slices}`,
      `space directions: (${CT_SPACING_MM},0,0) (0,${CT_SPACING_MM},0) (0,0,${CT_STEP_MM})`,
      `space origin: (${CT_ORIGIN.join()})`,
      'encoding: raw',
    ],
    new Uint8Array(VALUES.buffer),
  ),
};

test('values of NIfTI, NumPy and NRRD files are those of the arrays, in answers and on the page', async () => {
  const folder = createTempFolder();
  for (const [at, slice] of writeCt().entries()) writeBelow(folder, `ct/${at}.dcm`, slice);
  for (const [name, bytes] of Object.entries(ATTACHED)) writeBelow(folder, name, bytes);
  const server = await serve(folder);
  const { attachments } = await readJson<AttachmentsResponse>(server, '/api/attachments');
  expect(attachments.map(({ path }) => basename(path)).toSorted()).toEqual(Object.keys(ATTACHED));
  for (const { layer, path } of attachments) {
    const name = basename(path);
    expect.soft(await askPacket(server, layer), name).toEqual({ value: 61.25, unit: '' });
    const address = `#cell=2.25.714,1&layer=~${name}`;
    const place = { address, position: 4, size: { rows, columns, places: slices }, ...ON_CT };
    expect.soft(await readProbe(server, place, / 61\.25( \(| ·|\n|$)/), name).toContain(' 61.25');
  }
}, 180_000);

const PYTHON = `
import json, sys
from negato._http import Client
from negato._viewer import Viewer
viewer = Viewer.__new__(Viewer)
viewer._client = Client(sys.argv[1], None, lambda: None)
places = json.loads(sys.argv[2])
print(json.dumps([float(viewer.frame(file, frame)[row, column]) for file, frame, row, column in places]))
`;

test('Python has the stored samples that these values are made of', needs('Python 3.9 with numpy'), async () => {
  const server = await serve(...FILES);
  const places = [];
  for (const { uid, frame, row, column } of OBJECTS) places.push([await indexOf(server, uid), frame, row, column]);
  const cwd = fileURLToPath(new URL('../../python', import.meta.url));
  const program = process.env['PYTHON'] ?? 'python3';
  const { stdout } = await promisify(execFile)(program, ['-c', PYTHON, server.baseUrl, JSON.stringify(places)], {
    cwd,
  });
  expect(JSON.parse(stdout)).toEqual(OBJECTS.map(({ stored }) => stored));
});
