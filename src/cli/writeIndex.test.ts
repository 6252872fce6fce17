import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { ctElements } from '../../test/support/ctElements.ts';
import { openByIndex, runIndex } from '../../test/support/indexCommand.ts';
import { lendThread } from '../../test/support/lendThread.ts';
import { createTempFolder } from '../../test/support/tempFolder.ts';
import { listFields } from '../shared/contract/fileFields.ts';
import { createCatalog } from '../server/images/catalog/catalog.ts';
import type { DicomFile } from '../server/images/catalog/dicomFile.ts';
import { type DataSetInput, writeDicom } from '../server/standard/dicom/writeDicom.ts';
import { stateOf } from '../server/bytes/origins/origins.ts';
import { parseArguments } from './arguments.ts';
import { checkStart } from './checkStart.ts';
import { parseIndexArguments } from './indexArguments.ts';
import { toSettings } from './settings.ts';

function createStudy(): string {
  const folder = createTempFolder();
  const write = (name: string, elements: DataSetInput) => writeFileSync(join(folder, name), writeDicom(elements));
  const pose = { ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'], ImagePositionPatient: ['0', '0', '5.5'] };
  const name = { SpecificCharacterSet: 'ISO_IR 192', PatientName: 'Élan' };
  write('ct.dcm', ctElements({ ...pose, WindowCenter: '40', WindowWidth: '400', PixelSpacing: ['0.5', '0.7'] }));
  write('mr.dcm', ctElements({ SOPInstanceUID: '1.2.3', Modality: 'MR', EchoTime: '0.02', ...name }));
  write(
    'slow.dcm',
    ctElements({ SOPInstanceUID: '1.2.4', Modality: 'MR', EchoTime: '0.08', BurnedInAnnotation: 'YES' }),
  );
  write('frames.dcm', ctElements({ SOPInstanceUID: '1.2.5', NumberOfFrames: '3', Rows: 1, Columns: 2 }));
  symlinkSync(join(folder, 'ct.dcm'), join(folder, 'link.dcm'));
  writeFileSync(join(folder, 'notes.txt'), 'no DICOM');
  return folder;
}

async function scan(folder: string): Promise<readonly DicomFile[]> {
  const catalog = createCatalog({ inputs: [folder], scan: { startThread: lendThread } });
  catalog.start();
  await catalog.scanComplete;
  return catalog.files;
}

const recordOf = (file: DicomFile) => ({
  ...Object.fromEntries(listFields().map(({ name }) => [name, file[name]])),
  placement: file.placement && {
    imageType: file.placement.imageType,
    position: file.placement.position,
    orientation: file.placement.orientation,
    hasFrameGeometry: file.placement.hasFrameGeometry,
  },
});

test('the files of an index are those of the scan, field by field, and open without one', async () => {
  const folder = createStudy();
  const out = join(createTempFolder(), 'index.parquet');
  const { code, printed } = await runIndex(folder, '--out', out);
  const scanned = await scan(folder);
  const { files, progress } = await openByIndex('--index', out);

  expect(code).toBe(0);
  expect(printed).toContain('1 skipped: 1 not DICOM');
  expect(files.map(recordOf)).toEqual(scanned.map(recordOf));
  expect(progress.scanComplete).toBe(true);
  // The same file in the same state, so that what is read of it is checked as ever.
  expect(await Promise.all(files.map(({ source }) => stateOf(source)))).toEqual(
    await Promise.all(scanned.map(({ source }) => stateOf(source))),
  );
  // It names patients.
  expect(statSync(out).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(out, '..'))).toEqual(['index.parquet']);
});

test.each([
  ["Modality='MR' and EchoTime<0.03", ['mr.dcm']],
  ["Modality='MR'", ['mr.dcm', 'slow.dcm']],
  ["PatientName like 'É%'", ['mr.dcm']],
  ['frame_count > 1', ['frames.dcm']],
  ['EchoTime is null and not burned_in_annotation = true', ['ct.dcm', 'frames.dcm', 'link.dcm']],
])('--where "%s" opens %j', async (where, expected) => {
  const folder = createStudy();
  const out = join(folder, 'index.parquet');
  await runIndex(folder, '--out', out);
  const { files } = await openByIndex('--index', out, '--where', where);
  const names = files.map(({ path }) => path.slice(folder.length + 1));
  // A link and its file are one file, by whichever name the walk finds first.
  expect(names.filter((name) => name !== 'link.dcm')).toEqual(expected.filter((name) => name !== 'link.dcm'));
});

