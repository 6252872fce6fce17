import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctRow } from '../support/imageElements.ts';
import { needs } from '../support/needs.ts';
import { type SegmentationFrame, segmentationElements } from '../support/placedElements.ts';
import { SLICE_COLUMNS, SLICE_ROWS, SLICE_UID, valueAt, writeSlice } from '../support/sliceFiles.ts';
import { frameAt, VOLUME_COLUMNS, VOLUME_ROWS, writeMultiFrame } from '../support/volumeFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { COMMAND, runNegato } from './negatoProcess.ts';

const SLICES = 4;
const SIZE = SLICE_ROWS * SLICE_COLUMNS;

/** A folder with series of four slices. */
function writeSeries(count = 1, folder = createTempFolder()): string {
  for (let series = 1; series <= count; series += 1) {
    for (let number = 0; number < SLICES; number += 1) {
      writeBelow(folder, `s${series}/${number}.dcm`, writeSlice({ number, series }));
    }
  }
  return folder;
}

/** Boxes that overlap in 20 voxels: columns 8 and 9 of rows 5 to 9, on slices 1 and 2. */
type Inside = (slice: number, row: number, column: number) => boolean;
const FIRST: Inside = (slice, row, column) => slice < 3 && row >= 2 && row < 10 && column >= 3 && column < 10;
const SECOND: Inside = (slice, row, column) => slice > 0 && row >= 5 && row < 15 && column >= 8 && column < 20;

function listVoxels(valueOf: (slice: number, row: number, column: number) => number): number[] {
  return Array.from({ length: SLICES * SIZE }, (_, at) => {
    return valueOf(Math.floor(at / SIZE), Math.floor((at % SIZE) / SLICE_COLUMNS), at % SLICE_COLUMNS);
  });
}

function toFrame(inside: Inside, slice: number, segmentNumber: number): SegmentationFrame {
  const samples = listVoxels((k, row, column) => (inside(k, row, column) ? 1 : 0));
  return {
    samples: samples.slice(slice * SIZE, (slice + 1) * SIZE),
    segmentNumber,
    plane: { position: [0, 0, 2 * slice], orientation: [1, 0, 0, 0, 1, 0], spacing: [1, 1] },
  };
}

function writeSegmentation(folder: string): void {
  const frames = [0, 1, 2, 3].flatMap((slice) => [toFrame(FIRST, slice, 2), toFrame(SECOND, slice, 5)]);
  const declared = [0, 1, 2, 3].map((number) => `${SLICE_UID}.1.${number + 1}`);
  const size = { rows: SLICE_ROWS, columns: SLICE_COLUMNS, type: 'BINARY', segmentNumbers: [2, 5] } as const;
  const elements = segmentationElements(
    { ...size, declared, frames: frames.filter(({ samples }) => samples.includes(1)) },
    { FrameOfReferenceUID: `${SLICE_UID}.102`, SeriesDescription: 'Organs', SeriesNumber: '9' },
  );
  writeBelow(folder, 'organs.dcm', writeDicom(elements));
}

async function runExport(...words: readonly string[]) {
  const { exit, output } = await runNegato(['export', ...words]);
  const { code } = await exit;
  return { code, ...output };
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name).slice(folder.length + 1)] : []))
    .toSorted();
}

/** The samples of a NumPy file, and how it describes them. */
function readNpy(bytes: Buffer) {
  const start = 10 + bytes.readUInt16LE(8);
  const head = bytes.toString('latin1', 10, start);
  const type = /'descr': '(..\d)'/.exec(head)?.[1];
  const read = (at: number) => (type === '<i4' ? bytes.readInt32LE(start + 4 * at) : bytes[start + at]!);
  const shape = /'shape': \(([^)]*)\)/.exec(head)![1]!.split(',').map(Number);
  const length = shape.reduce((product, size) => product * size, 1);
  return { type, shape, values: Array.from({ length }, (_, at) => read(at)) };
}

