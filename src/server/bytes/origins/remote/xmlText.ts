/** An element without children, and the names of the elements around it. */
export type XmlText = { readonly path: string; readonly text: string };

/**
 * The texts of a short XML document, in order, each with its path such as `ListBucketResult/Contents/Key`, and the ends of
 * elements, with a path that ends in a slash. Knows no entities but the five of XML, so that nothing can be expanded.
 */
export function* readXmlTexts(xml: string): Generator<XmlText> {
  if (xml.includes('<!DOCTYPE')) throw new Error('the document has a document type');
  const open: string[] = [];
  let text = '';
  for (const [, tag = '', between = ''] of xml.matchAll(/<([^>]*)>|([^<]+)/g)) {
    if (between !== '') text += between;
    else if (tag.startsWith('?') || tag.startsWith('!')) continue;
    else if (tag.startsWith('/')) {
      const path = open.join('/');
      if (text.trim() !== '') yield { path, text: unescapeXml(text) };
      yield { path: `${path}/`, text: '' };
      open.pop();
      text = '';
    } else if (!tag.endsWith('/')) {
      open.push(/^[^\s]*/.exec(tag)?.[0] ?? '');
      if (open.length > 32) throw new Error('the document is nested too deeply');
      text = '';
    }
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
