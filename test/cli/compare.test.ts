import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { writeNifti, writeNpy, writeNrrd } from '../support/arrayFiles.ts';
import { type SegmentationFrame, segmentationElements } from '../support/placedElements.ts';
import { SLICE_COLUMNS, SLICE_ROWS, SLICE_UID, writeSlice } from '../support/sliceFiles.ts';
import { structureSetElements } from '../support/structureSetElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { runNegato } from './negatoProcess.ts';

const SIZE = [12, 10, 6] as const;
/** Voxels of 2 x 1 x 3 mm, which are 0.006 ml. */
const SFORM = [-2, 0, 0, 10, 0, -1, 0, 20, 0, 0, 3, 30];

type LabelAt = (x: number, y: number, z: number) => number;

/** Label 1 in 4 x 3 x 2 voxels, label 2 in 2 x 2 x 2. */
const TRUTH: LabelAt = (x, y, z) => {
  if (x >= 2 && x < 6 && y >= 2 && y < 5 && z >= 1 && z < 3) return 1;
  return x >= 8 && x < 10 && y >= 6 && y < 8 && z >= 3 && z < 5 ? 2 : 0;
};
/** One voxel along x. */
const SHIFTED: LabelAt = (x, y, z) => TRUTH(x - 1, y, z);
const WITHOUT_2: LabelAt = (x, y, z) => (TRUTH(x, y, z) === 1 ? 1 : 0);

function listSamples(labelAt: LabelAt, [width, height, depth]: readonly [number, number, number] = SIZE): Uint8Array {
  return Uint8Array.from({ length: width * height * depth }, (_, at) =>
    labelAt(at % width, Math.floor(at / width) % height, Math.floor(at / (width * height))),
  );
}

function nifti(labelAt: LabelAt, sform: readonly number[] = SFORM): Uint8Array {
  return writeNifti({ sizes: SIZE, samples: listSamples(labelAt), sform });
}

/** The same labels with the first axis in the other direction. */
function mirrored(labelAt: LabelAt): Uint8Array {
  const last = SIZE[0] - 1;
  return nifti((x, y, z) => labelAt(last - x, y, z), [2, 0, 0, 10 - 2 * last, 0, -1, 0, 20, 0, 0, 3, 30]);
}

function writeFolders(files: Readonly<Record<string, Uint8Array>>): string {
  const folder = createTempFolder();
  for (const [path, bytes] of Object.entries(files)) writeBelow(folder, path, bytes);
  return folder;
}

async function runCompare(folder: string, ...words: readonly string[]) {
  const { exit, output } = await runNegato(['compare', ...words], { cwd: folder });
  const { code } = await exit;
  return { code, ...output };
}

type Row = Readonly<Record<string, string>>;

function readCsv(path: string): readonly Row[] {
  const [head = '', ...lines] = readFileSync(path, 'utf8').trim().split('\r\n');
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell])));
}

const chosen = (rows: readonly Row[], ...names: readonly string[]) => rows.map((row) => names.map((name) => row[name]));

test('cases of two folders are paired by name, and each part of each case is a row', async () => {
  const folder = writeFolders({
    'labels/case_001.nii': nifti(TRUTH),
    'labels/case_002.nii': nifti(TRUTH),
    'predictions/case_002.nii': nifti(WITHOUT_2),
    'predictions/case_001.nii': mirrored(SHIFTED),
  });

  const { code, stdout } = await runCompare(folder, 'labels', 'predictions', '--out', 'scores.csv');

  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('2 cases compared') });
  const rows = readCsv(join(folder, 'scores.csv'));
  expect(chosen(rows, 'case', 'case_paired_by', 'part', 'part_paired_by')).toEqual([
    ['case_001', 'name', 'Label 1', 'number'],
    ['case_001', 'name', 'Label 2', 'number'],
    ['case_002', 'name', 'Label 1', 'number'],
    ['case_002', 'name', 'Label 2', 'number'],
  ]);
  // 3 of 4 voxels along x are in both, then 1 of 2; a label that is nowhere in the prediction has no distances.
  expect(rows.map(({ dice }) => Number(dice))).toEqual([3 / 4, 1 / 2, 1, 0]);
  expect(rows.map(({ truth_ml: ml }) => Number(ml))).toEqual([0.144, 0.048, 0.144, 0.048]);
  expect(chosen(rows, 'hd_mm', 'components_missed', 'components_false', 'notes')).toEqual([
    ['2', '0', '0', ''],
    ['2', '0', '0', ''],
    ['0', '0', '0', ''],
    ['', '1', '0', ''],
  ]);
});

