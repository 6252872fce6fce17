import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import { findTag } from '../../src/server/standard/dicom/dictionary.ts';
import type { DataSet } from '../../src/server/standard/dicom/dataSet.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { writePlantedCohort } from '../support/plantedCohort.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { runNegato, startNegato } from './negatoProcess.ts';

async function deidentify(words: readonly string[], env: Record<string, string> = {}) {
  const { exit, output } = await runNegato(['deidentify', ...words], { env });
  const { code } = await exit;
  return { code, ...output };
}

function writeKey(folder = createTempFolder()): string {
  const path = join(folder, 'key');
  writeFileSync(path, 'a secret of this test, long enough');
  return path;
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name).slice(folder.length + 1)] : []))
    .toSorted();
}

type Report = {
  readonly copied: readonly { path: string; copy: string; is_redacted: boolean }[];
  readonly not_copied: readonly { path: string; reason: string; detail: string }[];
  readonly audits: readonly { code: string; what: string; state: string; before: number; after: number }[];
};

const readReport = (path: string): Report => JSON.parse(readFileSync(path, 'utf8'));

/** A leaf of a data set: where it is, by tags, and its bytes. */
type Leaf = { readonly place: string; readonly tag: string; readonly vr: string; readonly bytes: Buffer };

const LONG_FORM = ['OB', 'OD', 'OF', 'OL', 'OW', 'SQ', 'UC', 'UN', 'UR', 'UT'];

/**
 * The leaves of a file in Explicit VR Little Endian, read by PS3.5 7.1 without any code of ours. The files of the cohort have
 * defined lengths.
 */
function readLeaves(file: Buffer): Leaf[] {
  const leaves: Leaf[] = [];
  const walk = (from: number, end: number, place: string) => {
    for (let at = from; at < end;) {
      const group = file.readUInt16LE(at).toString(16).padStart(4, '0');
      const tag =
        group +
        file
          .readUInt16LE(at + 2)
          .toString(16)
          .padStart(4, '0');
      const vr = file.toString('latin1', at + 4, at + 6);
      const isLong = LONG_FORM.includes(vr);
      const length = isLong ? file.readUInt32LE(at + 8) : file.readUInt16LE(at + 6);
      const start = at + (isLong ? 12 : 8);
      if (vr === 'SQ') walkItems(start, start + length, `${place}${tag}`);
      else leaves.push({ place: `${place}${tag}`, tag, vr, bytes: file.subarray(start, start + length) });
      at = start + length;
    }
  };
  const walkItems = (from: number, end: number, place: string) => {
    for (let at = from, item = 0; at < end; item += 1) {
      const length = file.readUInt32LE(at + 4);
      walk(at + 8, at + 8 + length, `${place}[${item}].`);
      at += 8 + length;
    }
  };
  walk(132, file.length, '');
  return leaves;
}

/** What the cohort has that no rule names. Everything else has to be gone. */
const KEPT = new Set(
  [
    'SOPClassUID',
    'ImageType',
    'Modality',
    'ConversionType',
    'Manufacturer',
    'ManufacturerModelName',
    'BurnedInAnnotation',
    'SeriesNumber',
    'InstanceNumber',
    'ImageOrientationPatient',
    'ImagePositionPatient',
    'PixelSpacing',
    'SliceThickness',
    'RepetitionTime',
    'EchoTime',
    'FlipAngle',
    'KVP',
    'ConvolutionKernel',
    'ImagesInAcquisition',
    'TemporalPositionIdentifier',
    'NumberOfFrames',
    'SamplesPerPixel',
    'PhotometricInterpretation',
    'Rows',
    'Columns',
    'BitsAllocated',
    'BitsStored',
    'HighBit',
    'PixelRepresentation',
    'PixelData',
    'ReferencedSOPClassUID',
    'ValueType',
    'ContourGeometricType',
    'NumberOfContourPoints',
    'ContourData',
    'ReferencedROINumber',
    'RegionFlags',
  ].map((keyword) => findTag(keyword)!.toString(16).padStart(8, '0')),
);
/** Elements that say that there is a copy. */
const STATED = ['00120062', '00120063', '00120064', '00280303'];
const isStated = ({ place }: Leaf) => STATED.some((tag) => place.startsWith(tag));
const isMeta = ({ tag }: Leaf) => tag.startsWith('0002');
const text = (bytes: Buffer) => bytes.toString('latin1').replaceAll('\0', ' ').trim();