test('what a file does not have is NULL, and numbers of series and instances are integers', async () => {
  const folder = createTempFolder();
  const { Rows, Columns, BitsAllocated, BitsStored, PixelData, ...others } = ctElements({ SeriesNumber: '07' });
  const {
    SamplesPerPixel: _,
    PhotometricInterpretation: __,
    ...rest
  }: DataSetInput = { ...others, InstanceNumber: '3' };
  const report = Buffer.from(writeDicom({ ...rest, SeriesNumber: '1234567' })).toString('latin1');
  writeFileSync(join(folder, 'report.dcm'), report.replace('1234567', 'seventh'), 'latin1');
  // As before DICOM: it is gray, because its length says so.
  const old = { Rows, Columns, BitsAllocated, BitsStored, PixelData };
  writeFileSync(join(folder, 'old.dcm'), writeDicom({ ...rest, ...old, SOPInstanceUID: '1.2.3' }));
  const out = join(createTempFolder(), 'index.parquet');
  await runIndex(folder, '--out', out);

  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(out) });
  const said = { SamplesPerPixel: null, PhotometricInterpretation: null, NumberOfFrames: null };
  expect(rows.find(({ path }) => String(path).endsWith('old.dcm'))).toMatchObject({
    ...said,
    Rows,
    Columns,
    BitsAllocated,
    BitsStored,
    SeriesNumber: 7,
    InstanceNumber: 3,
    samples_per_pixel: 1,
    bits_stored: BitsStored,
    photometric_interpretation: 'MONOCHROME2',
    frame_count: 1,
    series_number: '07',
  });
  expect(rows.find(({ path }) => String(path).endsWith('report.dcm'))).toMatchObject({
    ...said,
    Rows: null,
    Columns: null,
    BitsAllocated: null,
    BitsStored: null,
    SeriesNumber: null,
    InstanceNumber: 3,
    samples_per_pixel: null,
    bits_stored: null,
    photometric_interpretation: null,
    frame_count: 0,
    series_number: 'seventh',
  });
  // The viewer has the same files by the table as by a scan.
  const { files } = await openByIndex('--index', out);
  expect(files.map(recordOf)).toEqual((await scan(folder)).map(recordOf));
  expect((await openByIndex('--index', out, '--where', 'InstanceNumber < 20 and SeriesNumber = 7')).files).toHaveLength(
    1,
  );
});

test('shards have every file once, and are opened together', async () => {
  const folder = createTempFolder();
  for (let number = 0; number < 40; number += 1) {
    writeFileSync(join(folder, `${number}.dcm`), writeDicom(ctElements({ SOPInstanceUID: `1.2.${number}` })));
  }
  const shards = [1, 2, 3].map((number) => join(folder, `part-${number}.parquet`));
  for (const [at, out] of shards.entries()) await runIndex(folder, '--out', out, '--shard', `${at + 1}/3`);
  const parts = await Promise.all(shards.map((out) => openByIndex('--index', out)));
  const together = await openByIndex(...shards.flatMap((out) => ['--index', out]));

  expect(parts.every(({ files }) => files.length > 0)).toBe(true);
  expect(together.files.map(({ sopInstanceUid }) => sopInstanceUid).toSorted()).toEqual(
    Array.from({ length: 40 }, (_, number) => `1.2.${number}`).toSorted(),
  );
});

test('a file that has changed since it was indexed is gone', async () => {
  const folder = createStudy();
  const out = join(folder, 'index.parquet');
  await runIndex(folder, '--out', out);
  const [first] = (await openByIndex('--index', out, '--where', "Modality='MR'")).files;
  unlinkSync(join(folder, 'mr.dcm'));

  await expect(stateOf(first!.source)).rejects.toMatchObject({ code: 'file_gone' });
});

