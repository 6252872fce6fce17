import { expect, test } from 'vitest';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import { runToEnd } from '../../kit/ui/runInSlices.ts';
import { completeFilter } from './completeFilter.ts';
import { findByFilter } from './findByFilter.ts';

const FILES: readonly FileRecord[] = [
  createFileRecord(0, {
    modality: 'CT',
    rows: 512,
    series_number: '3',
    series_description: 'Chest AX',
    has_pixels: true,
  }),
  createFileRecord(1, { modality: 'PT', rows: 128, series_number: '12', series_description: "O'Neil PT whole body" }),
  createFileRecord(2, {
    modality: 'MR',
    rows: 3_328,
    series_number: '',
    frame_count: 40,
    pixel_spacing_mm: [0.5, 0.7],
  }),
  createFileRecord(3, { modality: 'SR', object_kind: 'structured_report', series_description: 'PT findings' }),
];

function find(text: string) {
  const { files, note } = runToEnd(findByFilter(FILES, text));
  return { found: files.map(({ index }) => index), note };
}

test.each([
  ['', [0, 1, 2, 3]],
  ['pt', [1, 3]],
  // As `--filter` does.
  ['modality=PT', [1]],
  ['Modality=p', [1]],
  ["modality='PT'", [1]],
  ['object_kind=report', [3]],
  ['series_description=pt findings', [3]],
  ['modality=t ax', [0]],
  // As `--where` does.
  ["Modality='PT'", [1]],
  ["Modality='pt'", []],
  ["Modality in ('CT', 'MR') and Rows>=512", [0, 2]],
  ['Rows > 100 and not Rows = 512', [1, 2]],
  ['Rows is null', [3]],
  ['SeriesNumber < 5', [0]],
  ["series_number = '12'", [1]],
  ['SeriesNumber is null', [2, 3]],
  ["SeriesDescription like 'O''N%'", [1]],
  ['frame_count between 2 and 100', [2]],
  ['pixel_spacing_mm_column > 0.6', [2]],
  ['has_pixels = true', [0]],
  // Words that only look like it.
  ['findings in PT', []],
  ['whole body', [1]],
])('%s lists the files %j', (text, found) => {
  expect(find(text).found).toEqual(found);
});

test.each([
  ['Rows >= 4096', 'No file with Rows >= 4096: Rows is between 128 and 3,328.'],
  ["Rows>=512 and Modality='US'", "No file with Modality='US': Modality is CT, MR, PT, SR."],
  ['modality=XA', 'No file whose Modality contains “XA”: Modality is CT, MR, PT, SR.'],
  ["PatientID = 'P1'", "No file with PatientID = 'P1': no file has PatientID."],
  ["Modality='SR' and Rows>1", 'Some files meet each condition, but none meets all of them.'],
  ['chest nothing', 'No file has “nothing”.'],
  ['pixel_spacing_mm_row > 1', 'No file with pixel_spacing_mm_row > 1: pixel_spacing_mm_row is 0.5.'],
])('if %s leaves no file, it is said why: %s', (text, note) => {
  expect(find(text)).toEqual({ found: [], note });
});

test.each([
  ["Modalty='CT'", "Modalty='CT': the list does not know Modalty; did you mean Modality?"],
  [
    'EchoTime < 30',
    'EchoTime < 30: the list does not know EchoTime; it knows PatientID, PatientName, StudyInstanceUID and more.',
  ],
  ['Modality=PT and Rows>1', "Modality=PT and Rows>1: write texts in quotes: 'PT'."],
  ['Rows >=', 'Rows >=: a column or a value is missing.'],
])('%s is no condition, all files stay, and it is said why: %s', (text, note) => {
  expect(find(text)).toEqual({ found: [0, 1, 2, 3], note });
});

function offered(text: string) {
  return completeFilter(text, FILES).map(({ title }) => title);
}

test('names are completed, then values by how many files have them, then what joins conditions', () => {
  expect(offered('mod')).toEqual(['Modality']);
  expect(offered('patient')).toEqual(['PatientID', 'PatientName']);
  expect(completeFilter('seriesn', FILES)[0]?.text).toBe('SeriesNumber=');
  expect(offered('modality=')).toEqual(['CT', 'PT', 'MR', 'SR']);
  expect(completeFilter('Rows>100 and Modality = p', FILES)).toEqual([
    { title: 'PT', detail: '1 file', text: "Rows>100 and Modality = 'PT'" },
  ]);
  expect(completeFilter("SeriesDescription='o", FILES)[0]?.text).toBe("SeriesDescription='O''Neil PT whole body'");
  expect(offered("Modality in ('CT', ")).toEqual(['CT', 'PT', 'MR', 'SR']);
  expect(offered("Modality='CT' ")).toEqual(['and', 'or']);
  expect(completeFilter("Modality='CT' a", FILES)[0]?.text).toBe("Modality='CT' and ");
  expect(offered("Modality='CT' and ro")).toEqual(['Rows']);
  expect(offered('chest')).toEqual([]);
  expect(offered("Modality='CT'")).toEqual([]);
});

test('a word for a modality that is present offers it first, with what it is and how many files have it', () => {
  expect(completeFilter('PET', FILES)).toEqual([
    { title: "Modality='PT'", detail: 'PET · 1 file', text: "Modality='PT'" },
  ]);
  expect(offered('mri')).toEqual(["Modality='MR'"]);
  expect(offered('reports')).toEqual(["Modality='SR'"]);
  expect(offered('P').slice(0, 3)).toEqual(["Modality='PT'", 'path', 'PatientID']);
  expect(offered('ultrasound')).toEqual([]);
  expect(find(completeFilter('chest ct', FILES)[0]?.text ?? '').found).toEqual([0]);
  expect(find(completeFilter('Rows>100 and pet', FILES)[0]?.text ?? '').found).toEqual([1]);
});

test.each([
  ['sono', ['US']],
  ['x-ray', ['CR', 'DX']],
  ['Mammo', ['MG']],
  ['dose', ['RTDOSE']],
  ['structures', ['RTSTRUCT']],
  ['segmentation', ['SEG']],
  ['pathology', ['SM']],
  ['plan', ['RTPLAN']],
  // The code that was typed before those that begin with it.
  ['ct', ['CT', 'CTPROTOCOL']],
])('%s is a word for %j', (word, codes) => {
  const present = ['CTPROTOCOL', 'CT', 'US', 'CR', 'DX', 'MG', 'RTDOSE', 'RTSTRUCT', 'RTPLAN', 'SEG', 'SM'];
  const files = present.map((modality, index) => createFileRecord(index, { modality }));
  const titles = completeFilter(word, files).map(({ title }) => title);
  expect(titles.slice(0, codes.length)).toEqual(codes.map((code) => `Modality='${code}'`));
});

test('an empty field offers the modalities of the files, the most frequent first', () => {
  const files = ['MR', 'PT', '', 'PT'].map((modality, index) => createFileRecord(index, { modality }));
  expect(completeFilter('', files).map(({ title, detail }) => [title, detail])).toEqual([
    ["Modality='PT'", 'PET · 2 files'],
    ["Modality='MR'", 'MRI · 1 file'],
  ]);
  expect(completeFilter('', [])).toEqual([]);
});
