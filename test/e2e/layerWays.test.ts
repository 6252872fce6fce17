import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { AttachmentsResponse } from '../../src/shared/contract/attachments.ts';
import type { DvhResponse } from '../../src/shared/contract/dvh.ts';
import type { LayerResponse } from '../../src/shared/contract/layerAnswers.ts';
import type { MarkStatisticsResponse } from '../../src/shared/contract/marks.ts';
import type { SegmentStatisticsResponse } from '../../src/shared/contract/segmentations.ts';
import { writeNifti, writeNpy, writeNrrd, writePng } from '../support/arrayFiles.ts';
import { CT_ORIGIN, CT_SIZE, CT_SPACING_MM, CT_STEP_MM, writeCt, writeDose } from '../support/fieldFiles.ts';
import { needs, runPython } from '../support/needs.ts';
import { segmentationElements, type WrittenSegmentation } from '../support/placedElements.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { structureSetElements } from '../support/structureSetElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { openViewer } from '../support/viewerPage.ts';

const { rows, columns, slices } = CT_SIZE;
/** From the first pixel or slice to before the last. */
const REGION = { left: 22, right: 32, top: 14, bottom: 22, from: 4, to: 8 } as const;
/** 10 x 8 pixels of 1.5 x 1.5 mm in 4 slices of 4 mm: 320 voxels of 9 mm³. */
const VOXELS = 320;
const VOLUME_MM3 = 2880;

function isInside(column: number, row: number, slice: number): boolean {
  const { left, right, top, bottom, from, to } = REGION;
  return column >= left && column < right && row >= top && row < bottom && slice >= from && slice < to;
}

function samplesOf(slice: number, inside: number): number[] {
  return Array.from({ length: rows * columns }, (_, i) =>
    isInside(i % columns, Math.floor(i / columns), slice) ? inside : 0,
  );
}

function heightOf(slice: number): number {
  return CT_ORIGIN[2] + slice * CT_STEP_MM;
}

function writeSegmentation(type: WrittenSegmentation['type'], uid: string): Uint8Array {
  const frames = [];
  for (let slice = REGION.from; slice < REGION.to; slice += 1) {
    frames.push({
      samples: samplesOf(slice, type === 'FRACTIONAL' ? 255 : 1),
      source: { uid: `2.25.7${slice + 10}` },
      plane: {
        position: [CT_ORIGIN[0], CT_ORIGIN[1], heightOf(slice)],
        orientation: [1, 0, 0, 0, 1, 0],
        spacing: [CT_SPACING_MM, CT_SPACING_MM] as const,
      },
    });
  }
  return writeDicom(
    segmentationElements({ rows, columns, type, frames }, { SOPInstanceUID: uid, SeriesInstanceUID: `${uid}.1` }),
  );
}

/** The borders of pixels lie half a pixel before their centers. */
const x = (column: number) => CT_ORIGIN[0] + (column - 0.5) * CT_SPACING_MM;
const y = (row: number) => CT_ORIGIN[1] + (row - 0.5) * CT_SPACING_MM;

function writeStructures(): Uint8Array {
  const { left, right, top, bottom, from, to } = REGION;
  const contours = Array.from({ length: to - from }, (_, n) => ({
    points: [
      [x(left), y(top), heightOf(from + n)],
      [x(right), y(top), heightOf(from + n)],
      [x(right), y(bottom), heightOf(from + n)],
      [x(left), y(bottom), heightOf(from + n)],
    ],
  }));
  return writeDicom(
    structureSetElements([{ number: 1, name: 'Box', contours }], {
      SOPInstanceUID: '2.25.903',
      SeriesInstanceUID: '2.25.903.1',
    }),
  );
}

const LABELS = Uint8Array.from(Array.from({ length: slices }, (_, slice) => samplesOf(slice, 1)).flat());

function writeNiftiLabels(): Uint8Array {
  // In RAS, both axes of the images run the other way.
  const [left, top, low] = CT_ORIGIN;
  const sform = [-CT_SPACING_MM, 0, 0, -left, 0, -CT_SPACING_MM, 0, -top, 0, 0, CT_STEP_MM, low];
  return writeNifti({ sizes: [columns, rows, slices], samples: LABELS, sform });
}

function writeNrrdLabels(): Uint8Array {
  const header = [
    'type: uint8',
    'dimension: 3',
    'space: left-posterior-superior',
    `sizes: ${columns} ${rows} ${slices}`,
    `space directions: (${CT_SPACING_MM},0,0) (0,${CT_SPACING_MM},0) (0,0,${CT_STEP_MM})`,
    `space origin: (${CT_ORIGIN.join()})`,
    'encoding: raw',
  ];
  return writeNrrd(header, LABELS);
}