test('an empty folder has an index without rows', async () => {
  const folder = createTempFolder();
  const out = join(createTempFolder(), 'index.parquet');
  expect((await runIndex(folder, '--out', out)).code).toBe(0);
  expect((await openByIndex('--index', out)).files).toEqual([]);
});

test('a file that is no table is never replaced, and nothing is written for a path that does not exist', async () => {
  const folder = createStudy();
  const notes = join(folder, 'notes.txt');
  expect((await runIndex(folder, '--out', notes)).code).toBe(1);
  expect(readFileSync(notes, 'utf8')).toBe('no DICOM');

  const out = join(folder, 'index.parquet');
  expect((await runIndex(folder, join(folder, 'none'), '--out', out)).code).toBe(1);
  expect((await runIndex(folder, '--out', join(folder, 'none', 'index.parquet'))).code).toBe(1);
  expect(existsSync(out)).toBe(false);
});

test.each([
  [[], 'requires a PATH'],
  [['a'], 'requires --out'],
  [['a', '--out', 'b', '--shard', '0/3'], '--shard 0/3'],
  [['a', '--out', 'b', '--shard', '4/3'], '--shard 4/3'],
  [['a', '--out'], '--out requires a value'],
  [['a', '--out', 'b', '--token'], 'unknown option --token'],
  [['a', '--out', 'b', '--tag', 'EchoTime'], 'unknown option --tag'],
  [['a', '--out', 'b', '--level', 'patient'], '--level patient: one of file, series, study'],
  [['a', '--out', 'b', '--level', 'series', '--shard', '1/2'], '--shard needs rows of files'],
  [['a', '--out', 'b', '--where', 'Rows = 1', '--where', 'Rows = 2'], '--where is given twice'],
  [['http://example.com/', '--out', 'b'], 'add --insecure-http'],
  [['s3://bucket/', '--out', 'b', '--origin-requests', '0'], '--origin-requests 0'],
  [['s3://bucket/', '--out', 'b', '--origin-timeout', '1.5'], '--origin-timeout 1.5'],
  [['s3://bucket/', '--out', 'b', '--origin-timeout', '3601'], '--origin-timeout 3601'],
  [['s3://bucket/', '--out', 'b', '--anonymous=no'], '--anonymous no'],
  [['--merge', 'a', '--out', 'b'], '--merge requires two indexes'],
  [['--merge', 'a', 'b'], 'requires --out'],
  [['--merge', 'a', 'b', '--out', 'c.csv'], '--merge writes a .parquet file'],
  [['--merge', 'a', 'b', '--out', 'c', '--where', 'Rows = 1'], '--where cannot be used with --merge'],
  [['a', '--update', 'b', '--columns=Rows'], '--columns cannot be used with --update'],
  [['a', '--update', 'b', '--out', 'c'], '--out cannot be used with --update'],
  [['s3://bucket/', '--update', 'b'], '--update is for files of this machine'],
])('negato index %j is refused: %s', (words, message) => {
  expect(() => parseIndexArguments(words)).toThrow(message);
});

test('an unknown element, a wrong condition and a file that is no index are refused before anything starts', async () => {
  const folder = createStudy();
  const out = join(folder, 'index.parquet');
  await expect(runIndex(folder, '--out', out, '--columns', 'EchoTme')).rejects.toThrow(
    '--columns: EchoTme has EchoTme',
  );
  await expect(runIndex(folder, '--out', out, '--columns', 'PixelData')).rejects.toThrow('--columns: PixelData is an');
  await expect(runIndex(folder, '--out', out, '--where', 'EchoTme < 1')).rejects.toThrow('no column EchoTme');
  await runIndex(folder, '--out', out, '--columns', 'EchoNumbers');
  await expect(openByIndex('--index', out, '--where', 'EchoTme < 1')).rejects.toThrow('no column EchoTme');
  await expect(openByIndex('--index', join(folder, 'notes.txt'))).rejects.toThrow('cannot be read');
  await expect(openByIndex('--index', join(folder, 'none'))).rejects.toThrow('cannot be read');
});

