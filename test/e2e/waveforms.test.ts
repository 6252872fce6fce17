import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findViolationsInBoth } from '../support/axe.ts';
import { openTab } from '../support/browser.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { spectroscopyElements, TWELVE_LEADS, waveformElements, waveformGroup } from '../support/waveformElements.ts';

/** A beat of a millivolt every second, 50 ms long; 30 seconds of twelve leads, then a median beat. */
const ECG = waveformElements(
  [
    waveformGroup({ leads: TWELVE_LEADS, samples: 7_500, value: (sample) => (sample % 250 < 12 ? 1_000 : 0) }),
    waveformGroup({ leads: ['I'], samples: 250, value: () => 100, more: { MultiplexGroupLabel: 'MEDIAN BEAT' } }),
  ],
  { WaveformAnnotationSequence: [{ UnformattedTextValue: 'SINUS RHYTHM', ReferencedWaveformChannels: [1, 0] }] },
);

/** A line at 10 Hz below 4.7 ppm in each of four voxels. */
const SPECTRA = spectroscopyElements(
  (point, spectrum) => {
    const angle = (-2 * Math.PI * 10 * point) / 2_000;
    return [Math.cos(angle) * (spectrum + 1), Math.sin(angle) * (spectrum + 1)];
  },
  { rows: 2, columns: 2, points: 256 },
);

async function openDocument(server: SharedServer) {
  const opened = await openTab(server);
  await opened.page.setViewportSize({ width: 1400, height: 900 });
  await opened.page.goto(`${server.baseUrl}/`);
  return opened;
}

