import { expect, test } from 'vitest';
import { serveShared } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';

const NESTED = {
  ReferencedStudySequence: [{ ReferencedSOPInstanceUID: '1.2.3' }, { ReferencedSOPInstanceUID: '1.2.4' }],
};

test('the tags of a file are rows of CSV, those of items behind their sequence', async () => {
  const server = await serveShared(writeSlice({ number: 0 }, { ...NESTED, StudyDescription: '=1+1, "x"' }));
  const response = await server.request('/api/file/0/tags/table');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.csv"$/);
  const lines = (await response.text()).split('\r\n');
  expect(lines[0]).toBe('path,tag,vr,keyword,name,creator,value,truncated');
  expect(lines).toContain('"(0018,0050)","(0018,0050)",DS,SliceThickness,Slice Thickness,,2,');
  // A number keeps its sign, a formula is made text.
  expect(lines).toContain('"(0028,1052)","(0028,1052)",DS,RescaleIntercept,Rescale Intercept,,-1024,');
  expect(lines).toContain(`"(0008,1030)","(0008,1030)",LO,StudyDescription,Study Description,,"'=1+1, ""x""",`);
  // 20 rows of 30 columns of 2 bytes.
  expect(lines).toContain('"(7FE0,0010)","(7FE0,0010)",OW,PixelData,Pixel Data,,1200 bytes,yes');
  const sequence = lines.findIndex((line) => line.startsWith('"(0008,1110)"'));
  expect(lines.slice(sequence, sequence + 3)).toEqual([
    '"(0008,1110)","(0008,1110)",SQ,ReferencedStudySequence,Referenced Study Sequence,,2 items,',
    '"(0008,1110)/0/(0008,1155)","(0008,1155)",UI,ReferencedSOPInstanceUID,Referenced SOP Instance UID,,1.2.3,',
    '"(0008,1110)/1/(0008,1155)","(0008,1155)",UI,ReferencedSOPInstanceUID,Referenced SOP Instance UID,,1.2.4,',
  ]);
});

test('the tags of a series are one row for each file, with a column for each element that any of them has', async () => {
  const server = await serveShared(
    writeSlice({ number: 0 }, NESTED),
    writeSlice({ number: 1, series: 2 }),
    writeSlice({ number: 2 }, { ImageComments: 'last' }),
  );
  const response = await server.request('/api/file/2/tags/table?of=series');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="CT-series1-Series_1.csv"');
  const rows = (await response.text()).trimEnd().split('\r\n');
  const table = rows.map((row) => row.split(','));
  expect(table[0]!.slice(0, 2)).toEqual(['file_index', 'path']);
  const column = (name: string) => table.slice(1).map((row) => row[table[0]!.indexOf(name)]);
  expect(column('file_index')).toEqual(['0', '2']);
  expect(column('InstanceNumber')).toEqual(['1', '3']);
  expect(column('ReferencedStudySequence')).toEqual(['2 items', '']);
  expect(column('ImageComments')).toEqual(['', 'last']);
  expect(column('ImagePositionPatient')).toEqual(['0\\0\\0', '0\\0\\4']);
});
