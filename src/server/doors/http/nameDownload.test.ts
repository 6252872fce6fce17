import { expect, test } from 'vitest';
import { nameDownload } from './nameDownload.ts';

test.each([
  ['/data/CT/IM0001.dcm', 'IM0001.dcm'],
  ['/data/IM 1', 'IM_1.dcm'],
  ['/data/1.2.840.113', '1.2.840.113.dcm'],
  ['/data/page.html', 'page.html.dcm'],
  ['/data/a"; filename="b.exe', 'a_filename_b.exe.dcm'],
  ['/data/a\r\nSet-Cookie: x', 'a_Set-Cookie_x.dcm'],
  ['/data/..', 'file.dcm'],
  ['/data/.hidden.IMA', 'hidden.IMA'],
  ['/data/Müller.dcm', 'M_ller.dcm'],
  [`/data/${'x'.repeat(300)}.dcm`, `${'x'.repeat(120)}.dcm`],
])('%j is saved as %s', (path, name) => {
  expect(nameDownload(path)).toBe(name);
});

test('a file inside a DICOM file is saved under the name of the latter', () => {
  expect(nameDownload('/data/report.dcm', '.pdf')).toBe('report.pdf');
  expect(nameDownload('/data/page.html', '.pdf')).toBe('page.html.pdf');
});
