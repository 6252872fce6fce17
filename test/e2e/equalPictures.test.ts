import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/dicom/writeDicom.ts';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import type { FileRecord, FilesResponse } from '../../src/shared/contract/files.ts';
import { openPage } from '../support/browser.ts';
import { corpus } from '../support/corpus.ts';
import { readPng } from '../support/readPng.ts';
import { serve, type TestServer } from '../support/serve.ts';

const UID = '1.2.826.0.1.3680043.10.67';
const [ROWS, COLUMNS] = [37, 53];

type Case = { readonly name: string; readonly elements: DataSetInput };

/** 16 bits, all values from -500 to 1460 and none twice in a row. */
const SIGNED = Int16Array.from({ length: ROWS * COLUMNS }, (_, i) => ((i * 7919) % (ROWS * COLUMNS)) - 500);
const UNSIGNED = Uint16Array.from(SIGNED, (value) => value + 500);

const CASES: readonly Case[] = [
  { name: 'signed values with a window', elements: gray({ WindowCenter: '40', WindowWidth: '400' }) },
  { name: 'a window one value wide', elements: gray({ WindowCenter: '40', WindowWidth: '1' }) },
  { name: 'no window', elements: gray({}) },
  {
    name: 'fractions after rescaling',
    elements: gray({ RescaleSlope: '0.37', RescaleIntercept: '-12.5', WindowCenter: '33.3', WindowWidth: '77.7' }),
  },
  {
    name: 'an exact linear window',
    elements: gray({ WindowCenter: '40', WindowWidth: '400', VOILUTFunction: 'LINEAR_EXACT' }),
  },
  { name: 'a sigmoid window', elements: gray({ WindowCenter: '40', WindowWidth: '400', VOILUTFunction: 'SIGMOID' }) },
  {
    name: 'white as the lowest value',
    elements: gray({ PhotometricInterpretation: 'MONOCHROME1', WindowCenter: '40', WindowWidth: '400' }),
  },
  {
    name: 'padding',
    elements: gray({ PixelPaddingValue: -500, PixelPaddingRangeLimit: -300, WindowCenter: '-200', WindowWidth: '900' }),
  },
  {
    name: 'padding, white as the lowest value, no window',
    elements: gray({ PhotometricInterpretation: 'MONOCHROME1', PixelPaddingValue: -500, PixelPaddingRangeLimit: -300 }),
  },
  {
    name: 'a modality lookup table',
    elements: unsigned({
      ModalityLUTSequence: [
        {
          LUTDescriptor: [256, 100, 16],
          ModalityLUTType: 'US',
          LUTData: Uint16Array.from({ length: 256 }, (_, i) => (i * i) % 1000),
        },
      ],
      WindowCenter: '500',
      WindowWidth: '700',
    }),
  },
  {
    name: 'a VOI lookup table',
    elements: unsigned({
      VOILUTSequence: [
        { LUTDescriptor: [512, 200, 8], LUTData: Uint16Array.from({ length: 512 }, (_, i) => (i * 5) % 256) },
      ],
    }),
  },
  {
    name: 'an overlay',
    elements: gray({
      WindowCenter: '40',
      WindowWidth: '400',
      OverlayRows: ROWS,
      OverlayColumns: COLUMNS,
      OverlayType: 'G',
      OverlayOrigin: [1, 1],
      OverlayBitsAllocated: 1,
      OverlayBitPosition: 0,
      OverlayData: Uint8Array.from({ length: Math.ceil((ROWS * COLUMNS) / 16) * 2 }, (_, i) =>
        i % 3 === 0 ? 0x18 : 0,
      ),
    }),
  },
  {
    name: 'a shutter',
    elements: gray({
      WindowCenter: '40',
      WindowWidth: '400',
      ShutterShape: 'RECTANGULAR',
      ShutterLeftVerticalEdge: '5',
      ShutterRightVerticalEdge: '40',
      ShutterUpperHorizontalEdge: '4',
      ShutterLowerHorizontalEdge: '30',
    }),
  },
];

describe('the canvas has the samples of the server’s picture', () => {
  test.each(CASES)('of $name', async ({ elements }) => {
    const server = await serve(writeDicom(elements));
    const { page, complaints } = await openPage();
    await page.goto(server.baseUrl);

    for (const window of ['', 'full', '100w250', '-20.5w33.3']) {
      expect(await compare(page, server, { file: await recordOf(server), frame: 0, window })).toEqual(EQUAL);
    }
    expect(complaints).toEqual([]);
  });
});

const FOLDERS = ['display', 'color', 'transfer-syntax', 'multiframe', 'parametric-map', 'rt', 'seg', 'odd-and-broken'];

test.skipIf(corpus === undefined)(
  'of real files of every kind',
  async () => {
    const folders = await Promise.all(FOLDERS.map((name) => existing(join(corpus ?? '', name))));
    const server = await serve(...folders.flat());
    const { page } = await openPage();
    await page.goto(server.baseUrl);
    const different: unknown[] = [];
    const chosen = chooseFiles(await recordsOf(server));
    let compared = 0;

    for (const file of chosen) {
      const frame = file.frame_count - 1;
      // Among them are broken ones, of which there is no picture anywhere.
      if (!(await server.request(`/api/file/${file.index}/frame/${frame}`)).ok) continue;
      compared++;
      for (const window of file.samples_per_pixel === 1 ? ['', 'full', '100w250'] : ['']) {
        const found = await compare(page, server, { file, frame, window });
        if (found.different !== 0) different.push({ path: file.path, frame, window, ...found });
      }
    }

    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(30);
  },
  600_000,
);

