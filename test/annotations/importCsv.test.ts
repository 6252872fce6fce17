import { packTargets } from '../../src/server/work/annotations/roiTargets.ts';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  createWriteStream,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type AnnotatedFile } from '../../src/server/work/journal/annotatedFiles.ts';
import { importCsv } from '../../src/server/work/annotations/importCsv.ts';
import { findImported, unpackRois } from '../../src/server/work/annotations/packedRois.ts';
import type { ImportResult } from '../../src/server/work/annotations/annotationTasks.ts';
import { createImage } from '../support/annotatedFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const HEADER = 'anon_dicom_path,num_ROI,ROI_coords,ROI_frames\n';
// 100 rows, 200 columns, 5 frames each.
const IMAGES = [createImage('/data/1.dcm'), createImage('/data/2.dcm'), createImage('/data/3.dcm')];

describe('rows of open files are imported', () => {
  test('with their count, boxes and frames', async () => {
    const rows = '/data/2.dcm,2,"[[1,2,3,4],[5,6,7,8]]","[[4,0,4],[]]"\n/data/1.dcm,1,"[[0,0,100,200]]",[]\n';
    const result = await importText(HEADER + rows);
    expect(payloadOf(result, 0)).toEqual({ num_roi: 1, roi_coords: [[0, 0, 100, 200]], roi_frames: [] });
    expect(payloadOf(result, 1)).toEqual({
      num_roi: 2,
      roi_coords: [
        [1, 2, 3, 4],
        [5, 6, 7, 8],
      ],
      roi_frames: [[0, 4], []],
    });
    expect(payloadOf(result, 2)).toBeUndefined();
    expect(result).toMatchObject({ unmatchedRows: 0 });
  });

  test.each([
    ['a byte order mark', `\ufeff${HEADER}/data/1.dcm,1,"[[1,2,3,4]]",[]\n`],
    ['CRLF', `${HEADER}/data/1.dcm,1,"[[1,2,3,4]]",[]\n`.replaceAll('\n', '\r\n')],
    ['line breaks of old Macs', `${HEADER}/data/1.dcm,1,"[[1,2,3,4]]",[]\n`.replaceAll('\n', '\r')],
    ['line breaks of two kinds', `${HEADER}/x,,,\r\n\r\n/data/1.dcm,1,"[[1,2,3,4]]",[]\r\n`],
    ['blank lines', `\n\n${HEADER}\n\n/data/1.dcm,1,"[[1,2,3,4]]",[]\n\n\n`],
    ['no line break at the end', `${HEADER}/data/1.dcm,1,"[[1,2,3,4]]",[]`],
    ['line breaks inside the JSON', `${HEADER}/data/1.dcm,1,"[\n  [1, 2,\r\n 3, 4]\n]","[\n]"\n`],
    ['every cell in quotes', `${HEADER}"/data/1.dcm","1","[[1,2,3,4]]","[]"\n`],
    ['the required columns only', `anon_dicom_path,ROI_coords\n/data/1.dcm,"[[1,2,3,4]]"\n`],
    ['empty optional cells', `${HEADER}/data/1.dcm,,"[[1,2,3,4]]",\n`],
    ['a count with a decimal point', `${HEADER}/data/1.dcm,1.0,"[[1,2,3,4]]",\n`],
    ['other columns in another order', `age,ROI_coords,"a\nb",anon_dicom_path\n7,"[[1,2,3,4]]","x""y",/data/1.dcm\n`],
    ['rows of other files that are no JSON', `${HEADER}/other,1,{,nan\n/data/1.dcm,1,"[[1,2,3,4]]",[]\n/other,x,"",\n`],
    [
      'stray quotes in rows of other files',
      `${HEADER}/other,5" disk,"a"b,\n/data/1.dcm,1,"[[1,2,3,4]]",[]\n/o"ther,",",x"y\n`,
    ],
    [
      'unquoted JSON in rows of other files',
      `${HEADER}/other,1,[["a","b, c"],{"k":"v"}],[]\n/data/1.dcm,1,"[[1,2,3,4]]",[]\n`,
    ],
    ['NUL bytes in rows of other files', `${HEADER}/other,\0,\0,\n/ot\0her,1,[],\n/data/1.dcm,1,"[[1,2,3,4]]",[]\n`],
    ['rows of other files that are too short', `${HEADER}/other\n/data/1.dcm,1,"[[1,2,3,4]]",[]\n`],
  ])('from a CSV with %s', async (_, text) => {
    const box = { num_roi: 1, roi_coords: [[1, 2, 3, 4]], roi_frames: [] };
    expect(payloadOf(await importText(text), 0)).toEqual(box);
  });

  test('a row without ROIs is an annotation of none', async () => {
    expect(payloadOf(await importText(`${HEADER}/data/1.dcm,0,[],[]\n`), 0)).toMatchObject({ num_roi: 0 });
  });

  test('rows that match nothing are counted', async () => {
    const result = await importText(`${HEADER}/a,1,x,y\n\n/b,1,x,y\n/data/1.dcm,0,[],[]\n"/c",,,\n`);
    expect(result).toMatchObject({ ok: true, unmatchedRows: 3 });
  });

  test('relative paths begin at the start directory', async () => {
    const result = await importText(`${HEADER}../data/./1.dcm,0,[],[]\n..\\data\\2.dcm,0,[],[]\n`, '/start');
    expect([payloadOf(result, 0), payloadOf(result, 1)]).toMatchObject([{ num_roi: 0 }, { num_roi: 0 }]);
  });
});

