import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openTab } from '../support/browser.ts';
import { CORPUS, findCorpus, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { readPng } from '../support/readPng.ts';
import { serve, serveShared } from '../support/serve.ts';

function encapsulate(number: number, sopClass: string, content: string): Uint8Array {
  return writeDicom({
    SOPClassUID: `1.2.840.10008.5.1.4.1.1.104.${sopClass}`,
    SOPInstanceUID: `2.25.90${number}`,
    SeriesInstanceUID: `2.25.91${number}`,
    EncapsulatedDocument: new TextEncoder().encode(content),
  });
}

function writePage(text: string): string {
  const stream = `BT /F1 18 Tf 20 40 Td (${text}) Tj ET`;
  return `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`;
}

/** A link of 50 × 20 points at the top of a page. */
function writeLink(left: number, target: string): string {
  return `<< /Type /Annot /Subtype /Link /Rect [${left} 70 ${left + 50} 90] /Border [0 0 0] ${target} >>`;
}

/** A PDF of two pages of 200 × 100 points, with a text on each. */
function writePdf(): string {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> >>',
    '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 200 100] >>',
    '<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Annots [8 0 R 9 0 R 10 0 R] /Resources << /Font << /F1 7 0 R >> >> >>',
    '<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Resources << /Font << /F1 7 0 R >> >> >>',
    writePage('First finding'),
    writePage('Second finding'),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    writeLink(20, '/Dest [4 0 R /Fit]'),
    writeLink(80, '/A << /S /URI /URI (https://example.org/x) >>'),
    writeLink(140, '/A << /S /JavaScript /JS (app.alert\\(1\\)) >>'),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const lines = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${lines}`;
  return `${text}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}

const HTML = '<!doctype html><script>document.title = "run"</script>';
/** One pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SVG = btoa('<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "run"</script></svg>');
const writeMedium = (id: string, content: string) =>
  `<entry><observationMedia ID="${id}"><value mediaType="image/png">${content}</value></observationMedia></entry>`;
const SECTION = `<component><section><title>Findings</title><text>No <content styleCode="Bold">lesion</content>.
  <script>document.title = "run"</script><img src="https://example.org/x.png"/>
  <renderMultiMedia referencedObject="dot drawing other"/></text>${writeMedium('dot', DOT)}${writeMedium('drawing', SVG)}</section></component>`;
const CDA = `<?xml version="1.0"?><?xml-stylesheet href="https://example.org/x.xsl"?><ClinicalDocument><component><structuredBody>${SECTION}</structuredBody></component></ClinicalDocument>`;
/** A scanned paper: a CDA document around a PDF. */
const SCAN = `<ClinicalDocument><component><nonXMLBody><text representation="B64">${btoa(writePdf())}</text></nonXMLBody></component></ClinicalDocument>`;
const TETRAHEDRON = 'v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n';

const FILES = [
  encapsulate(0, '1', writePdf()),
  encapsulate(1, '1', HTML),
  encapsulate(2, '2', CDA),
  encapsulate(3, '4', TETRAHEDRON),
  encapsulate(4, '2', SCAN),
];

async function open(...files: readonly Uint8Array[]) {
  const server = await serveShared(...files);
  const { page, complaints, requests } = await openTab(server);
  return { server, page, complaints, requests };
}

const cell = (page: Page) => page.locator('[data-document]');

test('files inside objects are shown without a violation of the policy and without a request to another place', async () => {
  const { server, page, complaints, requests } = await open(...FILES);
  const show = (number: number, item = '') => page.goto(`${server.baseUrl}/#cell=2.25.90${number},1${item}`);

  await show(0);
  await page.locator('[data-page="1"][data-drawn]').waitFor();
  expect(await page.locator('[data-page="1"]').innerText()).toContain('First finding');
  expect(await darkShare(page)).toBeGreaterThan(0.005);
  // A link to an address only says it, one inside of the document is followed, and one that runs something is none.
  expect(await page.locator('[data-link]').count()).toBe(2);
  await page.getByRole('button', { name: 'Address https://example.org/x' }).click();
  await page.getByText('which is not opened: https://example.org/x').waitFor();
  // Both pages have room in a higher window, and nothing is scrolled there.
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.getByRole('button', { name: 'To page 2' }).click();
  await expect.poll(() => page.url()).toContain('item=2');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel('Search in the document').fill('FINDING');
  await page.getByText('2 matches').waitFor();

  await show(1);
  await page.reload();
  await cell(page).getByText('not a valid PDF').waitFor();
  await cell(page).getByRole('button', { name: 'Save file' }).waitFor();

  await show(2);
  await page.reload();
  await cell(page).getByRole('heading', { name: 'Findings' }).waitFor();
  expect(await cell(page).locator('article').innerText()).toContain('No lesion. document.title = "run"');
  const picture = cell(page).getByRole('img', { name: 'dot' });
  await expect.poll(() => picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth)).toBe(1);
  await cell(page).getByText('The picture drawing is no PNG, JPEG, GIF or PDF file').waitFor();
  await cell(page).getByText('The document refers to the picture other, which it does not hold.').waitFor();

  await show(3);
  await page.reload();
  // A sixth of 10 × 10 × 10.
  await cell(page).getByText('166.667 mm³').first().waitFor();
  const canvas = cell(page).locator('canvas');
  const before = await canvas.screenshot();
  await canvas.press('ArrowRight');
  await expect.poll(async () => (await canvas.screenshot()).equals(before)).toBe(false);

  await show(4);
  await page.reload();
  await page.locator('[data-page="1"][data-drawn]').waitFor();
  expect(await darkShare(page)).toBeGreaterThan(0.005);

  expect(await page.title()).not.toBe('run');
  expect(requests.filter((url) => !url.startsWith(server.baseUrl) && !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
});

/** The share of dark pixels of the first page. */
function darkShare(page: Page): Promise<number> {
  return page.locator('[data-page="1"] canvas').evaluate((canvas) => {
    if (!(canvas instanceof HTMLCanvasElement)) return 0;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    let dark = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i]! < 100) dark += 1;
    return dark / (data.length / 4);
  });
}