test('a report has everything in it, the worst case first, and no script', async () => {
  const folder = writeFolders({
    'truth/a.nii': nifti(TRUTH),
    'truth/<b>.nii': nifti(TRUTH),
    'test/a.nii': nifti(TRUTH),
    'test/<b>.nii': nifti(SHIFTED),
  });

  const words = ['truth', 'test', '--out', 'scores.jsonl', '--report', 'report.html', '--tolerance', '3'];
  const { code } = await runCompare(folder, ...words);

  expect(code).toBe(0);
  const page = readFileSync(join(folder, 'report.html'), 'utf8');
  expect(page).not.toMatch(/<script|<b>|https?:/);
  expect(page).toContain("default-src 'none'");
  expect(page).toContain('tolerance 3 mm');
  const dice = [...page.matchAll(/<td class="text">Label \d<\/td><td class="number">([\d.]+)</g)].map(([, one]) => one);
  // The summary has two cases of each part, and then each case its Dice.
  expect(dice).toEqual(['2', '2', '0.5000', '0.7500', '1.0000', '1.0000']);
});

test('scores are columns with types in a Parquet file', async () => {
  const folder = writeFolders({ 'a.nii': nifti(TRUTH), 'b.nii': nifti(SHIFTED) });

  const { code } = await runCompare(folder, 'a.nii', 'b.nii', '--out', 'scores.parquet', '--numbers', 'overlap');

  expect(code).toBe(0);
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, 'scores.parquet')) });
  expect(rows).toMatchObject([
    { case: 'a', case_paired_by: 'request', part: 'Label 1', dice: 3 / 4, hd_mm: null, components_found: null },
    { case: 'a', part: 'Label 2', dice: 1 / 2 },
  ]);
});

test('a test on another grid is resampled on that of the truth, and the table says so', async () => {
  // Voxels of half the size along x: two of them lie in each of the truth.
  const wide = [2 * SIZE[0], SIZE[1], SIZE[2]] as const;
  const samples = listSamples((x, y, z) => TRUTH(Math.floor(x / 2), y, z), wide);
  const fine = writeNifti({ sizes: wide, samples, sform: [-1, 0, 0, 10.5, 0, -1, 0, 20, 0, 0, 3, 30] });
  const folder = writeFolders({ 'a.nii': nifti(TRUTH), 'b.nii': fine });

  await runCompare(folder, 'a.nii', 'b.nii', '--out', 'scores.csv');

  const rows = readCsv(join(folder, 'scores.csv'));
  expect(rows.map(({ dice, test_ml: ml }) => [Number(dice), Number(ml)])).toEqual([
    [1, 0.144],
    [1, 0.048],
  ]);
  expect(rows[0]?.notes).toContain('the test has another grid');
});

const nameSegments = (...names: readonly string[]) =>
  names.flatMap((name, at) => [
    `Segment${at}_ID:=${at}`,
    `Segment${at}_LabelValue:=${at + 1}`,
    `Segment${at}_Layer:=0`,
    `Segment${at}_Name:=${name}`,
  ]);

