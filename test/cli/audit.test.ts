import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { runNegato } from './negatoProcess.ts';

/** A series that lacks the third of five slices, and names its patient in a text. */
function writeGappedSeries(): string {
  const folder = createTempFolder();
  for (const number of [0, 1, 3, 4]) {
    const comment = number === 0 ? { ImageComments: 'Doe, <first> visit', StudyDate: '20240131' } : {};
    writeBelow(folder, `${number}.dcm`, writeSlice({ number }, comment));
  }
  return folder;
}

async function runAudit(...words: readonly string[]) {
  const { exit, output } = await runNegato(['audit', ...words]);
  const { code } = await exit;
  return { code, ...output };
}

test('findings are lines of text, and the exit status says whether there are any of the level', async () => {
  const folder = writeGappedSeries();
  const { code, stdout } = await runAudit(folder, '--only', 'geometry');
  expect(code).toBe(3);
  expect(stdout).toMatch(/^geometry: 1 finding, in 4 files$/m);
  expect(stdout).toMatch(/^ {2}error slice_missing \[1 · Series 1 · CT\]: 1 image may be missing between 2 and 6 mm/m);
  // Nothing is in the folder twice.
  const none = await runAudit(folder, '--only', 'duplicates', '--fail-on', 'info');
  expect(none).toMatchObject({ code: 0, stdout: 'duplicates: 0 findings, in 4 files\n' });
  // UIDs are information.
  expect((await runAudit(folder, '--only', 'burned-in,geometry', '--where', 'InstanceNumber = 99')).code).toBe(0);
}, 120_000);

test('a report is JSON on standard output, with the form of identifying values, or with the values', async () => {
  const folder = writeGappedSeries();
  const read = async (...more: readonly string[]) => {
    const { stdout } = await runAudit(folder, '--only', 'identifiers', '--report', 'json', ...more);
    const [{ findings }] = JSON.parse(stdout).audits;
    return new Map<string, unknown>(
      findings.map(({ code, unit, values }: { code: string; unit: { id: string }; values: { listed?: string[] } }) => [
        `${code} ${unit.id}`,
        values.listed,
      ]),
    );
  };
  const forms = await read();
  expect(forms.get('identifier_element (0010,0010)')).toEqual(['Xxx^Xxxx']);
  expect(forms.get('identifier_in_text (0020,4000)')).toEqual(['Xxx, <xxxxx> xxxxx']);
  expect(forms.get('identifier_date (0008,0020)')).toEqual(['99999999']);
  const values = await read('--show-values');
  expect(values.get('identifier_element (0010,0010)')).toEqual(['Doe^Jane']);
  expect(values.get('identifier_in_text (0020,4000)')).toEqual(['Doe, <first> visit']);
}, 120_000);

test('an HTML report needs nothing else, says what was looked at, and nowhere that there is nothing to find', async () => {
  const out = join(createTempFolder(), 'report.html');
  const { code, stdout } = await runAudit(writeGappedSeries(), '--out', out, '--show-values', '--fail-on', 'error');
  expect(code).toBe(3);
  expect(stdout).toBe('');
  const page = readFileSync(out, 'utf8');
  expect(page).not.toMatch(/<script|https?:|src=|href=/i);
  expect(page).toContain("default-src 'none'");
  expect(page).toContain('1 image may be missing between 2 and 6 mm');
  expect(page).toContain('Doe, &#60;first&#62; visit');
  expect(page).toContain('does not mean that there is nothing to find');
  expect(page).not.toMatch(/anonym|de-?identified|\bclean|\bsafe\b/i);
  // What is there is not replaced.
  writeFileSync(out, 'mine');
  expect((await runAudit(writeGappedSeries(), '--out', out)).code).toBe(1);
  expect(readFileSync(out, 'utf8')).toBe('mine');
}, 120_000);

test('a page has an image of a series in which text is likely, if values are wanted', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a.dcm', writeDicom(ctElements({ BurnedInAnnotation: 'YES' })));
  const out = createTempFolder();
  const read = async (name: string, ...more: readonly string[]) => {
    expect((await runAudit(folder, '--only', 'burned-in', '--out', join(out, name), ...more)).code).toBe(3);
    const page = readFileSync(join(out, name), 'utf8');
    expect(page).toContain('Burned In Annotation is YES');
    return [...page.matchAll(/<img src="data:image\/jpeg;base64,([^"]+)"/g)].map(([, data]) => data ?? '');
  };
  expect(await read('without.html')).toEqual([]);
  const [picture = '', ...others] = await read('with.html', '--show-values');
  // As every JPEG begins.
  expect([...Buffer.from(picture, 'base64').subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  expect(others).toEqual([]);
}, 120_000);

test('a folder without DICOM files is a failure, and not a folder without findings', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'notes.txt', 'no DICOM');
  const { code, stderr } = await runAudit(folder);
  expect(code).toBe(1);
  expect(stderr).toContain('there is no DICOM file');
}, 120_000);

test('a CSV report has a row for each finding, and runs no formula', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'a.dcm', writeDicom(ctElements({ PatientName: '=1+1' })));
  const { stdout } = await runAudit(folder, '--only', 'identifiers', '--report', 'csv', '--show-values');
  const rows: Record<string, string>[] = parse(stdout, { columns: true });
  const name = rows.find(({ id }) => id === '(0010,0010)');
  expect(name).toMatchObject({ audit: 'identifiers', level: 'warning', code: 'identifier_element', count: '1' });
  expect(JSON.parse(name?.['values'] ?? '')).toMatchObject({ listed: ['=1+1'], distinct: 1 });
}, 120_000);

test('a masked run names nobody, and finds no names but pseudonyms', async () => {
  const folder = writeGappedSeries();
  const { stdout, stderr } = await runAudit(folder, '--mask', '--show-values', '--report', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ is_masked: true });
  expect(`${stdout}${stderr}`).not.toMatch(/Doe|Jane|visit|20240131|negato-test/);
  expect(stdout).toMatch(/Patient\^[0-9a-f]{8}/);
}, 120_000);

test('a condition chooses what is looked at, and objects that others name are found in all files', async () => {
  const folder = createTempFolder();
  writeBelow(folder, 'source.dcm', writeSlice({ number: 0 }, { EchoTime: '10' }));
  const uid = '1.2.826.0.1.3680043.10.67.1.1';
  const SourceImageSequence = [{ ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2', ReferencedSOPInstanceUID: uid }];
  const derived = { ImageType: ['DERIVED', 'PRIMARY'], EchoTime: '20', SourceImageSequence };
  writeBelow(folder, 'derived.dcm', writeSlice({ number: 1, series: 2 }, derived));
  const { stdout } = await runAudit(folder, '--only', 'completeness', '--where', 'EchoTime > 15');
  expect(stdout).toBe('completeness: 0 findings, in 1 file\n');
}, 120_000);

test.each([
  [['--only', 'colours'], '--only colours: one of geometry, protocol'],
  [['--out', 'report'], '--out report: a name that ends in .json'],
  [['--fail-on', 'never'], '--fail-on never: one of info, warning, error'],
  [['--where', 'Modality ='], '--where'],
])(
  '%j is a usage error',
  async (words, message) => {
    const { code, stderr } = await runAudit(createTempFolder(), ...words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(existsSync('report')).toBe(false);
  },
  120_000,
);
