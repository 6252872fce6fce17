import { expect, test } from 'vitest';
import { type DataSetInput, type WriteOptions, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { serveShared } from '../support/serve.ts';

const PDF_CLASS = '1.2.840.10008.5.1.4.1.1.104.1';
const text = (value: string) => new TextEncoder().encode(value);

function encapsulate(content: Uint8Array | undefined, different: DataSetInput = {}, options?: WriteOptions) {
  return writeDicom(
    {
      SOPClassUID: PDF_CLASS,
      SOPInstanceUID: '2.25.1',
      MIMETypeOfEncapsulatedDocument: 'text/html',
      ...(content !== undefined && { EncapsulatedDocument: content }),
      ...different,
    },
    options,
  );
}

/** 80 free bytes, the number of triangles, then 50 bytes for each. */
function stl(declared: number, stored = declared): Uint8Array {
  const bytes = new Uint8Array(84 + 50 * stored);
  bytes.set(text('solid cube'));
  new DataView(bytes.buffer).setUint32(80, declared, true);
  // Not a zero, which could be padding.
  bytes[bytes.length - 1] = 1;
  return bytes;
}

const HTML = '<!doctype html><script>alert(1)</script>';

test.each([
  ['a PDF', text('%PDF-1.4\n'), 'application/pdf', '.pdf'],
  ['a PDF after a byte order mark', Uint8Array.of(0xef, 0xbb, 0xbf, ...text('%PDF-1.4')), 'application/pdf', '.pdf'],
  ['HTML', text(HTML), 'application/octet-stream', '.bin'],
  ['HTML that mentions PDF', text(`${HTML}%PDF-1.4`), 'application/octet-stream', '.bin'],
  ['SVG', text('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), 'application/octet-stream', '.bin'],
  ['XML', text('<?xml version="1.0"?><html/>'), 'application/octet-stream', '.xml'],
  ['a PNG', Uint8Array.of(0x89, ...text('PNG\r\n'), 0x1a, 0x0a, 1), 'image/png', '.png'],
  ['a JPEG', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0), 'image/jpeg', '.jpg'],
  ['a GIF', text('GIF89a...'), 'image/gif', '.gif'],
  ['a binary STL that begins as a text', stl(2), 'model/stl', '.stl'],
  ['a binary STL that lies about its triangles', stl(2 ** 31, 1), 'application/octet-stream', '.bin'],
  ['an STL in text', text('solid a\nfacet normal 0 0 1\n'), 'model/stl', '.stl'],
])('%s is sent as what its bytes are, always as an attachment', async (_, content, type, extension) => {
  const server = await serveShared(encapsulate(content));

  const response = await server.request('/api/file/0/content');

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(type);
  expect(response.headers.get('content-disposition')).toMatch(
    new RegExp(`^attachment; filename="[\\w.-]+\\${extension}"$`),
  );
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; sandbox;/);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(content);
});

test.each([
  ['its declared length says that the last byte is padding', { EncapsulatedDocumentLength: 9 }, 9],
  ['its declared length says that the last byte is no padding', { EncapsulatedDocumentLength: 10 }, 10],
  ['no length is declared', {}, 9],
  ['a length is declared that cannot be', { EncapsulatedDocumentLength: 3 }, 9],
  ['a length of 2 GiB is declared', { EncapsulatedDocumentLength: 2 ** 31 }, 9],
])('a zero at the end is left out if %s: %j', async (_, different, length) => {
  const server = await serveShared(encapsulate(text('%PDF-1.4\n\0'), different));
  const body = await (await server.request('/api/file/0/content')).arrayBuffer();
  expect(body.byteLength).toBe(length);
});

test('the content of a deflated file is inflated', async () => {
  const content = text('%PDF-1.4 in a deflated file!');
  const file = encapsulate(content, {}, { transferSyntaxUid: '1.2.840.10008.1.2.1.99' });
  const server = await serveShared(file);
  const whole = await server.request('/api/file/0/content');
  expect(new Uint8Array(await whole.arrayBuffer())).toEqual(content);
  const part = await server.request('/api/file/0/content', { headers: { Range: 'bytes=5-7' } });
  expect([part.status, await part.text()]).toEqual([206, '1.4']);
});

test('a range is answered with its bytes, and a range beyond the end with 416', async () => {
  const server = await serveShared(encapsulate(text('%PDF-1.4 abc')));
  const ask = async (range: string) => {
    const response = await server.request('/api/file/0/content', { headers: { Range: range } });
    return [response.status, response.headers.get('content-range'), response.status < 300 ? await response.text() : ''];
  };
  expect(await ask('bytes=0-4')).toEqual([206, 'bytes 0-4/12', '%PDF-']);
  expect(await ask('bytes=-3')).toEqual([206, 'bytes 9-11/12', 'abc']);
  expect(await ask('bytes=9-99')).toEqual([206, 'bytes 9-11/12', 'abc']);
  expect(await ask('bytes=12-')).toEqual([416, 'bytes */12', '']);
  expect(await ask('bytes=0-1,3-4')).toEqual([200, null, '%PDF-1.4 abc']);
});

test('only a PDF can be opened in a tab of its own', async () => {
  const [pdf, html] = [encapsulate(text('%PDF-1.4')), encapsulate(text(HTML), { SOPInstanceUID: '2.25.2' })];
  const server = await serveShared(pdf, html);
  const shown = await server.request('/api/file/0/content?as=view');
  expect(shown.headers.get('content-type')).toBe('application/pdf');
  expect(shown.headers.get('content-disposition')).toMatch(/^inline; /);
  expect(shown.headers.get('content-security-policy')).not.toMatch(/script-src|sandbox/);
  const refused = await server.request('/api/file/1/content?as=view');
  expect([refused.status, (await refused.json()).code]).toEqual([415, 'unsupported_media_type']);
});

test.each([
  ['without a document', encapsulate(undefined), 404, 'no_document'],
  ['with an empty document', encapsulate(new Uint8Array(0)), 404, 'no_document'],
  [
    'with a document in items',
    encapsulate(undefined, { EncapsulatedDocument: { fragments: [text('%PDF-1.4')] } }),
    422,
    'malformed_content',
  ],
  ['of another class', encapsulate(undefined, { SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11' }), 400, 'bad_request'],
])('an object %s is refused', async (_, file, status, code) => {
  const server = await serveShared(file);
  const response = await server.request('/api/file/0/content');
  expect([response.status, (await response.json()).code]).toEqual([status, code]);
});

const writeMedium = (content: Uint8Array) =>
  `<observationMedia><value mediaType="image/svg+xml">${Buffer.from(content).toString('base64')}</value></observationMedia>`;

test('a picture of a CDA document is sent as what its bytes are, and anything else is refused', async () => {
  const gif = text('GIF89a\u0003\0\u0002\0\0\0\0;');
  const xml = `<ClinicalDocument>${writeMedium(gif)}${writeMedium(text('<svg onload="alert(1)"/>'))}</ClinicalDocument>`;
  const server = await serveShared(encapsulate(text(xml), { SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.2' }));
  const ask = (picture: number) => server.request(`/api/file/0/narrative/medium/${picture}`);

  const shown = await ask(0);
  expect(new Uint8Array(await shown.arrayBuffer())).toEqual(gif);
  expect(shown.headers.get('content-type')).toBe('image/gif');
  expect(shown.headers.get('content-disposition')).toBe('attachment; filename="medium.gif"');
  expect(shown.headers.get('content-security-policy')).toMatch(/^default-src 'none'; sandbox;/);
  expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
  for (const [picture, status, code] of [
    [1, 415, 'unsupported_media_type'],
    [2, 404, 'item_not_found'],
  ] as const) {
    const refused = await ask(picture);
    expect([refused.status, (await refused.json()).code]).toEqual([status, code]);
  }
});
