import { expect, test } from 'vitest';
import { parseXml } from './parseXml.ts';
import { buildNarrative } from './readNarrative.ts';

function writeCda(text: string, header = ''): string {
  const section = `<component><section><title>Findings</title><text>${text}</text></section></component>`;
  const body = `<component><structuredBody>${section}</structuredBody></component>`;
  return `<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"><title>Report</title>${header}${body}</ClinicalDocument>`;
}

/** Each part in one line, two spaces for each level. */
function show(xml: string): string[] {
  return buildNarrative(xml).nodes.map(({ depth, kind, text, style }) =>
    `${'  '.repeat(depth)}${kind}${style === null ? '' : ` (${style})`} ${text}`.trimEnd(),
  );
}

test('a narrative has sections, styles, tables and lists', () => {
  const text = `No <content styleCode="Bold xUnknown">lesion</content>.<table><thead><tr><th>a</th></tr></thead>
    <tbody><tr><td>1</td></tr></tbody></table><list listType="ordered"><item>x<br/>y</item></list>`;
  expect(show(writeCda(text))).toEqual([
    'section Findings',
    '  text No',
    '  content (bold)',
    '    text lesion',
    '  text .',
    '  table',
    '    row',
    '      heading_cell',
    '        text a',
    '    row',
    '      cell',
    '        text 1',
    '  ordered_list',
    '    item',
    '      text x',
    '      break',
    '      text y',
  ]);
});

test('scripts, links and pictures of other places are texts', () => {
  const text = `<script>alert(1)</script><linkHtml href="https://example.org/x">see</linkHtml><img src="https://example.org/y.png" onerror="alert(2)"/>`;
  expect(show(writeCda(text))).toEqual([
    'section Findings',
    '  text alert(1)',
    '  link https://example.org/x',
    '    text see',
  ]);
});

test('the header says patient, author and time', () => {
  const header = `<effectiveTime value="20240131"/><recordTarget><patientRole><id extension="P1"/><patient><name><given>Jane</given><family>Doe</family></name></patient></patientRole></recordTarget>`;
  expect(buildNarrative(writeCda('', header)).facts).toEqual([
    { label: 'Time', value: '2024-01-31' },
    { label: 'Patient', value: 'Jane Doe' },
    { label: 'Patient ID', value: 'P1' },
  ]);
});

test('entities of XML, numbers of characters and CDATA are read', () => {
  const { children } = parseXml('<a b="&quot;&#65;">&lt;&#x3B1;&amp;<![CDATA[<&x;>]]><!-- & --></a>');
  expect(children).toEqual(['<α&', '<&x;>']);
});