type RecordedPdf = {
  readonly sop_instance_uid: string;
  readonly pages: number;
  readonly size: readonly [width: number, height: number];
  readonly text: string;
  readonly darkness: readonly number[];
};

/** As poppler reads and draws them: see makePdfs.py. */
const PDFS: Readonly<Record<string, RecordedPdf>> = JSON.parse(
  readFileSync(join(import.meta.dirname, '../documents/pdfs.json'), 'utf8'),
);

test(
  'real PDF objects have the pages, the text and, part by part, the darkness that poppler finds',
  needs(CORPUS),
  async () => {
    const paths = Object.keys(PDFS).map((name) => join(findCorpus()!, 'waveform-pdf-video', name));
    const server = await serveShared(...paths);
    const { page, complaints } = await openTab(server);
    for (const { sop_instance_uid, pages, size, text, darkness } of Object.values(PDFS)) {
      await page.goto(`${server.baseUrl}/#cell=${sop_instance_uid},1`);
      await page.reload();
      const first = page.locator('[data-page="1"]');
      await first.and(page.locator('[data-drawn]')).waitFor();
      await page.getByRole('toolbar', { name: 'PDF' }).getByText(`of ${pages}`).waitFor();
      const { width, height } = (await first.boundingBox())!;
      expect(height / width).toBeCloseTo(size[1] / size[0], 3);
      expect((await first.innerText()).replaceAll(/\s/g, '')).toBe(text);
      const found = await darknessOf(page);
      const differences = darkness.map((expected, part) => Math.abs(found[part]! - expected));
      expect(Math.max(...differences)).toBeLessThanOrEqual(0.02);
      // All parts together: how edges of letters are smoothed differs by a few percent of their ink.
      const [drawn, recorded] = [found, darkness].map((parts) => parts.reduce((sum, one) => sum + one, 0));
      expect(Math.abs(drawn! / recorded! - 1)).toBeLessThanOrEqual(0.05);
    }
    expect(complaints).toEqual([]);
  },
);

/** The mean darkness of 6 × 8 parts of the first page, row after row: 0 for white and 1 for black. */
function darknessOf(page: Page): Promise<number[]> {
  return page.locator('[data-page="1"] canvas').evaluate((canvas) => {
    if (!(canvas instanceof HTMLCanvasElement)) return [];
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, width, height);
    const sums = new Float64Array(48);
    const counts = new Float64Array(48);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const part = Math.floor((y * 8) / height) * 6 + Math.floor((x * 6) / width);
        const [red, green, blue] = data.subarray(4 * (y * width + x));
        sums[part]! += 1 - (0.299 * red! + 0.587 * green! + 0.114 * blue!) / 255;
        counts[part]! += 1;
      }
    }
    return Array.from(sums, (sum, part) => sum / counts[part]!);
  });
}

/** The colors of three pixels of each frame, as FFmpeg decodes them: see makeVideos.py. */
const COLORS: readonly (readonly (readonly number[])[])[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../documents/videos.json'), 'utf8'),
).find(({ file }: { file: string }) => file === 'h264_ts.dcm').colors;