test('copies of a planted cohort have nothing of four characters and more that a rule names, and all else as it was', async () => {
  const [source, scratch] = [createTempFolder(), createTempFolder()];
  const { files } = writePlantedCohort(source);
  const key = writeKey(scratch);
  const run = (out: string, ...more: readonly string[]) => {
    const report = join(scratch, `${out}.json`);
    return deidentify([source, '--out', join(scratch, out), '--mask-key', key, '--report', report, ...more]);
  };
  const { code } = await run('copies');
  const report = readReport(join(scratch, 'copies.json'));
  // One file is a document, of which there is no copy.
  expect({ code, missing: report.not_copied.map(({ reason }) => reason) }).toEqual({ code: 3, missing: ['document'] });
  expect(report.copied).toHaveLength(files - 1);
  const uids = new Map<string, string>();
  for (const { path, copy } of report.copied) {
    const [before, bytes] = [readLeaves(readFileSync(path)), readFileSync(join(scratch, 'copies', copy))];
    const after = readLeaves(bytes);
    const isKept = (leaf: Leaf) => KEPT.has(leaf.tag) && leaf.vr !== 'UN' && !isMeta(leaf);
    // In private sequences, and in those that are removed, nothing is kept.
    const places = new Set(after.map(({ place }) => place));
    const kept = before.filter((leaf) => isKept(leaf) && (!leaf.place.includes('.') || places.has(leaf.place)));
    expect(after.filter(isKept)).toEqual(kept);
    const known = new Set(kept.map((leaf) => text(leaf.bytes)));
    const rest = after.filter((leaf) => !isStated(leaf));
    // Of the meta information, only the UID of the instance is anybody's.
    const isSought = (leaf: Leaf) => (isMeta(leaf) ? leaf.tag === '00020003' : !isKept(leaf) && leaf.vr !== 'US');
    for (const leaf of before.filter(isSought)) {
      const value = text(leaf.bytes);
      if (value.length < 4 || known.has(value) || isStated(leaf)) continue;
      expect(bytes.includes(value, 0, 'latin1'), `${leaf.place} of ${path}`).toBe(false);
    }
    expect(bytes.subarray(0, 128).every((byte) => byte === 0)).toBe(true);
    expect(rest.filter(({ tag }) => Number.parseInt(tag.slice(0, 4), 16) % 2 === 1 || tag.startsWith('60'))).toEqual(
      [],
    );
    for (const leaf of before) {
      const masked = after.find(({ place }) => place === leaf.place);
      if (leaf.vr !== 'UI' || masked === undefined || KEPT.has(leaf.tag) || leaf.tag === '00020010') continue;
      if (isMeta(leaf) && leaf.tag !== '00020003') continue;
      const [original, pseudonym] = [text(leaf.bytes), text(masked.bytes)];
      expect(uids.get(original) ?? pseudonym).toBe(pseudonym);
      uids.set(original, pseudonym);
    }
  }
  // References hold: one UID has one pseudonym everywhere, and no two have the same.
  expect(new Set(uids.values()).size).toBe(uids.size);
  expect(new Set(listFiles(join(scratch, 'copies')))).toEqual(new Set(report.copied.map(({ copy }) => copy)));
  const names = listFiles(join(scratch, 'copies')).join(' ').toLowerCase();
  expect(names).not.toMatch(/quimby|48213|study|1\.2\.826/);
  // Patients and what audits found.
  const change = (named: string, where: string) =>
    report.audits.find(({ code: found, what }) => found === named && what.startsWith(where));
  expect(change('identifier_element', '(0008,0080)')).toMatchObject({ state: 'still', before: 1 });
  expect(change('identifier_element', '(0008,0081)')).toMatchObject({ state: 'gone', before: 1, after: 0 });
  expect(report.audits.filter(({ code: found, after }) => found === 'identifier_in_text' && after > 0)).toEqual([]);
  // The same key gives the same files.
  await run('again', '--no-audit');
  expect(listFiles(join(scratch, 'again'))).toEqual(listFiles(join(scratch, 'copies')));
  for (const name of listFiles(join(scratch, 'again'))) {
    const [again, first] = ['again', 'copies'].map((out) => readFileSync(join(scratch, out, name)));
    expect(again!.equals(first!)).toBe(true);
  }
}, 60_000);

function readFile(path: string): DataSet {
  return readDicom(bufferSource(readFileSync(path))).dataSet;
}

const valueOf = (dataSet: DataSet, keyword: string) => dataSet.string(findTag(keyword)!);

