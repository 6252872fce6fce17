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