/** One of each sort of pixels, and none that names itself as another does. */
function chooseFiles(files: readonly FileRecord[]): readonly FileRecord[] {
  const sorts = new Map<string, FileRecord>();
  const counts = new Map<string, number>();
  for (const { sop_instance_uid: uid } of files) counts.set(uid, (counts.get(uid) ?? 0) + 1);
  for (const file of files) {
    // Pixels that are not square never lie on those of the screen.
    const isSquare = Math.abs((file.pixel_aspect_ratio ?? 1) - 1) < 1e-9;
    if (file.support_state !== 'renderable' || !isSquare || counts.get(file.sop_instance_uid) !== 1) continue;
    const { photometric_interpretation, bits_allocated, bits_stored, transfer_syntax_uid, object_kind } = file;
    const isDisplay = file.path.includes('/display/') ? file.path : '';
    const sort = [photometric_interpretation, bits_allocated, bits_stored, transfer_syntax_uid, object_kind, isDisplay];
    if (!sorts.has(sort.join(' '))) sorts.set(sort.join(' '), file);
  }
  return [...sorts.values()];
}

const EQUAL = { different: 0, first: null };

type Wanted = { readonly file: FileRecord; readonly frame: number; readonly window: string };
type Comparison = { readonly different: number; readonly first: unknown };

/** Shows a frame one to one and compares what is on the canvas with the server's picture of the same window. */
async function compare(page: Page, server: TestServer, { file, frame, window }: Wanted): Promise<Comparison> {
  const answer = await server.request(`/api/file/${file.index}/frame/${frame}${toQuery(window)}`);
  expect(answer.status).toBe(200);
  const { pixels, rows, columns, channels } = readPng(new Uint8Array(await answer.arrayBuffer()));
  const expected = Buffer.from(pixels).toString('base64');
  await page.evaluate((hash) => (location.hash = hash), `cell=${file.sop_instance_uid},${frame + 1},${window}`);
  let found: Comparison = { different: -1, first: null };
  for (let attempt = 0; attempt < 100 && found.different !== 0; attempt++) {
    // Not every time: while a view changes, the server is not asked for pictures.
    if (attempt % 16 === 0) await page.keyboard.press('\\');
    await page.waitForTimeout(50);
    found = await page.evaluate(compareCanvas, { expected, rows, columns, channels });
  }
  return found;
}

/** Runs in the page. At one to one the image's middle is the canvas's, rounded to whole pixels. */
function compareCanvas(picture: { expected: string; rows: number; columns: number; channels: number }): Comparison {
  const canvas = document.querySelector<HTMLCanvasElement>('[data-cell="0"][data-status="ready"] canvas');
  const context = canvas?.getContext('2d');
  if (!canvas || !context) return { different: -1, first: 'no image' };
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const expected = Uint8Array.from(atob(picture.expected), (character) => character.charCodeAt(0));
  const left = Math.round(canvas.width / 2 - picture.columns / 2);
  const top = Math.round(canvas.height / 2 - picture.rows / 2);
  let different = 0;
  let first: unknown = null;
  for (let y = Math.max(0, -top); y < Math.min(picture.rows, canvas.height - top); y++) {
    for (let x = Math.max(0, -left); x < Math.min(picture.columns, canvas.width - left); x++) {
      const at = ((y + top) * canvas.width + x + left) * 4;
      const from = (y * picture.columns + x) * picture.channels;
      for (let channel = 0; channel < 3; channel++) {
        const wanted = expected[from + (picture.channels >= 3 ? channel : 0)];
        if (data[at + channel] === wanted) continue;
        different++;
        first ??= { x, y, channel, wanted, shown: data[at + channel] };
      }
    }
  }
  return { different, first };
}

function toQuery(window: string): string {
  if (window === 'full') return '?mode=full_dynamic';
  const [center, width] = window.split('w');
  return width === undefined ? '' : `?wc=${center}&ww=${width}`;
}

async function recordsOf(server: TestServer): Promise<readonly FileRecord[]> {
  const response = await server.request('/api/files');
  const { files }: FilesResponse = await response.json();
  return files;
}

async function recordOf(server: TestServer): Promise<FileRecord> {
  const [file] = await recordsOf(server);
  if (file === undefined) throw new Error('the server has no file');
  return file;
}

async function existing(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => undefined)) === undefined ? [] : [folder];
}

function gray(different: DataSetInput): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
    SOPInstanceUID: `${UID}.1`,
    Modality: 'OT',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: ROWS,
    Columns: COLUMNS,
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 1,
    PixelData: SIGNED,
    ...different,
  };
}

function unsigned(different: DataSetInput): DataSetInput {
  return gray({ PixelRepresentation: 0, PixelData: UNSIGNED, ...different });
}
