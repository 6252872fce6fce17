import { deflateRawSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { writeNpz } from './arrayFiles.ts';
import { createLeakSearch } from './leakSearch.ts';

const NAME = 'Müller^"Jo"';

test.each([
  ['UTF-8', Buffer.from(`{${NAME}}`)],
  ['latin1', Buffer.from(`{${NAME}}`, 'latin1')],
  ['UTF-16', Buffer.from(`{${NAME}}`, 'utf16le')],
  ['JSON', Buffer.from(JSON.stringify({ name: NAME }))],
  ['JSON in ASCII', Buffer.from(String.raw`"M\u00fcller^"Jo""`)],
  ['an address', Buffer.from(`/x?name=${encodeURIComponent(NAME)}&y=1`)],
  ['base64', Buffer.from(Buffer.from(`ab${NAME}cd`).toString('base64'))],
  ['base64, one byte on', Buffer.from(Buffer.from(`abc${NAME}cd`).toString('base64'))],
  ['gzip', gzipSync(NAME)],
  ['a zip file', writeNpz({ member: Buffer.from(NAME) }, true)],
])('a value is found in %s', (_, answer) => {
  expect(createLeakSearch([NAME])(answer)).toEqual([NAME]);
});

test('a value is not found in other bytes, nor digits in a longer number', () => {
  const search = createLeakSearch([NAME, '20190307', '1.2.840.1']);

  expect(search(deflateRawSync(NAME))).toEqual([]);
  expect(search(Buffer.from('2.25.1201903074 1.2.840.113'))).toEqual([]);
  expect(search(Buffer.from('2019-03-07 1.2.840.1'))).toEqual(['20190307', '1.2.840.1']);
});