test('--where without an index opens the files that meet a condition on any of their elements', async () => {
  const folder = createStudy();
  const open = async (where: string) => {
    const command = parseArguments(['--where', where, folder]);
    if (command.kind !== 'open') throw new Error('not a command that opens files');
    const { filters } = await checkStart(toSettings(command.given, {}));
    const catalog = createCatalog({ inputs: [folder], filters, scan: { startThread: lendThread } });
    catalog.start();
    await catalog.scanComplete;
    return {
      names: catalog.files.map(({ path }) => path.slice(folder.length + 1)),
      filtered: catalog.progress.filtered,
    };
  };
  // EchoTime and BurnedInAnnotation are not in the list of files.
  expect(await open('EchoTime < 0.03')).toEqual({ names: ['mr.dcm'], filtered: 3 });
  expect(await open("Modality = 'MR' and BurnedInAnnotation = 'YES'")).toMatchObject({ names: ['slow.dcm'] });
  expect(await open('PatientName like \'É%\' or "(0028,0008)" = 3')).toMatchObject({ names: ['frames.dcm', 'mr.dcm'] });
  await expect(open('EchoTme < 0.03')).rejects.toThrow('--where: there is no column EchoTme');
});

test('a table of chosen columns and rows is CSV or lines of JSON, by the name of the file', async () => {
  const folder = createStudy();
  const where = "Modality = 'MR'";
  const csv = join(createTempFolder(), 'table.csv');
  await runIndex(folder, '--out', csv, '--where', where, '--columns', 'EchoTime,PatientName', '--columns', 'Rows');
  expect(readFileSync(csv, 'utf8')).toBe(
    `path,EchoTime,PatientName,Rows\r\n${folder}/mr.dcm,0.02,Élan,2\r\n${folder}/slow.dcm,0.08,Doe^Jane,2\r\n`,
  );
  const jsonl = join(createTempFolder(), 'table.jsonl');
  await runIndex(folder, '--out', jsonl, '--where', 'EchoTime > 0.05', '--columns', 'EchoTime,ContrastBolusAgent');
  expect(JSON.parse(readFileSync(jsonl, 'utf8'))).toEqual({
    path: join(folder, 'slow.dcm'),
    EchoTime: 0.08,
    ContrastBolusAgent: null,
  });
  // The same command may write it again, but not over something else.
  expect((await runIndex(folder, '--out', jsonl, '--columns', 'Rows')).code).toBe(0);
  const notes = join(createTempFolder(), 'notes.csv');
  writeFileSync(notes, 'name,age');
  expect((await runIndex(folder, '--out', notes)).code).toBe(1);
  expect(readFileSync(notes, 'utf8')).toBe('name,age');
});

test('a Parquet file of chosen columns and rows is an index that opens', async () => {
  const folder = createStudy();
  const out = join(createTempFolder(), 'index.parquet');
  await runIndex(folder, '--out', out, '--where', "Modality = 'MR'", '--columns', 'EchoTime');
  const { files } = await openByIndex('--index', out, '--where', 'EchoTime < 0.05');
  expect(files.map(({ path }) => path)).toEqual([join(folder, 'mr.dcm')]);
});

test('a table of series has one row for each, with the values that all of its files share', async () => {
  const folder = createStudy();
  const out = join(createTempFolder(), 'series.jsonl');
  const columns = ['--columns', 'Modality,EchoTime,InstanceNumber'];
  await runIndex(folder, '--level', 'series', '--out', out, ...columns);
  // All files are of one series; the link is the same file as ct.dcm.
  const { StudyInstanceUID, SeriesInstanceUID } = ctElements();
  expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual({
    StudyInstanceUID,
    SeriesInstanceUID,
    files: 4,
    Modality: null,
    Modality_distinct: 2,
    Modality_min: 'CT',
    Modality_max: 'MR',
    EchoTime: null,
    EchoTime_distinct: 2,
    EchoTime_min: 0.02,
    EchoTime_max: 0.08,
    InstanceNumber: 7,
  });
  await runIndex(folder, '--level', 'study', '--out', out, '--columns', 'InstanceNumber', '--where', 'EchoTime > 1');
  expect(readFileSync(out, 'utf8')).toBe('');
});
