import { ViewerError } from '../../../shared/contract/errors.ts';
import type { NarrativeKind, NarrativeNode } from '../../../shared/contract/narrative.ts';
import { formatDateTime } from '../../../shared/dicomTexts.ts';
import { openObject } from '../../workers/jsonPieces.ts';
import { requireEncapsulated } from '../content/findContent.ts';
import { locateContent, readEncapsulated } from '../content/locateContent.ts';
import { sniffContent } from '../content/sniffContent.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withDocument } from '../readDocument.ts';
import { parseXml, type XmlElement } from './parseXml.ts';
import type { Narrative, WrittenNarrative } from './narrativeTask.ts';

const MOST_BYTES = 16 * 2 ** 20;
const MOST_NODES = 20_000;
const MOST_CHARACTERS = 4_000_000;
/** Deeper parts are put one after another. */
const MOST_DEPTH = 40;

/** Implements `readNarrativeTask`. */
export function readNarrative(file: DocumentFile): WrittenNarrative {
  return withDocument(file, (source) => {
    requireEncapsulated(source);
    const { opening, length } = locateContent(source);
    if (sniffContent(opening, length) !== 'xml') {
      throw new ViewerError('unsupported_media_type', 'the Encapsulated Document is no XML: it can only be saved');
    }
    const bytes = readEncapsulated(source, MOST_BYTES);
    return { json: openObject(buildNarrative(decode(bytes))) };
  });
}

/** By its byte order mark or its declaration; UTF-8 otherwise. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const opening = String.fromCharCode(...bytes.subarray(0, 200));
  const [, declared = 'utf-8'] =
    /^(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*encoding=["']([\w.-]{1,40})["']/.exec(opening) ?? [];
  const label =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : declared;
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder('utf-8').decode(bytes);
  }
}

/** The narrative of a CDA document as parts that a page can show. Its style sheets, scripts and links are texts. */
export function buildNarrative(text: string): Narrative {
  const root = parseXml(text);
  if (root.name !== 'ClinicalDocument') {
    throw new ViewerError('malformed_content', 'the Encapsulated Document is no ClinicalDocument');
  }
  const nodes = new Parts();
  const bodies = childrenOf(root, 'component').flatMap((component) => childrenOf(component, 'structuredBody'));
  for (const body of bodies) addSections(body, 0, nodes);
  return { title: textIn(root, 'title') ?? null, facts: listFacts(root), nodes: nodes.all, truncated: nodes.isCut };
}

/** The parts of the answer, up to its limits. */
class Parts {
  readonly all: NarrativeNode[] = [];
  isCut = false;
  #characters = MOST_CHARACTERS;

  add(depth: number, kind: NarrativeKind, text = '', style: string | null = null): void {
    if (this.all.length >= MOST_NODES || text.length > this.#characters) {
      this.isCut = true;
      return;
    }
    this.#characters -= text.length;
    this.all.push({ depth, kind, text, style });
  }
}

function addSections(body: XmlElement, depth: number, nodes: Parts): void {
  for (const component of childrenOf(body, 'component')) {
    for (const section of childrenOf(component, 'section')) {
      nodes.add(depth, 'section', textIn(section, 'title') ?? '');
      for (const text of childrenOf(section, 'text')) addContent(text, depth + 1, nodes);
      if (depth < MOST_DEPTH) addSections(section, depth + 1, nodes);
    }
  }
}

const KINDS: Readonly<Record<string, NarrativeKind>> = {
  paragraph: 'paragraph',
  list: 'list',
  item: 'item',
  table: 'table',
  tr: 'row',
  th: 'heading_cell',
  td: 'cell',
  caption: 'caption',
  content: 'content',
  linkHtml: 'link',
  sub: 'sub',
  sup: 'sup',
  footnote: 'footnote',
  br: 'break',
};

/** An element that the narrative does not define, such as `thead` or `script`, is what is in it. */
function addContent(parent: XmlElement, depth: number, nodes: Parts): void {
  for (const child of parent.children) {
    if (typeof child === 'string') {
      const text = child.replaceAll(/\s+/g, ' ');
      if (text !== ' ' || !BLOCKS.has(parent.name)) nodes.add(depth, 'text', text);
      continue;
    }
    const kind = Object.hasOwn(KINDS, child.name) ? KINDS[child.name] : undefined;
    if (kind === undefined || depth > MOST_DEPTH) {
      addContent(child, depth, nodes);
      continue;
    }
    const isOrdered = kind === 'list' && child.attributes.get('listType') === 'ordered';
    const address = kind === 'link' ? (child.attributes.get('href') ?? '') : '';
    nodes.add(depth, isOrdered ? 'ordered_list' : kind, address, styleOf(child));
    addContent(child, depth + 1, nodes);
  }
}

/** Spaces between their parts mean nothing. */
const BLOCKS = new Set(['text', 'list', 'table', 'thead', 'tbody', 'tfoot', 'tr']);

const STYLES: Readonly<Record<string, string>> = {
  bold: 'bold',
  emphasis: 'italics',
  italics: 'italics',
  underline: 'underline',
};

function styleOf({ attributes }: XmlElement): string | null {
  const codes = (attributes.get('styleCode') ?? '').toLowerCase().split(/\s+/);
  const known = codes.flatMap((code) => (Object.hasOwn(STYLES, code) ? [STYLES[code]!] : []));
  return known.length === 0 ? null : known.join(' ');
}

function listFacts(root: XmlElement): Narrative['facts'] {
  const facts: Narrative['facts'] = [];
  const add = (label: string, value: string | undefined) => {
    if (value !== undefined && value !== '') facts.push({ label, value: value.slice(0, 400) });
  };
  add('Type', findAt(root, 'code')?.attributes.get('displayName'));
  add('Time', timeOf(findAt(root, 'effectiveTime')));
  add('Patient', nameIn(findAt(root, 'recordTarget', 'patientRole', 'patient')));
  add('Patient ID', findAt(root, 'recordTarget', 'patientRole', 'id')?.attributes.get('extension'));
  add('Author', nameIn(findAt(root, 'author', 'assignedAuthor', 'assignedPerson')));
  add('Custodian', nameIn(findAt(root, 'custodian', 'assignedCustodian', 'representedCustodianOrganization')));
  add('Authenticator', nameIn(findAt(root, 'legalAuthenticator', 'assignedEntity', 'assignedPerson')));
  return facts;
}

function timeOf(element: XmlElement | undefined): string | undefined {
  const value = element?.attributes.get('value');
  return value === undefined ? undefined : formatDateTime(value);
}

function nameIn(element: XmlElement | undefined): string | undefined {
  return element && textIn(element, 'name');
}

function findAt(element: XmlElement, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>((here, name) => here && childrenOf(here, name)[0], element);
}

function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.flatMap((child) => (typeof child !== 'string' && child.name === name ? [child] : []));
}

/** All text of the first child of this name, in one line. */
function textIn(element: XmlElement, name: string): string | undefined {
  const [child] = childrenOf(element, name);
  const text = child && allText(child).replaceAll(/\s+/g, ' ').trim();
  return text === '' ? undefined : text?.slice(0, 4000);
}

function allText({ children }: XmlElement): string {
  return children.map((child) => (typeof child === 'string' ? child : `${allText(child)} `)).join('');
}
