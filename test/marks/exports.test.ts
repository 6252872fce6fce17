import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serve, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';

const SLICES = 6;

/** What other programs have read of these marks: see readExports.py. */
const RECORDED: { readonly pixels: Readonly<Record<string, Readonly<Record<string, string>>>> } = JSON.parse(
  readFileSync(new URL('exports.json', import.meta.url), 'utf8'),
);

const at = (file_index: number) => ({ file_index, frame_index: 0 });
const onFrame = (points: readonly number[][]) => ({ place: { type: 'frame', ...at(1) }, points });
const through = (from: number, to: number, drawn: Readonly<Record<number, readonly number[][]>>) => ({
  place: { type: 'stack', from: at(from), to: at(to) },
  points: [],
  slices: Object.entries(drawn).map(([file, points]) => ({ ...at(Number(file)), points })),
});
const mask = (file: number, top: number, runs: readonly number[]) => ({
  ...at(file),
  points: [],
  mask: { left: 2, top, width: 7, height: 3, runs },
});

/** Every kind that has pixels: on a frame, and through slices with interpolated ones between and beyond those drawn. */
const MARKS: Readonly<Record<string, object>> = {
  box: {
    kind: 'box',
    ...onFrame([
      [1.3, 1.2],
      [7.6, 5.9],
    ]),
  },
  ellipse: {
    kind: 'ellipse',
    ...onFrame([
      [10.2, 0.7],
      [18.9, 6.4],
    ]),
  },
  polygon: {
    kind: 'polygon',
    ...onFrame([
      [20.4, 0.6],
      [28.7, 2.2],
      [24.1, 3.3],
      [27.5, 6.8],
      [21, 6.1],
    ]),
  },
  boxes: {
    kind: 'box',
    ...through(0, 5, {
      0: [
        [0.5, 8.2],
        [4.1, 10.9],
      ],
      5: [
        [3.2, 9.1],
        [9.3, 13.7],
      ],
    }),
  },
  ellipses: {
    kind: 'ellipse',
    ...through(0, 4, {
      1: [
        [10.3, 8.4],
        [14.8, 12.9],
      ],
      3: [
        [12.1, 8.9],
        [19.2, 13.6],
      ],
    }),
  },
  polygons: {
    kind: 'polygon',
    ...through(0, 5, {
      0: [
        [21, 8],
        [28, 9],
        [22, 13],
      ],
      4: [
        [20.5, 9],
        [25, 7.7],
        [29.2, 11],
        [24, 13.8],
      ],
    }),
  },
  brush: {
    kind: 'brush',
    place: { type: 'stack', from: at(2), to: at(4) },
    points: [],
    slices: [mask(2, 15, [1, 3, 2, 8, 7]), mask(4, 16, [0, 21])],
  },
};

async function serveMarked(): Promise<TestServer> {
  const server = await serve(...images());
  const classes = Object.keys(MARKS).map((key) => ({ key, title: key, color: '#ff8800' }));
  await send(server, 'PUT', '/labels', { classes });
  for (const [n, [key, mark]] of Object.entries(MARKS).entries()) {
    await send(server, 'POST', '/marks', { ...mark, class: key, uid: `2.25.${n + 1}` });
  }
  return server;
}

function images(): Uint8Array[] {
  return Array.from({ length: SLICES }, (_, number) => writeSlice({ number }, { PixelSpacing: ['2', '0.5'] }));
}

async function send(server: TestServer, method: string, path: string, body: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await server.request(`/api${path}`, { method, headers, body: JSON.stringify(body) });
  expect({ path, status: response.status, answer: await response.json() }).toMatchObject({ status: 200 });
}

const EXPORTS = {
  'marks.nii': '/file/0/volume/marks?format=nii',
  'marks.nii.gz': '/file/0/volume/marks?format=nii.gz',
  'marks.seg.nrrd': '/file/0/volume/marks?format=nrrd',
  'marks.seg.dcm': '/file/0/volume/marks?format=seg',
  'marks.sr.dcm': '/marks/export?format=sr',
  'marks.coco.json': '/marks/export?format=coco',
  'marks.geojson': '/marks/export?format=geojson',
};

test('highdicom, nibabel, SimpleITK, pynrrd, slicerio, pycocotools and shapely find the pixels of every kind of mark where negato has them', async () => {
  const server = await serveMarked();
  const files = new Map<string, Buffer>();
  const wanted = process.env['NEGATO_KEEP'] === undefined ? (['marks.nii'] as const) : Object.keys(EXPORTS);
  for (const name of wanted) {
    const response = await server.request(`/api${Object.entries(EXPORTS).find(([one]) => one === name)?.[1]}`);
    expect({ name, status: response.status }).toEqual({ name, status: 200 });
    files.set(name, Buffer.from(await response.arrayBuffer()));
  }
  keepFiles(files);

  const own = readPixels(files.get('marks.nii')!);

  expect(Object.keys(RECORDED.pixels)).toHaveLength(9);
  for (const [tool, recorded] of Object.entries(RECORDED.pixels)) {
    for (const [key, digest] of Object.entries(recorded))
      expect({ tool, key, digest }).toEqual({ tool, key, digest: own[key] });
  }
  // No tool has missed one that its format can hold.
  const areas = Object.keys(MARKS).toSorted();
  const outlines = areas.filter((key) => key !== 'brush');
  expect(
    Object.fromEntries(Object.entries(RECORDED.pixels).map(([tool, marks]) => [tool, Object.keys(marks).toSorted()])),
  ).toEqual({
    nibabel: areas,
    SimpleITK: areas,
    pynrrd: areas,
    slicerio: areas,
    'highdicom SEG': areas,
    'highdicom SR': outlines,
    'pycocotools masks': ['brush'],
    'COCO outlines': outlines,
    'shapely GeoJSON': ['box', 'ellipse', 'polygon'],
  });
});

/** For the script that records what other programs read. */
function keepFiles(files: ReadonlyMap<string, Buffer>): void {
  const folder = process.env['NEGATO_KEEP'];
  if (folder === undefined) return;
  mkdirSync(join(folder, 'images'), { recursive: true });
  for (const [n, image] of images().entries()) writeFileSync(join(folder, 'images', `${n}.dcm`), image);
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
}

/** The number of pixels of each label of a NIfTI file, and a digest of their places. Rows run up. */
function readPixels(file: Buffer): Readonly<Record<string, string>> {
  const start = file.readFloatLE(108);
  const texts = Object.keys(MARKS).map((): string[] => []);
  for (let place = 0; place < SLICES; place += 1) {
    for (let row = 0; row < SLICE_ROWS; row += 1) {
      for (let column = 0; column < SLICE_COLUMNS; column += 1) {
        const label = file[start + (place * SLICE_ROWS + SLICE_ROWS - 1 - row) * SLICE_COLUMNS + column] ?? 0;
        if (label > 0) texts[label - 1]?.push(`${place} ${row} ${column}\n`);
      }
    }
  }
  return Object.fromEntries(Object.keys(MARKS).map((key, n) => [key, `${texts[n]!.length} ${digestOf(texts[n]!)}`]));
}

function digestOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('')).digest('hex').slice(0, 16);
}