test('files that are one volume leave as one file', async () => {
  const folder = createTempFolder();
  for (const [k, ms] of [10, 20].entries()) {
    const frames = [0, 2, 4].map((z) => frameAt(z, { MREchoSequence: [{ EffectiveEchoTime: ms }] }));
    const uid = { SOPInstanceUID: `1.2.826.0.1.3680043.10.77.9.${k}` };
    writeBelow(folder, `in/${k}.dcm`, writeMultiFrame(1, frames, uid));
  }
  const { code, stdout } = await runExport('npy', join(folder, 'in'), '--out', join(folder, 'out'));

  expect(stdout).toContain('its images are in the volume of other files of the series');
  expect(stdout).toContain('1 not exported');
  expect(code).toBe(0);
  const [name = ''] = listFiles(join(folder, 'out')).filter((file) => file.endsWith('.npy'));
  expect(readNpy(readFileSync(join(folder, 'out', name))).shape).toEqual([2, 3, VOLUME_ROWS, VOLUME_COLUMNS]);
  expect(listFiles(join(folder, 'out'))).toHaveLength(2);
}, 60_000);

test('volumes leave as NIfTI, NRRD and NumPy, each with a sidecar, and are named after their series', async () => {
  const [folder, out] = [writeSeries(2), join(createTempFolder(), 'new', 'folder')];
  writeBelow(folder, 'one.dcm', writeDicom({ ...ctRow(), Modality: 'CR', SeriesNumber: '7' }));

  const nifti = await runExport('nifti', folder, '--format', 'nii', '--out', out);
  const nrrd = await runExport('nrrd', folder, '--out', out, '--filter', 'series_number=2');

  expect(nifti).toMatchObject({ code: 0, stdout: expect.stringContaining('negato: 2 files written, 1 not exported') });
  expect(nifti.stdout).toMatch(/not exported: CR-series7: no volume: /);
  expect(nrrd).toMatchObject({ code: 1, stderr: expect.stringContaining('CT-series2-Series_2.json exists') });
  expect(listFiles(out)).toEqual([
    'CT-series1-Series_1.json',
    'CT-series1-Series_1.nii',
    'CT-series2-Series_2.json',
    'CT-series2-Series_2.nii',
  ]);
  const bytes = readFileSync(join(out, 'CT-series1-Series_1.nii'));
  // A header of 352 bytes and words. Rows run up; the header has the intercept.
  expect(bytes.length).toBe(352 + 2 * SLICES * SIZE);
  expect(bytes.readFloatLE(116)).toBe(-1024);
  const stored = listVoxels((slice, row, column) =>
    bytes.readInt16LE(352 + 2 * (slice * SIZE + row * SLICE_COLUMNS + column)),
  );
  expect(stored).toEqual(listVoxels((slice, row, column) => 1024 + valueAt(slice, column, SLICE_ROWS - 1 - row)));
  expect(JSON.parse(readFileSync(join(out, 'CT-series1-Series_1.json'), 'utf8'))).toMatchObject({
    Modality: 'CT',
    SeriesNumber: 1,
    ConversionSoftware: 'negato',
  });
});

test('NRRD and NumPy, which have no place for a rescale, have values', async () => {
  const [folder, out] = [writeSeries(), createTempFolder()];

  await runExport('npy', folder, '--out', join(out, 'npy'));
  await runExport('nrrd', folder, '--out', join(out, 'nrrd'));

  const npy = readNpy(readFileSync(join(out, 'npy/CT-series1-Series_1.npy')));
  // 16 bits less 1024 need more than 16.
  expect(npy).toMatchObject({ type: '<i4', shape: [SLICES, SLICE_ROWS, SLICE_COLUMNS] });
  expect(npy.values).toEqual(listVoxels((slice, row, column) => valueAt(slice, column, row)));
  expect(JSON.parse(readFileSync(join(out, 'npy/CT-series1-Series_1.json'), 'utf8'))).toMatchObject({
    Shape: [SLICES, SLICE_ROWS, SLICE_COLUMNS],
    Affine: [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, 2, 0],
      [0, 0, 0, 1],
    ],
  });
  const nrrd = readFileSync(join(out, 'nrrd/CT-series1-Series_1.nrrd'));
  const end = nrrd.indexOf('\n\n') + 2;
  expect(nrrd.toString('utf8', 0, end).split('\n')).toEqual(
    expect.arrayContaining([
      'type: int',
      `sizes: ${SLICE_COLUMNS} ${SLICE_ROWS} ${SLICES}`,
      'space directions: (1,0,0) (0,-1,0) (0,0,2)',
      'space origin: (0,19,0)',
    ]),
  );
  const values = gunzipSync(nrrd.subarray(end));
  expect(
    listVoxels((slice, row, column) => values.readInt32LE(4 * (slice * SIZE + row * SLICE_COLUMNS + column))),
  ).toEqual(listVoxels((slice, row, column) => valueAt(slice, column, SLICE_ROWS - 1 - row)));
});