describe('one invalid row of an open file refuses the whole CSV and names the place', () => {
  const good = '/data/3.dcm,1,"[[1,2,3,4]]",[]\n';
  test.each([
    ['/data/1.dcm,1,"[[1,2,3,4",[]', 'column ROI_coords: "[[1,2,3,4" is not JSON'],
    ['/data/1.dcm,1,"((1,2,3,4),)",[]', 'column ROI_coords: "((1,2,3,4),)" is not JSON'],
    ['/data/1.dcm,1,"[[1,2,3,NaN]]",[]', 'column ROI_coords: "[[1,2,3,NaN]]" is not JSON'],
    ['/data/1.dcm,1,,[]', 'column ROI_coords: is empty; write [] for no ROIs'],
    ['/data/1.dcm,1,"[[1,2,3]]",[]', 'column ROI_coords: ROI 0: a box must be four numbers'],
    ['/data/1.dcm,1,"{""__proto__"":1}",[]', 'column ROI_coords: roi_coords must be an array of boxes'],
    ['/data/1.dcm,2,"[[1,2,3,4]]",[]', 'column num_ROI: num_roi is 2, but roi_coords has 1 box'],
    ['/data/1.dcm,one,"[[1,2,3,4]]",[]', 'column num_ROI: "one" is not a count'],
    ['/data/1.dcm,-1,[],[]', 'column num_ROI: "-1" is not a count'],
    ['/data/1.dcm,1,"[[3,2,3,4]]",[]', 'column ROI_coords: ROI 0: ymax 3 is not greater than ymin 3'],
    ['/data/1.dcm,1,"[[3,4,9,2]]",[]', 'column ROI_coords: ROI 0: xmax 2 is not greater than xmin 4'],
    ['/data/1.dcm,1,"[[1,2,101,4]]",[]', 'column ROI_coords: ROI 0: ymax 101 is greater than 100, the number of rows'],
    ['/data/1.dcm,1,"[[1,2,3,4.5]]",[]', 'column ROI_coords: ROI 0: xmax 4.5 is not an integer'],
    ['/data/1.dcm,1,"[[1,2,3,1e400]]",[]', 'column ROI_coords: ROI 0: xmax Infinity is not an integer'],
    ['/data/1.dcm,1,"[[1,2,3,4]]",[[5]]', 'column ROI_frames: ROI 0: frame 5 is outside 0 to 4'],
    ['/data/1.dcm,1,"[[1,2,3,4]]","[[],[]]"', 'column ROI_frames: roi_frames has 2 lists for 1 box'],
    ['/data/1.dcm,1,"[[1,2,3,4]]",[', 'column ROI_frames: "[" is not JSON'],
    ['/data/1.dcm,1,"[[1,2,3,4]]",null', 'column ROI_frames: roi_frames must be an array'],
    ['/data/../data/3.dcm,0,[],[]', 'column anon_dicom_path: a second row for /data/3.dcm'],
    [
      '/data/1.dcm,1,[[1,2,3,4]],[]',
      'column ROI_frames: the row has 7 cells, but the header has 4; JSON cells must be quoted',
    ],
    ['/data/1.dcm,1', 'column ROI_coords: the row has 2 cells, but the header has 4'],
    ['/data/1.dcm,1,"[[1,2,3,4]]",\0', 'column ROI_frames: a NUL byte'],
    ['/data/1.dcm,\0,"[[1,2,3,4]]",', 'column num_ROI: a NUL byte'],
    ['/data/1.dcm,1,a"b,', 'column ROI_coords: a quote inside a cell that does not begin with one'],
    ['/data/1.dcm,1,"a"b,', 'column ROI_coords: text after the closing quote of a cell'],
    ['/data/1.dcm,1,"[[', 'column ROI_coords: a quoted cell that is never closed'],
  ])('%j', async (row, reason) => {
    // Lines: 1 header, 2 valid, 3 blank, 4 to 5 a row with a line break in a cell, 6 the row in question.
    const path = writeBelow(createTempFolder(), 'rois.csv', `${HEADER}${good}\n/other,,"a\r\nb",\r\n${row}\n`);
    const result = await importFile(path);
    expect(result).toEqual({ ok: false, message: expect.stringContaining(`${path}: line 6, ${reason}`) });
  });

  test('a row of another file may have a quote that is not closed, and hides no row', async () => {
    const rows = '/other.dcm,1,"[[\n/data/1.dcm,1,"[[1,2,3,4]]",[]\n/other.dcm,1,"[[\n';
    expect(await importText(HEADER + rows)).toMatchObject({ ok: true, unmatchedRows: 2 });
  });

  test('a line may end in CR alone', async () => {
    const text = `${HEADER}/other,,,\n/data/1.dcm,1,x,\n`.replaceAll('\n', '\r');
    expect(await importText(text)).toMatchObject({ message: expect.stringContaining('line 3, column ROI_coords') });
  });

  test('a header that has become another since the start is refused', async () => {
    expect(await importText('anon_dicom_path\n')).toMatchObject({
      ok: false,
      message: expect.stringContaining('ROI_coords'),
    });
  });

  test('a file that is gone is refused', async () => {
    const result = await importFile(join(createTempFolder(), 'gone.csv'));
    expect(result).toEqual({ ok: false, message: expect.stringContaining('gone.csv: cannot be opened (ENOENT)') });
  });
});

