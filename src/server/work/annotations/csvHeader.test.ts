import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import { checkCsvHeader } from './csvHeader.ts';
import { needs } from '../../../../test/support/needs.ts';

describe('a header is taken', () => {
  test.each([
    ['as the export writes it', 'anon_dicom_path,num_ROI,ROI_coords,ROI_frames\n'],
    ['with the required columns only', 'anon_dicom_path,ROI_coords\n'],
    ['in another order, among other columns', 'note,ROI_frames,ROI_coords,age,num_ROI,anon_dicom_path\n'],
    ['with a byte order mark', '\ufeffanon_dicom_path,ROI_coords\n'],
    ['with CRLF', 'anon_dicom_path,ROI_coords\r\n/a,[]\r\n'],
    ['with the line breaks of old Macs', 'anon_dicom_path,ROI_coords\r/a,[]\r'],
    ['without a line break at its end', 'anon_dicom_path,ROI_coords'],
    ['after blank lines', '\n\r\nanon_dicom_path,ROI_coords\n'],
    ['with quoted names', '"anon_dicom_path","ROI_coords"\n'],
    ['with a line break inside another name', '"a\nb",anon_dicom_path,ROI_coords\n'],
    ['with another column twice', 'note,note,anon_dicom_path,ROI_coords\n'],
    ['with 100 KB of other columns', `${'other,'.repeat(17_000)}anon_dicom_path,ROI_coords\n`],
    ['whatever the rows say', 'anon_dicom_path,ROI_coords\n"never closed'],
  ])('%s', async (_, text) => {
    expect(await checkCsvHeader(writeBelow(createTempFolder(), 'rois.csv', text))).toEqual({ ok: true });
  });
});

describe('a header is refused, with the reason,', () => {
  test.each([
    ['of an empty file', '', 'is empty: its first row must name the columns'],
    ['of blank lines', '\n\n\r\n', 'is empty: its first row must name the columns'],
    ['without paths', 'path,ROI_coords\n', 'the header has no column anon_dicom_path; it has "path", "ROI_coords"'],
    ['without boxes', 'anon_dicom_path,ROI\n', 'the header has no column ROI_coords; it has "anon_dicom_path", "ROI"'],
    ['in other letters', 'anon_dicom_path,roi_coords\n', 'the header has no column ROI_coords'],
    ['with semicolons', 'anon_dicom_path;ROI_coords\n', 'cells must be separated by commas'],
    [
      'with a column twice',
      'ROI_coords,anon_dicom_path,ROI_coords\n',
      'the header has the column ROI_coords twice, in positions 1 and 3',
    ],
    ['with an optional column twice', 'ROI_coords,num_ROI,anon_dicom_path,num_ROI\n', 'column num_ROI twice'],
    ['with a NUL byte', 'anon_dicom_path,\0,ROI_coords\n', 'has a NUL byte in column 2 of its header'],
    ['with a stray quote', 'anon_dicom_path,ROI"coords\n', 'the header has a quote inside a cell'],
    [
      'with a quote that is not closed',
      '"anon_dicom_path,ROI_coords\n',
      'the header has a quoted cell that is never closed',
    ],
    ['that never ends', 'x'.repeat(2 ** 20 + 70_000), 'has a first row of more than 1 MiB'],
  ])('%s', async (_, text, reason) => {
    const path = writeBelow(createTempFolder(), 'rois.csv', text);
    const checked = await checkCsvHeader(path);
    expect(checked).toEqual({ ok: false, message: expect.stringContaining(reason) });
    expect(checked).toEqual({ ok: false, message: expect.stringContaining(path) });
  });

  test('in UTF-16', async () => {
    const text = Buffer.from('\ufeffanon_dicom_path,ROI_coords\n', 'utf16le');
    const checked = await checkCsvHeader(writeBelow(createTempFolder(), 'rois.csv', text));
    expect(checked).toMatchObject({ message: expect.stringContaining('is UTF-16 text; save it as UTF-8') });
  });

  test('of a file that is not there', async () => {
    const checked = await checkCsvHeader(join(createTempFolder(), 'rois.csv'));
    expect(checked).toMatchObject({ message: expect.stringContaining('cannot be opened (ENOENT)') });
  });

  test('of a folder', async () => {
    const checked = await checkCsvHeader(createTempFolder());
    expect(checked).toMatchObject({ message: expect.stringContaining('is not a regular file') });
  });

  test(
    'of a pipe, without waiting for somebody to write to it',
    needs('a system with POSIX paths and permissions'),
    async () => {
      const pipe = join(createTempFolder(), 'pipe');
      spawnSync('mkfifo', [pipe]);
      const checked = await checkCsvHeader(pipe);
      expect(checked).toMatchObject({ message: expect.stringContaining('is not a regular file') });
    },
  );
});