test('slices that are not equally far apart are an array with the place of each', async () => {
  const [folder, out] = [createTempFolder(), createTempFolder()];
  for (const [number, z] of [0, 2, 5, 6].entries()) {
    writeBelow(folder, `${number}.dcm`, writeSlice({ number }, { ImagePositionPatient: ['0', '0', String(z)] }));
  }
  const refused = await runExport('nifti', folder, '--out', out);
  const written = await runExport('npy', folder, '--out', out);

  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain('the distance between slices is not the same everywhere: 1 to 3 mm');
  expect(written.code).toBe(0);
  const { SliceOrigins } = JSON.parse(readFileSync(join(out, 'CT-series1-Series_1.json'), 'utf8'));
  expect(SliceOrigins).toEqual([0, 2, 5, 6].map((z) => [0, 0, z]));
});

test('labels of a segmentation leave on the grid of its images, with their names in the sidecar', async () => {
  const [folder, out] = [writeSeries(), createTempFolder()];
  writeSegmentation(folder);
  const toPath = (name: string) => join(out, name, 'CT-series1-Series_1-Organs-labels');
  const runs = [
    ['volumes', 'npz', 'volumes'],
    ['files', 'nii', 'files'],
    ['last', 'nrrd', 'last'],
    ['volumes', 'seg', 'seg'],
  ] as const;
  for (const [overlap, format, name] of runs) {
    const { code, stderr } = await runExport(
      'labels',
      folder,
      '--overlap',
      overlap,
      '--format',
      format,
      '--out',
      join(out, name),
    );
    expect({ format, code, stderr }).toMatchObject({ code: 0 });
  }

  const volumes = JSON.parse(readFileSync(`${toPath('volumes')}.json`, 'utf8'));
  expect(volumes).toMatchObject({ volumes: 2, overlapping_samples: 20, overlapping: [[2, 5]] });
  expect(volumes.layers).toEqual([{ layer: expect.any(Number), title: 'Organs' }]);
  expect(volumes.labels.map(({ value, name, volume }: Record<string, unknown>) => [value, name, volume])).toEqual([
    [2, 'segment 2', 0],
    [5, 'segment 5', 1],
  ]);
  for (const [file, value, inside] of [
    ['-1', 2, FIRST],
    ['-2', 5, SECOND],
  ] as const) {
    const bytes = readFileSync(`${toPath('files')}${file}.nii`);
    const start = bytes.readFloatLE(108);
    expect([...bytes.subarray(start)]).toEqual(
      listVoxels((slice, row, column) => (inside(slice, SLICE_ROWS - 1 - row, column) ? value : 0)),
    );
    expect(JSON.parse(readFileSync(`${toPath('files')}${file}.json`, 'utf8')).labels).toMatchObject([{ value }]);
  }
  const last = readFileSync(`${toPath('last')}.seg.nrrd`);
  expect([...gunzipSync(last.subarray(last.indexOf('\n\n') + 2))]).toEqual(
    listVoxels((slice, y, column) => {
      const row = SLICE_ROWS - 1 - y;
      return SECOND(slice, row, column) ? 5 : FIRST(slice, row, column) ? 2 : 0;
    }),
  );
  expect(readFileSync(`${toPath('seg')}.seg.dcm`).toString('latin1', 128, 132)).toBe('DICM');
});

test('labels on the grid of the segmentation need no images; without images the reason is named', async () => {
  const [folder, out] = [createTempFolder(), createTempFolder()];
  writeSegmentation(folder);

  const refused = await runExport('labels', folder, '--out', out);
  const written = await runExport('labels', folder, '--grid', 'own', '--format', 'nii', '--out', out);

  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/not exported: Organs: .+\n.*0 files written, 1 not/),
  });
  expect(written.code).toBe(0);
  expect(listFiles(out)).toEqual(['SEG-series9-Organs-Organs-labels.json', 'SEG-series9-Organs-Organs-labels.nii']);
});