function writeFolder(files: Readonly<Record<string, Uint8Array>>): string {
  const folder = createTempFolder();
  for (const [at, slice] of writeCt().entries()) writeBelow(folder, `ct/${at}.dcm`, slice);
  for (const [name, bytes] of Object.entries(files)) writeBelow(folder, name, bytes);
  return folder;
}

/** A mask for each slice, in the order of the slices. */
const PICTURES = Object.fromEntries(
  Array.from({ length: slices }, (_, slice) => {
    const bytes = Uint8Array.from(samplesOf(slice, 1));
    return [
      `pictures/${String(slice).padStart(2, '0')}.png`,
      writePng({ rows, columns, bits: 8, colorType: 0, bytes }),
    ];
  }),
);

const LAYERS = {
  'binary.dcm': writeSegmentation('BINARY', '2.25.900'),
  'labels.dcm': writeSegmentation('LABELMAP', '2.25.901'),
  'fractions.dcm': writeSegmentation('FRACTIONAL', '2.25.902'),
  'structures.dcm': writeStructures(),
  'labels.nii': writeNiftiLabels(),
  'labels.nrrd': writeNrrdLabels(),
  'labels.npy': writeNpy([slices, rows, columns], LABELS),
};
const ATTACHED = ['labels.nii', 'labels.nrrd', 'labels.npy', 'pictures'];

const SEGMENTATIONS = ['binary.dcm', 'labels.dcm', 'fractions.dcm'];

async function readJson<T>(server: TestServer, path: string): Promise<T> {
  const response = await server.request(path);
  const answer: T = await response.json();
  expect({ path, status: response.status, answer }).toMatchObject({ status: 200 });
  return answer;
}

/** Their volumes in mm³, with the name of the way. */
type Told = Readonly<Record<string, number | null | undefined>>;

type FileList = { readonly files: readonly { readonly index: number; readonly path: string }[] };

async function indexOf(server: TestServer, name: string): Promise<number> {
  const { files } = await readJson<FileList>(server, '/api/files');
  return files.find(({ path }) => path.endsWith(name))?.index ?? -1;
}

async function askSegment(server: TestServer, name: string): Promise<number | null> {
  const path = `/api/file/${await indexOf(server, name)}/segment-statistics`;
  const { segments } = await readJson<SegmentStatisticsResponse>(server, path);
  expect({ name, voxels: segments[0]?.voxel_count }).toEqual({ name, voxels: VOXELS });
  return segments[0]?.volume_mm3 ?? null;
}

async function askAttachment(server: TestServer, name: string): Promise<number | null> {
  const { attachments } = await readJson<AttachmentsResponse>(server, '/api/attachments');
  const layer = attachments.find(({ path }) => path.endsWith(name))?.layer;
  const { parts } = await readJson<LayerResponse>(server, `/api/layer/${layer}`);
  return parts[0]?.volume_mm3 ?? null;
}

async function askLayers(server: TestServer): Promise<Told> {
  const told: Record<string, number | null> = {};
  for (const name of SEGMENTATIONS) told[`${name} counted`] = await askSegment(server, name);
  for (const name of ATTACHED) told[`${name} as a layer`] = await askAttachment(server, name);
  const layer = await indexOf(server, 'structures.dcm');
  const { parts } = await readJson<LayerResponse>(server, `/api/layer/${layer}`);
  return { ...told, 'structures.dcm as a layer': parts[0]?.volume_mm3 };
}

async function askHistograms(server: TestServer): Promise<Told> {
  const told: Record<string, number> = {};
  const dose = await indexOf(server, 'dose.dcm');
  for (const name of [...SEGMENTATIONS, 'structures.dcm']) {
    const { dvhs } = await readJson<DvhResponse>(server, `/api/file/${await indexOf(server, name)}/dvh?dose=${dose}`);
    told[`${name} in a dose`] = (dvhs[0]?.volume_cm3 ?? NaN) * 1_000;
  }
  return told;
}

async function send<T>(server: TestServer, path: string, type: string, body: BodyInit): Promise<T> {
  const response = await server.request(path, { method: 'POST', headers: { 'Content-Type': type }, body });
  const answer: T = await response.json();
  expect({ path, status: response.status, answer }).toMatchObject({ status: 200 });
  return answer;
}