test('names of segments decide, and other formats are read as well', async () => {
  const fields = ['type: uint8', 'dimension: 3', 'space: left-posterior-superior', `sizes: ${SIZE.join(' ')}`];
  const space = ['space directions: (2,0,0) (0,1,0) (0,0,3)', 'space origin: (-10,-20,30)', 'encoding: raw'];
  const write = (names: readonly string[], labelAt: LabelAt) =>
    writeNrrd([...fields, ...space, ...names], Buffer.from(listSamples(labelAt)).toString('latin1'));
  const swapped: LabelAt = (x, y, z) => [0, 2, 1][TRUTH(x, y, z)]!;
  const folder = writeFolders({
    'truth/a.seg.nrrd': write(nameSegments('Liver', 'Cyst'), TRUTH),
    'truth/b.npy': writeNpy([SIZE[2], SIZE[1], SIZE[0]], listSamples(TRUTH)),
    'test/a.seg.nrrd': write(nameSegments('cyst', 'Kidney'), swapped),
    'test/b.npy': writeNpy([SIZE[2], SIZE[1], SIZE[0]], listSamples(SHIFTED)),
  });

  const { code } = await runCompare(folder, 'truth', 'test', '--out', 'scores.csv', '--numbers', 'overlap');

  expect(code).toBe(0);
  const rows = readCsv(join(folder, 'scores.csv'));
  expect(chosen(rows, 'case', 'part', 'test_part', 'dice')).toEqual([
    ['a', 'Cyst', 'cyst', '1'],
    ['a', 'Liver', '', ''],
    ['a', '', 'Kidney', ''],
    ['b', 'Label 1', 'Label 1', '0.75'],
    ['b', 'Label 2', 'Label 2', '0.5'],
  ]);
});

const SLICES = 4;
const SPACE = { FrameOfReferenceUID: `${SLICE_UID}.102` };
const inBox: LabelAt = (x, y, z) => (x >= 3 && x < 10 && y >= 2 && y < 10 && z < 3 ? 1 : 0);
const sliceSize = [SLICE_COLUMNS, SLICE_ROWS, SLICES] as const;

/** Of series `series`, whose images are in the space of all series. */
function writeSegment(series: number, labelAt: LabelAt): Uint8Array {
  const size = SLICE_ROWS * SLICE_COLUMNS;
  const all = listSamples(labelAt, sliceSize);
  const frames = Array.from({ length: SLICES }, (_, slice): SegmentationFrame => {
    const plane = { position: [0, 0, 2 * slice], orientation: [1, 0, 0, 0, 1, 0], spacing: [1, 1] as const };
    return { samples: [...all.subarray(slice * size, (slice + 1) * size)], segmentNumber: 1, plane };
  });
  const declared = Array.from({ length: SLICES }, (_, number) => `${SLICE_UID}.${series}.${number + 1}`);
  const written = { rows: SLICE_ROWS, columns: SLICE_COLUMNS, type: 'BINARY', frames, declared } as const;
  return writeDicom({ ...segmentationElements(written, SPACE), SOPInstanceUID: `2.25.70${series}` });
}

test('objects of DICOM are compared with each other and with arrays over their images', async () => {
  const points = [
    [3, 2],
    [10, 2],
    [10, 10],
    [3, 10],
  ];
  const contours = [0, 2, 4].map((z) => ({ points: points.map(([x, y]) => [x!, y!, z]) }));
  const different = { ReferencedFrameOfReferenceUID: `${SLICE_UID}.102` };
  const roi = { number: 1, name: 'segment 1', contours, different };
  const images = Array.from(
    { length: SLICES },
    (_, number) => [`images/${number}.dcm`, writeSlice({ number })] as const,
  );
  const folder = writeFolders({
    ...Object.fromEntries(images),
    'truth/rt.dcm': writeDicom(structureSetElements([roi], SPACE)),
    'one/seg.dcm': writeSegment(1, inBox),
    'two/labels.npy': writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], listSamples(inBox, sliceSize)),
  });

  for (const [at, other] of ['one', 'two'].entries()) {
    const { code } = await runCompare(folder, 'truth', other, 'images', '--out', `${at}.csv`);
    const rows = readCsv(join(folder, `${at}.csv`));
    expect({ code, rows: chosen(rows, 'dice', 'hd_mm') }).toEqual({ code: 0, rows: [['1', '0']] });
    expect(rows[0]?.notes).toContain('the outlines of the truth are filled');
    // Neither the structure set nor the array names its images.
    expect(chosen(rows, 'StudyInstanceUID', 'SeriesInstanceUID')).toEqual([[`${SLICE_UID}.100`, `${SLICE_UID}.101.1`]]);
  }
});