test('labels of copies of one segmentation are all written, each under a name of its own', async () => {
  const [folder, out] = [writeSeries(), createTempFolder()];
  writeSegmentation(folder);
  for (const name of ['copy.dcm', 'other copy.dcm']) copyFileSync(join(folder, 'organs.dcm'), join(folder, name));

  const { code, stderr } = await runExport('labels', folder, '--format', 'nii', '--out', out);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const names = listFiles(out).filter((name) => name.endsWith('.nii'));
  const [stem] = /^CT-series1-Series_1-Organs-labels-[0-9a-f]{8}/.exec(names[0]!) ?? [];
  expect(names).toEqual([`${stem}.nii`, `${stem}x2.nii`, `${stem}x3.nii`]);
});

test('names like those of BIDS have the patient, in a masked run only the pseudonym; nothing else tells who it is', async () => {
  const [folder, out] = [writeSeries(), createTempFolder()];
  writeBelow(folder, 'other.dcm', writeSlice({ number: 0, series: 3 }, { PatientID: 'P 1', StudyDate: '20240131' }));
  const masked = join(out, 'masked');

  await runExport('nifti', folder, '--names', 'bids', '--out', join(out, 'bids'));
  const { stdout, stderr } = await runExport('nifti', folder, '--names', 'bids', '--mask', '--out', masked);

  const [first, second] = listFiles(join(out, 'bids')).filter((name) => name.endsWith('.gz'));
  expect(first).toMatch(/^sub-P1\/ses-\w{8}\/ct\/sub-P1_ses-\w{8}_acq-Series1_run-1_CT\.nii\.gz$/);
  // An ID with other characters is another patient.
  expect(second).toMatch(/^sub-P1x\w{8}\/ses-20240131\/ct\/sub-P1x\w{8}_ses-20240131_acq-Series3_run-3_CT\.nii\.gz$/);
  const files = listFiles(masked);
  expect(files).toHaveLength(4);
  const texts = files.filter((name) => name.endsWith('.json')).map((name) => readFileSync(join(masked, name), 'utf8'));
  expect(`${files.join('\n')}${texts.join('\n')}${stdout}${stderr}`).not.toMatch(/P1|P 1|Doe|Jane|20240131/);
});

test('two series of one name get names of their own, which do not depend on the order of the files', async () => {
  const [folder, out] = [createTempFolder(), createTempFolder()];
  for (const [at, series] of [1, 2, 1, 2].entries()) {
    const same = { SeriesNumber: '1', SeriesDescription: 'Head/Neck ../..' };
    writeBelow(folder, `${at}.dcm`, writeSlice({ number: Math.floor(at / 2), series }, same));
  }
  await runExport('nifti', folder, '--out', out);
  const names = listFiles(out);

  expect(names).toHaveLength(4);
  for (const name of names) expect(name).toMatch(/^CT-series1-Head_Neck_\.\._\.\.-[0-9a-f]{8}\.(json|nii\.gz)$/);
});

test('a file that is there is never replaced, nothing is written through a link, and the exit status says so', async () => {
  const [folder, out, elsewhere] = [writeSeries(), createTempFolder(), createTempFolder()];
  writeBelow(out, 'CT-series1-Series_1.nii.gz', 'mine');
  symlinkSync(join(elsewhere, 'nothing'), join(out, 'CT-series1-Series_1.nrrd'));
  mkdirSync(join(out, 'bids'));
  symlinkSync(elsewhere, join(out, 'bids', 'sub-P1'));

  const nifti = await runExport('nifti', folder, '--out', out);
  const nrrd = await runExport('nrrd', folder, '--out', out);
  const bids = await runExport('nifti', folder, '--names', 'bids', '--out', join(out, 'bids'));

  expect(nifti).toMatchObject({ code: 1, stderr: expect.stringContaining('CT-series1-Series_1.nii.gz exists') });
  expect(nrrd).toMatchObject({ code: 1, stderr: expect.stringContaining('CT-series1-Series_1.nrrd exists') });
  expect(bids).toMatchObject({ code: 1, stderr: expect.stringContaining('sub-P1 is a link or a file') });
  expect(readFileSync(join(out, 'CT-series1-Series_1.nii.gz'), 'utf8')).toBe('mine');
  expect(readdirSync(elsewhere)).toEqual([]);
  expect(listFiles(out)).toEqual(['CT-series1-Series_1.nii.gz']);
});