/** The region as a rectangle through the stack, and as a painted mask in the same slices. */
async function draw(server: TestServer): Promise<readonly number[]> {
  const at = async (slice: number) => ({ file_index: await indexOf(server, `ct/${slice}.dcm`), frame_index: 0 });
  const { left, right, top, bottom, from, to } = REGION;
  const place = { type: 'stack', from: await at(from), to: await at(to - 1) };
  const corners = [
    [left, top],
    [right, bottom],
  ];
  const [width, height] = [right - left, bottom - top];
  const mask = { left, top, width, height, runs: [0, width * height] };
  const painted = [];
  for (let slice = from; slice < to; slice += 1) painted.push({ ...(await at(slice)), points: [], mask });
  const bodies = [
    { kind: 'box', place, points: [], slices: [{ ...(await at(from)), points: corners }], label: 'drawn' },
    { kind: 'brush', place, points: [], slices: painted, label: 'painted' },
  ];
  const made = [];
  for (const body of bodies) {
    const { id } = await send<{ id: number }>(server, '/api/marks', 'application/json', JSON.stringify(body));
    made.push(id);
  }
  return made;
}

async function askMarks(server: TestServer, marks: readonly number[]): Promise<Told> {
  const told: Record<string, number> = {};
  for (const mark of marks) {
    const statistics = await readJson<MarkStatisticsResponse>(server, `/api/mark/${mark}/statistics`);
    expect(statistics).toMatchObject({ count: VOXELS, mean: 34, unit: 'HU' });
    told[`mark ${mark}`] = (statistics.volume_ml ?? NaN) * 1_000;
    told[`pixels of mark ${mark}`] = (statistics.pixels_volume_ml ?? NaN) * 1_000;
  }
  return told;
}

/** What leaves as a label volume or as a segmentation is opened again, beside the images. */
async function askExports(server: TestServer): Promise<Told> {
  const told: Record<string, number | null> = {};
  const file = await indexOf(server, 'ct/0.dcm');
  for (const [format, name] of [
    ['nii.gz', 'out.nii.gz'],
    ['nrrd', 'out.nrrd'],
    ['seg', 'out.dcm'],
  ] as const) {
    for (const label of ['drawn', 'painted']) {
      const response = await server.request(`/api/file/${file}/volume/marks?format=${format}&text=${label}`);
      expect({ format, status: response.status }).toEqual({ format, status: 200 });
      const again = await serve(writeFolder({ [name]: new Uint8Array(await response.arrayBuffer()) }));
      told[`${label} as ${format}`] =
        format === 'seg' ? await askSegment(again, name) : await askAttachment(again, name);
    }
  }
  return told;
}

/** What the rows of the panel say. */
async function readPage(server: TestServer): Promise<readonly string[]> {
  const { page, complaints } = await openViewer(server, { address: '#cell=2.25.716,1', position: 6, width: 1280 });
  await page.keyboard.press('m');
  await page.getByRole('tab', { name: 'Layers' }).click();
  const sizes = page.locator('[data-part="1"]').getByText(/\d ml$/);
  await expect.poll(() => sizes.count(), { timeout: 30_000 }).toBe(Object.keys(LAYERS).length + 1);
  expect(complaints).toEqual([]);
  return sizes.allTextContents();
}

test('a region has one volume, whichever object holds it and whoever is asked', async () => {
  const server = await serve(writeFolder({ ...LAYERS, ...PICTURES, 'dose.dcm': writeDose() }));
  const marks = await draw(server);
  const told = {
    ...(await askLayers(server)),
    ...(await askHistograms(server)),
    ...(await askMarks(server, marks)),
    ...(await askExports(server)),
  };

  const same = Object.fromEntries(Object.keys(told).map((way) => [way, expect.closeTo(VOLUME_MM3, 6)]));
  expect(told).toEqual(same);
  expect(Object.keys(told).length).toBe(22);
  const counted = SEGMENTATIONS.map(() => '320 voxels · 2.88 ml');
  expect(await readPage(server)).toEqual([...counted, ...['structures.dcm', ...ATTACHED].map(() => '2.88 ml')]);
}, 180_000);

const PYTHON = `
import sys
import numpy
from negato._arrays import write_overlay
inside = numpy.zeros((${slices}, ${rows}, ${columns}), bool)
inside[${REGION.from}:${REGION.to}, ${REGION.top}:${REGION.bottom}, ${REGION.left}:${REGION.right}] = True
write_overlay(inside, sys.argv[1], {1: "region"})
`;

test('an array that Python lays over the images has this volume', needs('Python 3.9 with numpy'), async () => {
  const folder = writeFolder({});
  const { status, stdout } = runPython('-c', PYTHON, join(folder, 'array-1.nrrd'));
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });

  expect(await askAttachment(await serve(folder), 'array-1.nrrd')).toBeCloseTo(VOLUME_MM3, 6);
});