test('an ECG is drawn on paper, measured with callipers, paged and saved; its place is in the address', async () => {
  const server = await serveShared(writeDicom(ECG));
  const { page, complaints } = await openDocument(server);
  const bar = page.getByRole('toolbar', { name: 'Waveform' });
  const drawing = page.getByRole('img', { name: 'ECG: I, II, III, aVR' });
  await drawing.waitFor();
  await page.getByText('25 mm/s · 10 mm/mV on the grid').waitFor();
  await page.getByText('SINUS RHYTHM').waitFor();

  await bar.getByRole('button', { name: 'Callipers' }).click();
  const second = page.getByRole('slider', { name: 'Second calliper' });
  await second.waitFor();
  const reading = page.locator('output', { hasText: 'per minute' });
  // 30 % of the 2.5 s of lead I.
  expect(await reading.textContent()).toMatch(/^750 ms \(80 per minute\), -?0 mV$/);
  await second.press('Shift+ArrowRight');
  await expect.poll(() => reading.textContent()).not.toMatch(/^750 ms/);

  await page.getByRole('button', { name: 'Next' }).click();
  await expect.poll(() => page.url()).toContain('item=1%4010');
  await page.getByText('10.0 s to 20.0 s of 30.0 s').waitFor();

  const [csv] = await Promise.all([
    page.waitForEvent('download'),
    bar.getByRole('button', { name: 'Save CSV' }).click(),
  ]);
  const lines = readFileSync(await csv.path(), 'utf8').split('\r\n');
  expect(lines[0]).toBe(`Time (s),${TWELVE_LEADS.map((lead) => `${lead} (µV)`).join(',')}`);
  // The window begins a sample earlier: 9.996 s is the last sample before a beat.
  expect(lines.slice(1, 3)).toEqual([
    ['9.996', ...TWELVE_LEADS.map(() => '0')].join(','),
    ['10', ...TWELVE_LEADS.map(() => '1000')].join(','),
  ]);
  const [picture] = await Promise.all([
    page.waitForEvent('download'),
    bar.getByRole('button', { name: 'Save picture' }).click(),
  ]);
  expect(
    readFileSync(await picture.path())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  expect(await findViolationsInBoth(page)).toEqual([]);

  await bar.getByLabel('Group').selectOption('all');
  await page.getByRole('img', { name: 'Waveform: I, II' }).waitFor();
  expect(complaints).toEqual([]);
});

/** Lines of each lead at a level of its own, halfway between lines of the grid: 0.1 mV are a millimetre. */
const LEVELS_MV = TWELVE_LEADS.map((_, at) => (at - 5.5) / 10);
const LEVELS = waveformElements([
  waveformGroup({ leads: TWELVE_LEADS, samples: 2_500, value: (_, channel) => 1_000 * LEVELS_MV[channel]! }),
]);

test('an ECG of 3 × 4 has each lead where it belongs, and its step of calibration is 10 mm of the grid high', async () => {
  const server = await serveShared(writeDicom(LEVELS));
  const { page } = await openDocument(server);
  const drawing = page.getByRole('img', { name: 'ECG: I, II, III, aVR' });
  await page.getByText('25 mm/s · 10 mm/mV on the grid').waitFor();
  const { width, height } = (await drawing.boundingBox())!;
  // All 10 s of 25 mm, 10 mm before them and 5 mm after them; there, a column crosses nothing but the grid. A quarter of
  // a millimetre from a line it is on none, although the scale is known only roughly so far.
  const roughPx = width / 265;
  const grid = findLines(await readColumn(drawing, 262.25 * roughPx, 'grid'), 0.5);
  // Strong lines are 5 mm apart, from the upper edge on.
  const mmPx = (grid.at(-1)! - grid[0]!) / (5 * (grid.length - 1));
  expect(grid).toHaveLength(Math.floor(height / (5 * mmPx)) + 1);
  expect(Math.abs(mmPx - roughPx)).toBeLessThan(0.02);

  // The foot of the step is drawn from 1 to 3 mm, its top from 3 to 8 mm. Columns are between lines of the grid.
  const feet = findLines(await readColumn(drawing, 1.5 * mmPx, 'trace'), 0.8);
  const tops = findLines(await readColumn(drawing, 5.5 * mmPx, 'trace'), 0.8);
  expect([feet.length, tops.length]).toEqual([4, 4]);
  for (const [row, foot] of feet.entries()) expect(Math.abs(foot - tops[row]! - 10 * mmPx)).toBeLessThanOrEqual(0.5);

  const rows = [
    ['I', 'aVR', 'V1', 'V4'],
    ['II', 'aVL', 'V2', 'V5'],
    ['III', 'aVF', 'V3', 'V6'],
    ['II', 'II', 'II', 'II'],
  ];
  for (const column of [0, 1, 2, 3]) {
    // The middle of the 2.5 s of a lead.
    const x = (Math.floor(10 + (column + 0.5) * 62.5) + 0.5) * mmPx;
    const lines = findLines(await readColumn(drawing, x, 'trace'), 0.8);
    const expected = rows.map(
      (leads, row) => feet[row]! - 10 * mmPx * LEVELS_MV[TWELVE_LEADS.indexOf(leads[column]!)]!,
    );
    expect(lines).toHaveLength(4);
    for (const [row, y] of lines.entries()) expect(Math.abs(y - expected[row]!)).toBeLessThanOrEqual(0.5);
  }
});

/** How much each pixel of a column has of the ink of the strong lines or of the traces: 0 for paper, 1 for ink. */
async function readColumn(drawing: Locator, x: number, of: 'grid' | 'trace'): Promise<number[]> {
  const { data, color, backgroundColor, borderBottomColor } = await drawing.evaluate((canvas, column) => {
    if (!(canvas instanceof HTMLCanvasElement)) throw new Error('no canvas');
    const pixels = canvas.getContext('2d')!.getImageData(column, 0, 1, canvas.height).data;
    const style = getComputedStyle(canvas);
    const { color: trace, backgroundColor: paper, borderBottomColor: strong } = style;
    return { data: [...pixels], color: trace, backgroundColor: paper, borderBottomColor: strong };
  }, Math.floor(x));
  const paper = toColor(backgroundColor);
  const ink = toColor(of === 'grid' ? borderBottomColor : color).map((value, at) => value - paper[at]!);
  const length = ink.reduce((sum, value) => sum + value * value, 0);
  return Array.from(
    { length: data.length / 4 },
    (_, y) => ink.reduce((sum, value, at) => sum + value * (data[4 * y + at]! - paper[at]!), 0) / length,
  );
}

/** Red, green and blue of `rgb(…)`. */
function toColor(text: string): number[] {
  return (text.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
}

/** The middles of lines that a column crosses, in pixels from its upper edge. A line between two pixels is in both. */
function findLines(column: readonly number[], least: number): number[] {
  const lines: number[] = [];
  for (let y = 0; y < column.length; y += 1) {
    const near = [y - 1, y, y + 1].map((place) => column[place] ?? 0);
    const sum = near.reduce((all, one) => all + one, 0);
    const isHighest = near[1]! >= near[2]! && near[1]! > near[0]!;
    if (isHighest && sum >= least) lines.push(y + 0.5 + (near[2]! - near[0]!) / sum);
  }
  return lines;
}

test('spectra are drawn over a ppm axis from right to left, voxel by voxel', async () => {
  const server = await serveShared(writeDicom(SPECTRA));
  const { page, complaints } = await openDocument(server);
  await page.getByRole('img', { name: /^Spectrum, real part, 0\.0 to 5\.5 ppm/ }).waitFor();
  await page.getByText('256 points filled with zeros to 512').waitFor();
  await page.getByRole('button', { name: 'Row 2, column 1' }).click();
  await expect.poll(() => page.url()).toContain('item=3');
  await page.getByText('row 2, column 1 of 2 × 2').waitFor();
  const numbers = await page.locator('svg[role=img] text').allTextContents();
  const axis = numbers.map(Number).filter((number) => number >= 0 && number <= 5.5);
  expect(axis).toContain(2);
  const places = await page
    .locator('svg[role=img] text')
    .evaluateAll((texts) =>
      texts.filter(({ textContent }) => /^[12]$/.test(textContent)).map((text) => Number(text.getAttribute('x'))),
    );
  expect(places).toEqual(places.toSorted((a, b) => b - a));
  expect(await findViolationsInBoth(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