/** The recorded frame that is most like the picture on the screen, which is the whole frame of 320 × 240. */
async function frameOnCanvas(page: Page): Promise<number> {
  const colors = await page.locator('[data-cell="0"] canvas').evaluate((canvas) => {
    if (!(canvas instanceof HTMLCanvasElement)) return [];
    const scale = Math.min(canvas.width / 320, canvas.height / 240);
    const [left, top] = [(canvas.width - 320 * scale) / 2, (canvas.height - 240 * scale) / 2];
    const context = canvas.getContext('2d')!;
    return [40.5, 160.5, 280.5].map((x) => [
      ...context.getImageData(Math.floor(left + x * scale), Math.floor(top + 195.5 * scale), 1, 1).data.subarray(0, 3),
    ]);
  });
  const errors = COLORS.map((recorded) =>
    recorded.flat().reduce((sum, value, at) => sum + Math.abs(value - (colors.flat()[at] ?? 0)), 0),
  );
  return errors.indexOf(Math.min(...errors));
}

test(
  'the frames of a video are pictures with ROIs, and a player shows the same frame',
  needs(LAYERS_DATA),
  async () => {
    const file = readFileSync(join(findLayersData()!, 'synthetic-phantom/video/h264_ts.dcm'));
    const server = await serve(file);
    const { page, complaints } = await openTab(server);
    await page.goto(server.baseUrl);
    const canPlay = await page.evaluate(() =>
      document.createElement('video').canPlayType('video/mp4; codecs="avc1.640029"'),
    );
    // A browser without H.264 says so.
    if (canPlay === '') return page.getByText('This browser does not play H.264').waitFor();
    const surface = page.locator('[data-cell="0"]');
    const shows = async (frame: number) => {
      await expect.poll(() => surface.getAttribute('data-shown')).toBe(String(frame));
    };
    await shows(0);
    expect(await frameOnCanvas(page)).toBe(0);
    // Back from the end: decoding begins again at a key frame.
    for (const [key, frame] of [
      ['ArrowDown', 1],
      ['End', 74],
      ['ArrowUp', 73],
      ['Home', 0],
      ['ArrowDown', 1],
      ['ArrowDown', 2],
      ['ArrowDown', 3],
    ] as const) {
      await page.keyboard.press(key);
      await shows(frame);
      expect(await frameOnCanvas(page)).toBe(frame);
    }
    await expect.poll(() => page.url()).toMatch(/,4$/);

    await page.keyboard.press('r');
    await drag(page, [0.3, 0.4], [0.5, 0.6]);
    // It is on the frame that it was drawn on, and on no other, also after a reload.
    const readRois = async () => (await server.request('/api/file/0/annotations')).json();
    await expect.poll(async () => (await readRois()).roi_frames).toEqual([[3]]);
    const box = surface.locator('[data-roi]');
    await box.waitFor();
    await page.keyboard.press('ArrowDown');
    await shows(4);
    expect(await box.count()).toBe(0);
    await expect.poll(() => page.url()).toMatch(/,5$/);
    await page.reload();
    await shows(4);

    await page.getByRole('button', { name: 'Player' }).click();
    const video = page.locator('video');
    await expect.poll(() => video.getAttribute('data-frame')).toBe('4');
    await page.getByRole('button', { name: 'Frame ›' }).click();
    await expect.poll(() => video.getAttribute('data-frame')).toBe('5');
    expect(await compareWithFrame5(page)).toBeGreaterThan(35);
    await expect.poll(() => page.url()).toMatch(/item=6$/);
    await page.getByRole('button', { name: 'Frames', exact: true }).click();
    await shows(5);

    // The list of ROIs leads to the frame, also from the player.
    await page.getByRole('button', { name: 'Player' }).click();
    await expect.poll(() => video.getAttribute('data-frame')).toBe('5');
    await page.getByRole('tab', { name: 'Marks' }).click();
    await page.getByRole('button', { name: / at \d+, \d+/ }).click();
    await shows(3);
    await box.waitFor();
    expect(complaints).toEqual([]);
  },
);

/** The ratio of signal to noise in dB of the picture in the player against that of FFmpeg: see makeVideos.py. */
async function compareWithFrame5(page: Page): Promise<number> {
  const { pixels, columns, rows } = readPng(readFileSync(join(import.meta.dirname, '../documents/videoFrame5.png')));
  const shown = await page.locator('video').evaluate(
    (video, [width, height]) => {
      const context = new OffscreenCanvas(width, height).getContext('2d')!;
      if (video instanceof HTMLVideoElement) context.drawImage(video, 0, 0, width, height);
      return Array.from(context.getImageData(0, 0, width, height).data.filter((_, at) => at % 4 < 3));
    },
    [columns, rows] as const,
  );
  const squares = pixels.reduce((sum, value, at) => sum + (value - shown[at]!) ** 2, 0);
  return 10 * Math.log10(255 ** 2 / (squares / pixels.length));
}

/** From one point of the cell to another; both are shares of its size. */
async function drag(page: Page, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
  const { x, y, width, height } = (await page.locator('[data-cell="0"]').boundingBox())!;
  const at = ([across, down]: readonly [number, number]) => [x + across * width, y + down * height] as const;
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 3 });
  await page.mouse.up();
}