test('a folder that cannot be made or written ends the run with the reason', async () => {
  const folder = writeSeries();
  const file = writeBelow(createTempFolder(), 'file', '');
  const reasons: [string, RegExp][] = [
    [file, /it is no folder/],
    [join(file, 'below'), /it is no folder/],
  ];
  // Where nobody can make a folder, and where everything is full, on Linux.
  if (process.platform === 'linux') reasons.push(['/proc/negato', /it is not there/], ['/dev/full', /it is no folder/]);
  for (const [out, reason] of reasons) {
    const { code, stderr } = await runExport('nifti', folder, '--out', out);
    expect({ out, code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/--out cannot be written: /),
    });
    expect(stderr).toMatch(reason);
  }
});

test('a volume for which there is no room leaves no part of a file behind', needs('Linux'), async () => {
  const [folder, out] = [writeSeries(2), createTempFolder()];
  const words = `exec "${process.execPath}" "${COMMAND}" export nifti "${folder}" --format nii --out "${out}"`;
  // Blocks of 512 or 1024 bytes; a volume has 5152.
  const { exit, output } = await runNegato([`ulimit -f 4; ${words}`], { command: ['/bin/sh', '-c'] });

  expect((await exit).code).toBe(1);
  expect(output.stderr).toContain('2 of 2 were not written');
  expect(output.stderr).toContain('the file is larger than is allowed');
  expect(readdirSync(out)).toEqual([]);
});

test('a run that is stopped leaves whole files only, each with its sidecar', async () => {
  const [folder, out] = [writeSeries(60), createTempFolder()];
  const negato = await runNegato(['export', 'nifti', folder, '--out', out]);
  await negato.waitFor('stdout', /\.nii\.gz: \d+ bytes/);
  negato.signal('SIGINT');

  expect((await negato.exit).code).toBe(1);
  expect(negato.output.stderr).toContain('stopped before everything was written');
  const names = readdirSync(out);
  const volumes = names.filter((name) => name.endsWith('.nii.gz'));
  expect(volumes.length).toBeGreaterThan(0);
  expect(names.filter((name) => name.endsWith('.part'))).toEqual([]);
  for (const name of volumes) {
    expect(gunzipSync(readFileSync(join(out, name))).length).toBe(352 + 2 * SLICES * SIZE);
    expect(existsSync(join(out, name.replace('.nii.gz', '.json')))).toBe(true);
  }
});

test('a damaged slice fails its series, and the others are written', async () => {
  const [folder, out] = [writeSeries(2), createTempFolder()];
  const whole = writeSlice({ number: 1, series: 2 });
  writeFileSync(join(folder, 's2/1.dcm'), whole.subarray(0, whole.length - 200));

  const { code, stdout, stderr } = await runExport('nifti', folder, '--out', out);

  expect(code).toBe(1);
  expect(stderr).toMatch(/failed: CT-series2-Series_2: .*damaged/);
  expect(stdout).toContain('1 file written, 1 failed');
  expect(listFiles(out)).toEqual(['CT-series1-Series_1.json', 'CT-series1-Series_1.nii.gz']);
});

test.each([
  [['images', '.', '--out', 'x'], /negato export images: what to export is nifti, nrrd, npy or labels/],
  [['nifti', '--out', 'x'], /negato export requires a PATH/],
  [['nifti', '.'], /negato export requires --out DIR/],
  [['nifti', '.', '--out', 'x', '--outt', 'y'], /unknown option --outt of negato export; did you mean --out\?/],
  [['nifti', '.', '--out', 'x', '--port', '80'], /--port is no option of negato export/],
  [['nifti', '.', '--out', 'x', '--grid', 'own'], /--grid is an option of negato export labels/],
  [['nifti', '.', '--out', 'x', '--format', 'npy'], /--format npy: one of nii.gz or nii/],
  [['nifti', '.', '--out', 'x', '--filter', 'Shoe=42'], /--filter: .*Shoe/],
  [['nifti', '.', '--out', 'x', '--where', 'a=1'], /--where: there is no column a/],
  [['labels', '.', '--out', 'x', '--threshold', '2'], /--threshold 2: a number from 0.001 to 1/],
  [['labels', '.', '--out', 'x', '--join', '--grid', 'own'], /--join needs one grid/],
])('negato export %j is a usage error', async (words, message) => {
  const { code, stderr, stdout } = await runExport(...words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(message);
});

test('the help is printed in lines of at most 100 characters', async () => {
  const { code, stdout } = await runExport('--help');
  expect(code).toBe(0);
  expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
});
