import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { readPng } from '../support/readPng.ts';
import { reportElements } from '../support/regionElements.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { runNegato } from './negatoProcess.ts';

/** Two series of slices, a report, and a file that is no DICOM file. */
function writeCohort(): string {
  const folder = createTempFolder();
  for (const series of [1, 2]) {
    for (const number of [0, 1, 2]) {
      const description = { SeriesDescription: series === 1 ? 'Head & <neck>' : 'Chest' };
      writeBelow(folder, `${series}-${number}.dcm`, writeSlice({ number, series }, description));
    }
  }
  writeBelow(folder, 'report.dcm', writeDicom(reportElements([], { SeriesDescription: 'Findings' })));
  writeBelow(folder, 'notes.txt', new TextEncoder().encode('no DICOM'));
  return folder;
}

async function runSheet(...words: readonly string[]) {
  const { exit, output } = await runNegato(['sheet', ...words]);
  const { code } = await exit;
  return { code, ...output };
}

test('a page has a picture of every series, needs nothing else, and says what is left out', async () => {
  const out = join(createTempFolder(), 'sheets.html');
  const { code, stdout } = await runSheet(writeCohort(), '--out', out);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^negato: sheets\.html: 3 series, \d+ bytes$/m);
  const page = readFileSync(out, 'utf8');
  const pictures = [...page.matchAll(/<img src="data:image\/jpeg;base64,([^"]+)"/g)];
  expect(pictures).toHaveLength(2);
  // As every JPEG begins.
  for (const [, data] of pictures) expect([...Buffer.from(data!, 'base64').subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  expect(page).toContain('<b>1 · Head &#38; &#60;neck&#62;</b>');
  expect(page).toContain('CT · 3 files');
  expect(page).toContain('Findings');
  expect(page).toMatch(/notes\.txt<\/td><td>Not a DICOM file/);
  expect(page).not.toMatch(/<script|https?:|src="(?!data:)|href=/i);
  expect(page).toContain("default-src 'none'");
}, 120_000);

test('a folder has a PNG of each series and a page over them', async () => {
  const out = join(createTempFolder(), 'sheets');
  const { code } = await runSheet(writeCohort(), '--out', out, '--slices', '2', '--columns', '2', '--width', '62');
  expect(code).toBe(0);
  expect(readdirSync(out).toSorted()).toEqual(['CT-series1-Head_neck_.png', 'CT-series2-Chest.png', 'index.html']);
  const png = readdirSync(out).find((name) => name.endsWith('Chest.png'))!;
  // Two pictures of 30 columns, 20 rows, and a gap of 2.
  expect(readPng(readFileSync(join(out, png)))).toMatchObject({ columns: 62, rows: 20 });
  expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain(`src="${encodeURI(png)}"`);
}, 120_000);

test('nothing is replaced', async () => {
  const out = join(createTempFolder(), 'sheets.html');
  writeFileSync(out, 'mine');
  const { code, stderr } = await runSheet(writeCohort(), '--out', out);
  expect(code).toBe(1);
  expect(stderr).toContain('sheets.html exists and is not replaced');
  expect(readFileSync(out, 'utf8')).toBe('mine');
}, 120_000);

test('the page of a masked run has no names', async () => {
  const out = join(createTempFolder(), 'sheets.html');
  expect((await runSheet(writeCohort(), '--mask', '--out', out)).code).toBe(0);
  expect(readFileSync(out, 'utf8')).not.toMatch(/Doe|Jane|notes\.txt/);
}, 120_000);

test('series that are no volume are left out of a page of planes, and that is no failure', async () => {
  const folder = createTempFolder();
  for (const number of [0, 1, 2]) writeBelow(folder, `${number}.dcm`, writeSlice({ number }));
  writeBelow(folder, 'one.dcm', writeSlice({ number: 0, series: 2 }));
  const out = join(createTempFolder(), 'sheets.html');
  expect((await runSheet(folder, '--plane', 'sagittal', '--out', out)).code).toBe(0);
  expect(readFileSync(out, 'utf8')).toContain('no volume');
}, 120_000);

test('a folder without DICOM files is an error', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'notes.txt', new TextEncoder().encode('no DICOM'));
  const out = join(createTempFolder(), 'sheets.html');
  expect((await runSheet(folder, '--out', out)).code).toBe(1);
  expect(existsSync(out)).toBe(true);
}, 120_000);

test.each([
  [['.'], /requires --out/],
  [['--out', 'a.html'], /requires a PATH/],
  [['.', '--out', 'a.html', '--slices', '65'], /--slices 65: a whole number from 1 to 64/],
  [['.', '--out', 'a.html', '--plane', 'oblique'], /--plane oblique: native, axial, coronal or sagittal/],
  [['.', '--out', 'a.html', '--window', '40'], /--window 40: auto, file, or center and width/],
  [['.', '--out', 'a.html', '--slice', '4'], /unknown option --slice of negato sheet; did you mean --slices\?/],
  [['.', '--out', 'a.html', '--port', '80'], /--port is no option of negato sheet/],
])('negato sheet %j is a usage error', async (words, message) => {
  const { code, stderr } = await runSheet(...words);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