test('a CSV much larger than the chunks it is read in is imported in their memory', async () => {
  // 300,000 rows, of which 100 match. The cells of the others are not valid JSON.
  const path = join(createTempFolder(), 'large.csv');
  const out = createWriteStream(path);
  out.write(HEADER);
  for (let start = 0; start < 300_000; start += 1_000) {
    const rows = Array.from(
      { length: 1_000 },
      (_, i) => `/data/patient${start}/IM-${start + i}.dcm,2,"[[10,20,30,40],[",x\n`,
    );
    if (start % 3_000 === 0) rows[7] = `/data/open/${start / 3_000}.dcm,1,"[[1,2,3,${4 + start / 3_000}]]",\n`;
    if (!out.write(rows.join(''))) await once(out, 'drain');
  }
  await new Promise<void>((done) => void out.end(done));
  const files = Array.from({ length: 100 }, (_, i) => createImage(`/data/open/${i}.dcm`));
  const before = process.memoryUsage().arrayBuffers;
  let largest = 0;
  let chunks = 0;

  const result = await importFile(path, {
    files,
    onChunk: () => {
      chunks += 1;
      largest = Math.max(largest, process.memoryUsage().arrayBuffers - before);
    },
  });

  expect(result).toMatchObject({ ok: true, unmatchedRows: 299_900 });
  expect(Array.from({ length: 100 }, (_, i) => payloadOf(result, i)?.roi_coords[0]?.[3])).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 4),
  );
  // One chunk of 256 KiB, twice that to join rows across its edge, and memory that awaits garbage collection.
  expect(chunks).toBeGreaterThan(50);
  expect(statSync(path).size).toBeGreaterThan(14e6);
  expect(largest).toBeLessThan(4 * 2 ** 20);
}, 180_000);

test.each([
  [
    'rewritten in place',
    (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replaceAll('other', 'OTHER')),
  ],
  ['made longer', (path: string) => appendFileSync(path, '/data/1.dcm,0,[],[]\n')],
  ['emptied', (path: string) => truncateSync(path)],
])('a CSV that is %s while it is read is refused, not mixed', async (_, rewrite) => {
  const path = join(createTempFolder(), 'rois.csv');
  writeFileSync(path, HEADER + '/other,1,"[[1,2,3,4]]",[]\n'.repeat(50_000));
  let chunks = 0;
  const result = await importFile(path, {
    onChunk: () => {
      chunks += 1;
      if (chunks === 2) rewrite(path);
    },
  });
  expect(result).toEqual({ ok: false, message: `${path}: was changed while it was being read` });
});

test('a cancelled import ends at the next chunk', async () => {
  const path = join(createTempFolder(), 'rois.csv');
  writeFileSync(path, HEADER + '/other,1,"[[1,2,3,4]]",[]\n'.repeat(50_000));
  let chunks = 0;
  const cancelled = importFile(path, {
    onChunk: () => {
      chunks += 1;
      if (chunks >= 2) throw new Error('cancelled');
    },
  });
  await expect(cancelled).rejects.toThrow('cancelled');
  expect(chunks).toBeLessThanOrEqual(3);
});

test('the CSV is only ever read', async () => {
  const path = writeBelow(createTempFolder(), 'rois.csv', `${HEADER}/data/1.dcm,1,"[[1,2,3,4]]",[]\n`);
  chmodSync(path, 0o444);
  const before = { hash: sha256(path), modified: statSync(path).mtimeMs };
  await importFile(path);
  await importFile(path, { files: [createImage('/data/1.dcm', { rows: 1 })] });
  expect({ hash: sha256(path), modified: statSync(path).mtimeMs }).toEqual(before);
});

type ImportTest = { files?: readonly AnnotatedFile[]; startDirectory?: string; onChunk?: () => void };

async function importFile(
  csvPath: string,
  { files = IMAGES, startDirectory = '/', onChunk }: ImportTest = {},
): Promise<ImportResult> {
  const input = { csvPath, startDirectory, files: await packTargets(files) };
  return importCsv(input, { isCancelled: () => false, throwIfCancelled: () => onChunk?.(), transfer: (view) => view });
}

function importText(text: string, startDirectory = '/'): Promise<ImportResult> {
  return importFile(writeBelow(createTempFolder(), 'rois.csv', text), { startDirectory });
}

function payloadOf(result: ImportResult, index: number) {
  if (!result.ok) throw new Error(result.message);
  const found = findImported(result.annotations, index);
  return found && unpackRois(found);
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