test('dates of a patient are moved by one number of days, and UIDs and devices are kept if that is asked for', async () => {
  const [source, scratch] = [createTempFolder(), createTempFolder()];
  const dated = (number: number, more: object) =>
    writeBelow(source, `${number}.dcm`, writeDicom({ ...ctElements(), PatientID: 'ONE', ...more }));
  dated(1, { SOPInstanceUID: '1.2.3.1', StudyDate: '20240228', ContentDate: '20240301', StudyTime: '101112' });
  dated(2, { SOPInstanceUID: '1.2.3.2', StudyDate: '20230131', DeviceSerialNumber: 'SN-4711' });
  const options = ['--retain-dates=shift', '--retain-uids', '--retain-device'];
  const out = join(scratch, 'copies');
  const report = join(scratch, 'report.json');
  expect(await deidentify([source, '--out', out, '--report', report, ...options])).toMatchObject({ code: 0 });
  const [first, second] = readReport(report)
    .copied.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ copy }) => readFile(join(out, copy)));
  const dayOf = (dataSet: DataSet, keyword: string) => {
    const date = valueOf(dataSet, keyword) ?? '';
    return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6, 8))) / 86_400_000;
  };
  // 2024 is a leap year: two days from 28 February to 1 March, and 393 from 31 January 2023 to 28 February 2024.
  expect(dayOf(first!, 'ContentDate') - dayOf(first!, 'StudyDate')).toBe(2);
  expect(dayOf(first!, 'StudyDate') - dayOf(second!, 'StudyDate')).toBe(393);
  expect(valueOf(first!, 'StudyDate')).not.toBe('20240228');
  expect(valueOf(first!, 'StudyTime')).toBe('101112');
  expect(valueOf(first!, 'LongitudinalTemporalInformationModified')).toBe('MODIFIED');
  expect(valueOf(first!, 'SOPInstanceUID')).toBe('1.2.3.1');
  expect(valueOf(second!, 'DeviceSerialNumber')).toBe('SN-4711');
  const codes = first!.items(findTag('DeidentificationMethodCodeSequence')!).map((item) => valueOf(item, 'CodeValue'));
  // PS3.16 CID 7050.
  expect(codes).toEqual(['113100', '113103', '113104', '113107', '113108', '113109', '113110']);
});

test('what cannot be read to its end is not copied, and no file is replaced', async () => {
  const [source, scratch] = [createTempFolder(), createTempFolder()];
  const whole = writeDicom({ ...ctElements(), SOPInstanceUID: '1.2.3.1' });
  writeBelow(source, 'whole.dcm', whole);
  writeBelow(
    source,
    'cut.dcm',
    writeDicom({ ...ctElements(), SOPInstanceUID: '1.2.3.2' }).subarray(0, whole.length - 9),
  );
  writeBelow(
    source,
    'more.dcm',
    Buffer.concat([
      writeDicom({ ...ctElements(), SOPInstanceUID: '1.2.3.3' }),
      Buffer.from('Quimby^Marjorie, born 1950'),
    ]),
  );
  const key = writeKey(scratch);
  const out = join(scratch, 'copies');
  const words = [source, '--out', out, '--mask-key', key, '--no-audit'];
  const first = await deidentify([...words, '--report', join(scratch, 'first.json')]);
  const report = readReport(join(scratch, 'first.json'));
  expect(first.code).toBe(3);
  expect(report.copied.map(({ path }) => path)).toEqual([join(source, 'whole.dcm')]);
  expect(Object.fromEntries(report.not_copied.map(({ path, reason }) => [path, reason]))).toEqual({
    [join(source, 'cut.dcm')]: 'not_whole',
    [join(source, 'more.dcm')]: 'not_whole',
  });
  const [name = ''] = listFiles(out);
  writeFileSync(join(out, name), 'something else');
  const again = await deidentify(words);
  expect(again.code).toBe(3);
  expect(again.stdout).toContain('A file with the name of the copy is there');
  expect(readFileSync(join(out, name), 'utf8')).toBe('something else');
  // What is read is as it was.
  expect(readFileSync(join(source, 'whole.dcm')).equals(whole)).toBe(true);
});