test('arrays over the images of one series are a case of that series, and the command says how to look at it', async () => {
  const images = Array.from(
    { length: SLICES },
    (_, number) => [`images/${number}.dcm`, writeSlice({ number })] as const,
  );
  const labels = writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], listSamples(inBox, sliceSize));
  const folder = writeFolders({ ...Object.fromEntries(images), 'truth/a.npy': labels, 'test/a.npy': labels });

  const words = ['truth', 'test', 'images', '--out', 'scores.csv', '--report', 'report.html', '--numbers', 'overlap'];
  const { code, stdout } = await runCompare(folder, ...words);

  const rows = readCsv(join(folder, 'scores.csv'));
  expect({ code, rows: chosen(rows, 'case', 'StudyInstanceUID', 'SeriesInstanceUID') }).toEqual({
    code: 0,
    rows: [['a', `${SLICE_UID}.100`, `${SLICE_UID}.101.1`]],
  });
  expect(stdout).toContain('negato images --truth truth --test test --scores scores.csv');
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain(`${SLICE_UID}.101.1`);
});

test('what could be several cases is refused and named, and the others are compared', async () => {
  const folder = writeFolders({
    'truth/a/seg.nii': nifti(TRUTH),
    'truth/b/seg.nii': nifti(TRUTH),
    'truth/c.nii': nifti(TRUTH),
    'test/x/seg.nii': nifti(TRUTH),
    'test/c.nii': nifti(TRUTH),
  });

  const { code, stdout } = await runCompare(folder, 'truth', 'test', '--out', 'scores.csv');

  expect(code).toBe(1);
  expect(stdout).toMatch(/not compared: .*a.seg\.nii, .*b.seg\.nii: each could be of the same case as .*x.seg\.nii/);
  expect(chosen(readCsv(join(folder, 'scores.csv')), 'case')).toEqual([['c'], ['c']]);
});

test('values that are no labels fail their case, and files that exist are not replaced', async () => {
  const probabilities = new Uint8Array(new Float32Array(listSamples(TRUTH)).map((value) => value / 4).buffer);
  const folder = writeFolders({
    'a.nii': nifti(TRUTH),
    'b.nii': writeNifti({ sizes: SIZE, samples: probabilities, datatype: 16, sform: SFORM }),
  });
  writeFileSync(join(folder, 'kept.csv'), 'mine');

  const failed = await runCompare(folder, 'a.nii', 'b.nii', '--out', 'scores.csv');
  const kept = await runCompare(folder, 'a.nii', 'a.nii', '--out', 'kept.csv');

  expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/the value 0\.\d+ is no label/) });
  expect(kept).toMatchObject({ code: 1, stderr: expect.stringContaining('kept.csv exists and is not replaced') });
  expect(readFileSync(join(folder, 'kept.csv'), 'utf8')).toBe('mine');
});

test.each([
  [['a'], /takes TRUTH, TEST and/],
  [['a', 'b'], /requires --out FILE\.csv/],
  [['a', 'b', '--out', 'c.txt'], /the name ends in \.csv/],
  [['a', 'b', '--out', 'c.csv', '--report', 'd.pdf'], /the name ends in \.html/],
  [['a', 'b', '--out', 'c.csv', '--tolerance', '-1'], /a number from 0 to 1000/],
  [['a', 'b', '--out', 'c.csv', '--connectivity', '8'], /6, 18 or 26/],
])('%j is refused', async (words, reason) => {
  const { code, stderr } = await runCompare(createTempFolder(), ...words);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(reason) });
});

test('a masked run writes no name of a file', async () => {
  const folder = writeFolders({
    'truth/miller.nii': nifti(TRUTH),
    'truth/smith.nii': nifti(TRUTH),
    'test/miller.nii': nifti(TRUTH),
  });

  const words = ['truth', 'test', '--out', 'scores.csv', '--report', 'report.html', '--mask'];
  const { code, stdout, stderr } = await runCompare(folder, ...words);

  expect(code).toBe(0);
  const written = ['scores.csv', 'report.html'].map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(readCsv(join(folder, 'scores.csv'))).toHaveLength(2);
  expect([...written, stdout, stderr].filter((text) => /miller|smith/.test(text))).toEqual([]);
});

test('the same folder cannot be both', async () => {
  const folder = writeFolders({ 'a/a.nii': nifti(TRUTH) });
  const { code, stderr } = await runCompare(folder, 'a', './a/', '--out', 'scores.csv');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('TRUTH and TEST are the same') });
  expect(existsSync(join(folder, 'scores.csv'))).toBe(false);
});
