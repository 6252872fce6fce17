import { ViewerError } from '../../../../shared/contract/errors.ts';

/** An element; `name` is without its prefix. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: (XmlElement | string)[];
};

const MOST_DEPTH = 128;
const MOST_ELEMENTS = 200_000;
const MOST_ATTRIBUTES = 64;

/**
 * Parses an XML document without a DTD. A document type, and an entity that XML itself does not define, are refused:
 * they could expand to any size, or name files and servers. Nothing is ever loaded.
 */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: '', attributes: new Map(), children: [] };
  const open = [root];
  let elements = 0;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    const here = open.at(-1)!;
    if (text[at] !== '<') {
      const end = indexOr(text, '<', at);
      const piece = decodeEntities(text.slice(at, end));
      if (open.length > 1) here.children.push(piece);
      else if (piece.trim() !== '') throw malformed('there is text outside of the root element');
      at = end;
    } else if (text.startsWith('<!--', at)) at = closing(text, '-->', at + 4);
    else if (text.startsWith('<![CDATA[', at)) {
      const end = closing(text, ']]>', at + 9);
      here.children.push(text.slice(at + 9, end - 3));
      at = end;
    } else if (text.startsWith('<?', at)) at = closing(text, '?>', at + 2);
    else if (text.startsWith('<!', at)) throw malformed('it has a document type declaration, which is not read');
    else if (text.startsWith('</', at)) {
      const end = closing(text, '>', at + 2);
      const name = localName(text.slice(at + 2, end - 1).trim());
      if (open.length < 2 || here.name !== name) throw malformed(`</${name.slice(0, 40)}> closes nothing`);
      open.pop();
      at = end;
    } else {
      elements += 1;
      if (elements > MOST_ELEMENTS) throw malformed('it has too many elements');
      const { element, end, isEmpty } = parseTag(text, at);
      here.children.push(element);
      if (!isEmpty) open.push(element);
      if (open.length > MOST_DEPTH) throw malformed('its elements are nested too deeply');
      at = end;
    }
  }
  if (open.length > 1) throw malformed(`<${open.at(-1)!.name.slice(0, 40)}> is not closed`);
  const first = root.children.find((child) => typeof child !== 'string');
  if (first === undefined || typeof first === 'string') throw malformed('it has no element');
  return first;
}

/** The elements of this name right inside of an element. */
export function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.flatMap((child) => (typeof child !== 'string' && child.name === name ? [child] : []));
}

const NAME = /[^\s/>=<"']+/y;
const SPACE = /\s*/y;

function parseTag(text: string, start: number) {
  let at = start + 1;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const name = take(NAME);
  if (name === '') throw malformed('a tag has no name');
  let attributes: Map<string, string> | undefined;
  for (;;) {
    take(SPACE);
    if (text.startsWith('/>', at)) return { element: elementOf(name, attributes), end: at + 2, isEmpty: true };
    if (text[at] === '>') return { element: elementOf(name, attributes), end: at + 1, isEmpty: false };
    attributes ??= new Map();
    const key = take(NAME);
    take(SPACE);
    if (key === '' || text[at] !== '=') throw malformed('a tag is not closed');
    at += 1;
    take(SPACE);
    const quote = text[at];
    if (quote !== '"' && quote !== "'") throw malformed('an attribute is not quoted');
    const end = closing(text, quote, at + 1);
    if (attributes.size < MOST_ATTRIBUTES) attributes.set(localName(key), decodeEntities(text.slice(at + 1, end - 1)));
    at = end;
  }
}

/** Of the many elements without attributes. */
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

function elementOf(name: string, attributes: ReadonlyMap<string, string> = NO_ATTRIBUTES): XmlElement {
  return { name: localName(name), attributes, children: [] };
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** So many characters are decoded at once: the matches of one replacement are all kept until it ends. */
const DECODED_AT_ONCE = 65_536;
const LONGEST_ENTITY = 34;

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + DECODED_AT_ONCE;
    const last = text.lastIndexOf('&', end - 1);
    // An entity that the end would cut begins the next piece.
    const cut = end < text.length && last > at && end - last <= LONGEST_ENTITY ? last : Math.min(end, text.length);
    pieces.push(decodePiece(text.slice(at, cut)));
    at = cut;
  }
  return pieces.join('');
}

function decodePiece(text: string): string {
  return text.replaceAll(/&([^;\s&]{0,32});?/g, (whole, name: string) => {
    const known = ENTITIES[name];
    if (known !== undefined && whole.endsWith(';')) return known;
    const [, hexadecimal, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? [];
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    if (!whole.endsWith(';') || !(code > 0 && code <= 0x10ffff))
      throw malformed('it has an entity that XML does not define');
    return String.fromCodePoint(code);
  });
}

function indexOr(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from);
  return at === -1 ? text.length : at;
}

/** The end of the next `wanted`. */
function closing(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from);
  if (at === -1) throw malformed('it ends inside of a tag');
  return at + wanted.length;
}

function malformed(reason: string): ViewerError {
  return new ViewerError('malformed_content', `the XML of the Encapsulated Document cannot be read: ${reason}`);
}