test.each([
  ['the folder that is read', (source: string) => source],
  ['a folder in it', (source: string) => join(source, 'below/copies')],
  ['a folder around it', (source: string) => join(source, '..')],
])('copies are not written to %s', async (_, toOut) => {
  const source = join(createTempFolder(), 'cohort');
  mkdirSync(source);
  writeBelow(source, '1.dcm', writeDicom(ctElements()));
  const { code, stderr } = await deidentify([source, '--out', toOut(source)]);
  expect({ code, files: listFiles(join(source, '..')) }).toEqual({ code: 1, files: ['cohort/1.dcm'] });
  expect(stderr).toContain('--out cannot be written');
  expect(existsSync(join(source, 'below'))).toBe(false);
});

test('boxes that an earlier run has kept are filled in the copy, and everything around them is as it was', async () => {
  const [source, scratch, home] = [createTempFolder(), createTempFolder(), createTempFolder()];
  const samples = Uint16Array.from({ length: 8 * 10 }, (_, at) => 100 + at);
  const elements = { ...ctElements(), Rows: 8, Columns: 10, PixelData: samples };
  writeBelow(source, '1.dcm', writeDicom({ ...elements, SOPInstanceUID: '1.2.3.1' }));
  writeBelow(source, '2.dcm', writeDicom({ ...elements, SOPInstanceUID: '1.2.3.2' }));
  const env = { HOME: home };
  const viewer = await startNegato([source], { env });
  await viewer.waitFor('stdout', /scan_complete/);
  const body = JSON.stringify({ num_roi: 1, roi_coords: [[2, 3, 4, 7]], roi_frames: [] });
  const headers = { 'Content-Type': 'application/json' };
  const url = new URL('/api/file/0/redactions', viewer.started.url);
  expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(200);
  viewer.signal('SIGTERM');
  await viewer.exit;
  const report = join(scratch, 'report.json');
  const out = join(scratch, 'copies');
  expect(await deidentify([source, '--out', out, '--report', report], env)).toMatchObject({ code: 0 });
  const { copied } = readReport(report);
  expect(Object.fromEntries(copied.map(({ path, is_redacted: isRedacted }) => [path, isRedacted]))).toEqual({
    [join(source, '1.dcm')]: true,
    [join(source, '2.dcm')]: false,
  });
  for (const { copy, is_redacted: isRedacted } of copied) {
    const file = readFileSync(join(out, copy));
    const pixels = readLeaves(file).find(({ tag }) => tag === '7fe00010')!.bytes;
    const found = Array.from({ length: samples.length }, (_, at) => pixels.readUInt16LE(2 * at));
    // Rows 2 and 3, columns 3 to 6, with the darkest sample beside them, which is the first.
    const isInside = (at: number) =>
      isRedacted && Math.floor(at / 10) >= 2 && Math.floor(at / 10) < 4 && at % 10 >= 3 && at % 10 < 7;
    expect(found).toEqual(Array.from(samples, (sample, at) => (isInside(at) ? 100 : sample)));
  }
});

test('a run that is killed leaves no half file under the name of a copy', async () => {
  const [source, scratch] = [createTempFolder(), createTempFolder()];
  const first = join(source, '0.dcm');
  const pixels = new Uint16Array(512 * 512).fill(7);
  const size = { Rows: 512, Columns: 512, PixelData: pixels };
  for (let number = 0; number < 40; number += 1) {
    writeBelow(source, `${number}.dcm`, writeDicom({ ...ctElements(), ...size, SOPInstanceUID: `1.2.3.${number}` }));
  }
  const { length } = readFileSync(first);
  const out = join(scratch, 'copies');
  const run = await runNegato(['deidentify', source, '--out', out, '--no-audit']);
  while (!existsSync(out) || listFiles(out).filter((name) => name.endsWith('.dcm')).length < 3) {
    await new Promise((resume) => setTimeout(resume, 2));
  }
  run.signal('SIGKILL');
  await run.exit;
  const copies = listFiles(out).filter((name) => name.endsWith('.dcm'));
  for (const name of copies) {
    const leaves = readLeaves(readFileSync(join(out, name)));
    expect(leaves.find(({ tag }) => tag === '7fe00010')?.bytes).toHaveLength(pixels.byteLength);
  }
  expect(readFileSync(first)).toHaveLength(length);
});

test.each([
  [['--out'], 'requires a value'],
  [['.'], 'requires --out DIR'],
  [['.', '--out', 'copies', '--retain-dates=all'], '--retain-dates all: only shift'],
  [['.', '--out', 'copies', '--report', 'report.html'], 'ends in .json or .txt'],
])('negato deidentify %j is a usage error', async (words, message) => {
  const { code, stderr } = await deidentify(words);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});
