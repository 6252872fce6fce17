import { expect, test } from 'vitest';
import { coversType, parseMediaRanges } from './mediaRanges.ts';

const plain = (type: string, transferSyntax?: string) => ({ isMultipart: false, type, transferSyntax });
const parts = (type: string, transferSyntax?: string) => ({ isMultipart: true, type, transferSyntax });

test.each([
  [undefined, [plain('*/*')]],
  ['', [plain('*/*')]],
  ['application/dicom+json', [plain('application/dicom+json')]],
  ['image/PNG;q=0.5, image/jpeg', [plain('image/jpeg'), plain('image/png')]],
  ['image/png;q=0, image/jpeg', [plain('image/jpeg')]],
  ['image/png;q=0', []],
  // As viewers send it, without quotes, and as the standard prints it.
  ['multipart/related; type=application/octet-stream; transfer-syntax=*', [parts('application/octet-stream', '*')]],
  [
    'multipart/related; type="application/dicom"; transfer-syntax="1.2.840.10008.1.2.4.90", multipart/related; type="image/jls"',
    [parts('application/dicom', '1.2.840.10008.1.2.4.90'), parts('image/jls')],
  ],
  ['multipart/related', [parts('*/*')]],
  ['multipart/related; type="a,b;c"', [parts('a,b;c')]],
])('%s', (header, expected) => {
  expect(parseMediaRanges(header)).toEqual(expected);
});

test('a range covers what it names', () => {
  expect(coversType({ type: 'image/*' }, 'image/png')).toBe(true);
  expect(coversType({ type: 'image/*' }, 'imagery/png')).toBe(false);
  expect(coversType({ type: '*/*' }, 'image/png')).toBe(true);
  expect(coversType({ type: 'image/jpeg' }, 'image/png')).toBe(false);
});