test.each([
  ['a document type', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
  ['a bomb of entities', `<!DOCTYPE a [<!ENTITY b "${'&c;'.repeat(10)}">]><a>&b;</a>`],
  ['an entity of a file', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'],
  ['an entity that is not defined', '<a>&nbsp;</a>'],
  ['a character beyond Unicode', '<a>&#x110000;</a>'],
  ['an element that is not closed', '<a><b></a>'],
  ['a tag that does not end', '<a href="'],
  ['elements that are nested too deeply', '<a>'.repeat(1000)],
  ['too many elements', `<a>${'<b/>'.repeat(200_001)}</a>`],
  ['nothing', ''],
])('XML with %s is refused', (_, xml) => {
  expect(() => parseXml(xml)).toThrow(expect.objectContaining({ code: 'malformed_content' }));
});

test('a long narrative is cut, and says so', () => {
  const { nodes, truncated } = buildNarrative(writeCda('<br/>'.repeat(30_000)));
  expect([nodes.length, truncated]).toEqual([20_000, true]);
});

/** A document with one medium, to which its text refers as `m`. */
function writeMedium(value: string): string {
  const entry = `<entry><observationMedia ID="m">${value}</observationMedia></entry>`;
  const text = '<text><renderMultiMedia referencedObject="m"><caption>Hand</caption></renderMultiMedia></text>';
  const section = `<component><section>${text}${entry}</section></component>`;
  return `<ClinicalDocument><component><structuredBody>${section}</structuredBody></component></ClinicalDocument>`;
}

function writeValue(bytes: Uint8Array | string, mediaType = 'image/png'): string {
  const lines = Buffer.from(bytes).toString('base64').replaceAll(/.{20}/g, '$&\n');
  return `<value mediaType="${mediaType}" representation="B64">${lines}</value>`;
}

/** The signature, then length, name, width and height of its first chunk. ISO/IEC 15948, 5.2 and 11.2.2. */
function writePngHeader(width: number, height: number): Buffer {
  const bytes = Buffer.from('89504e470d0a1a0a0000000d494844520000000000000000', 'hex');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

test.each([
  ['image/png', [3, 2], writePngHeader(3, 2)],
  // The signature, then the width and the height of the screen.
  ['image/gif', [3, 2], Buffer.from('474946383961030002000000003b', 'hex')],
  // Start of image, a frame of 2 rows, 3 columns and one component, and a scan.
  ['image/jpeg', [3, 2], Buffer.from('ffd8ffc0000b080002000301011100ffda0008010100003f00ffd9', 'hex')],
])('a picture is what its bytes show, %s of %j pixels, whatever is declared', (media_type, [width, height], bytes) => {
  const { nodes } = buildNarrative(writeMedium(writeValue(bytes, 'text/html')));
  const [, picture, caption] = nodes;
  expect(picture).toMatchObject({ kind: 'picture', text: 'Hand', medium: { number: 0, media_type, width, height } });
  expect(caption).toMatchObject({ kind: 'caption', depth: 1 });
});

test.each([
  ['SVG', writeValue('<svg onload="alert(1)"/>', 'image/svg+xml'), 'is no PNG, JPEG, GIF or PDF file (image/svg+xml)'],
  ['HTML that is declared as PNG', writeValue('<script>alert(1)</script>'), 'is no PNG, JPEG, GIF or PDF file'],
  ['a PNG of 2^32 pixels', writeValue(writePngHeader(2 ** 16, 2 ** 16)), 'has 65536 × 65536 pixels'],
  ['a PNG without pixels', writeValue(writePngHeader(0, 4)), 'has no valid PNG header'],
  ['a JPEG without a frame', writeValue(Uint8Array.of(0xff, 0xd8, 0xff, 0xd9)), 'has no valid JPEG header'],
  ['a file in another place', '<value><reference value="file:///hand.png"/></value>', 'outside of the document'],
  ['nothing', '<value/>', 'is empty'],
  ['no value', '', 'is empty'],
])('a medium that is %s is named and not shown', (_, value, reason) => {
  const [, node] = buildNarrative(writeMedium(value)).nodes;
  expect(node).toMatchObject({ kind: 'missing', medium: null });
  expect(node?.text).toMatch(/^The picture m /);
  expect(node?.text).toContain(reason);
});

test('a picture that the document does not hold is named, and so is a region that is not drawn', () => {
  const value = writeValue(writePngHeader(3, 2));
  const region = `<regionOfInterest ID="r"><code code="ELLIPSE"/><entryRelationship><observationMedia>${value}</observationMedia></entryRelationship></regionOfInterest>`;
  const xml = writeCda(`<renderMultiMedia referencedObject="r x"/>`).replace('</text>', `</text>${region}`);
  expect(show(xml).slice(1)).toEqual([
    '  picture r',
    '  missing A region of this picture is not drawn (ELLIPSE).',
    '  missing The document refers to the picture x, which it does not hold.',
  ]);
});

test('media beyond the first 200 are named and not shown', () => {
  const entries = Array.from(
    { length: 201 },
    (_, at) => `<observationMedia ID="m${at}"><value>a</value></observationMedia>`,
  );
  const xml = writeCda('<renderMultiMedia referencedObject="m200"/>').replace('</text>', `</text>${entries.join('')}`);
  expect(show(xml)[1]).toContain('too many pictures');
});

test.each([
  ['text', '<text mediaType="text/plain">one\ntwo</text>', ['text one', 'break', 'text two', 'break']],
  [
    'a picture',
    `<text representation="B64">${writePngHeader(3, 2).toString('base64')}</text>`,
    ['picture Body of the document'],
  ],
  [
    'a PDF',
    `<text mediaType="text/html" representation="B64">${Buffer.from('%PDF-1.4').toString('base64')}</text>`,
    ['pdf Body of the document'],
  ],
  [
    'another file',
    `<text mediaType="application/rtf" representation="B64">${btoa('{rtf}')}</text>`,
    ['missing The body of the document is no PNG, JPEG, GIF or PDF file (application/rtf) and is not shown.'],
  ],
])('a body that is %s and no XML is shown or named', (_, body, lines) => {
  expect(show(`<ClinicalDocument><component><nonXMLBody>${body}</nonXMLBody></component></ClinicalDocument>`)).toEqual(
    lines,
  );
});

test('a cell can cover several columns and rows, but not any number', () => {
  const row = '<tr><td colspan="2" rowspan="3">a</td><td colspan="99999">b</td><td>c</td></tr>';
  const cells = buildNarrative(writeCda(`<table>${row}</table>`)).nodes.filter(({ kind }) => kind === 'cell');
  expect(cells.map(({ span }) => span)).toEqual([{ columns: 2, rows: 3 }, null, null]);
});

test('a long text of references to characters is decoded piece by piece, and none is cut', () => {
  // 9 characters each, so that a limit of 65,536 characters lies inside of one of them.
  const text = '&#x0041;b'.repeat(20_000);
  expect(parseXml(`<a>${text}</a>`).children).toEqual(['Ab'.repeat(20_000)]);
});
