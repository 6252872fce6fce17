import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
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
