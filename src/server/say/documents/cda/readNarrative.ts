import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { NarrativeKind, NarrativeNode, NarrativeMedium } from '../../../../shared/contract/narrative.ts';
import { formatDateTime } from '../../../../shared/dicomTexts.ts';
import { openObject } from '../../../machine/workers/jsonPieces.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { requireEncapsulated } from '../content/findContent.ts';
import { locateContent, readParsable } from '../content/locateContent.ts';
import { sniffContent } from '../content/sniffContent.ts';
import type { DocumentSource } from '../documentKind.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withDocument } from '../readDocument.ts';
import { decodeMedium, findMedia, type NarrativeMedia, type UnshownMedium } from './narrativeMedia.ts';
import type { Narrative, MediumBytes, MediumQuery, WrittenNarrative } from './narrativeTasks.ts';
import { childrenOf, parseXml, type XmlElement } from './parseXml.ts';

const MOST_BYTES = 16 * 2 ** 20;
const MOST_NODES = 20_000;
const MOST_CHARACTERS = 4_000_000;
/** Deeper parts are put one after another. */
const MOST_DEPTH = 40;

/** Implements `readNarrativeTask`. */
export function readNarrative(file: DocumentFile): WrittenNarrative {
  return withDocument(file, (source) => ({ json: openObject(buildNarrative(readXml(source))) }));
}

/** Implements `readNarrativeMediumTask`. */
export function readNarrativeMedium({ medium, ...file }: MediumQuery & DocumentFile, task: TaskContext): MediumBytes {
  return withDocument(file, (source) => {
    const value = findMedia(parseXml(readXml(source))).values[medium];
    if (value === undefined) throw new ViewerError('item_not_found', `the document has no medium ${medium}`);
    const held = decodeMedium(medium, value);
    if ('problem' in held) throw new ViewerError(held.code, `medium ${medium} ${held.problem}`);
    return { mediaType: held.media_type, bytes: task.transfer(held.bytes) };
  });
}

function readXml(source: DocumentSource): string {
  requireEncapsulated(source);
  const { opening, length } = locateContent(source);
  if (sniffContent(opening, length) !== 'xml') {
    throw new ViewerError('unsupported_media_type', 'the Encapsulated Document is no XML: it can only be saved');
  }
  return decode(readParsable(source, MOST_BYTES));
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
  const nodes = new Parts(findMedia(root));
  for (const component of childrenOf(root, 'component')) {
    for (const body of childrenOf(component, 'structuredBody')) addSections(body, 0, nodes);
    for (const body of childrenOf(component, 'nonXMLBody')) addOtherBody(body, nodes);
  }
  return { title: textIn(root, 'title') ?? null, facts: listFacts(root), nodes: nodes.all, truncated: nodes.isCut };
}

type NodeExtras = Partial<Pick<NarrativeNode, 'style' | 'span' | 'medium'>>;

type MediumNames = {
  /** How a sentence about it begins. */
  readonly subject: string;
  readonly caption: string;
};

/** The parts of the answer, up to its limits. */
class Parts {
  readonly all: NarrativeNode[] = [];
  isCut = false;
  #characters = MOST_CHARACTERS;
  readonly #media: NarrativeMedia;
  readonly #known = new Map<number, NarrativeMedium | UnshownMedium>();

  constructor(media: NarrativeMedia) {
    this.#media = media;
  }

  add(
    depth: number,
    kind: NarrativeKind,
    text = '',
    { style = null, span = null, medium = null }: NodeExtras = {},
  ): void {
    if (this.all.length >= MOST_NODES || text.length > this.#characters) {
      this.isCut = true;
      return;
    }
    this.#characters -= text.length;
    this.all.push({ depth, kind, text, style, span, medium });
  }

  /** A picture that the narrative refers to, or a sentence that says why it is not shown. */
  addReferenced(depth: number, id: string, caption: string | undefined): void {
    const name = id.slice(0, 80);
    const medium = this.#media.named.get(id);
    if (medium === undefined) {
      this.add(depth, 'missing', `The document refers to the picture ${name}, which it does not hold.`);
      return;
    }
    this.#addMedium(depth, medium.number, { subject: `The picture ${name}`, caption: caption ?? name });
    if (medium.region !== undefined) {
      this.add(depth, 'missing', `A region of this picture is not drawn (${medium.region}).`);
    }
  }

  /** The file in a body that is no XML. */
  addBody(value: XmlElement): void {
    const number = this.#media.values.indexOf(value);
    const names = { subject: 'The body of the document', caption: 'Body of the document' };
    this.#addMedium(0, number === -1 ? undefined : number, names);
  }

  #addMedium(depth: number, number: number | undefined, { subject, caption }: MediumNames): void {
    const value = number === undefined ? undefined : this.#media.values[number];
    if (number === undefined || value === undefined) {
      const reason = this.#media.isCut ? 'is not shown, because the document has too many pictures' : 'is empty';
      this.add(depth, 'missing', `${subject} ${reason}.`);
      return;
    }
    const found = this.#known.get(number) ?? describeMedium(number, value);
    this.#known.set(number, found);
    if ('problem' in found) this.add(depth, 'missing', `${subject} ${found.problem}.`);
    else this.add(depth, found.media_type === 'application/pdf' ? 'pdf' : 'picture', caption, { medium: found });
  }
}

/** Without its bytes, which are asked for one by one. */
function describeMedium(number: number, value: XmlElement): NarrativeMedium | UnshownMedium {
  const found = decodeMedium(number, value);
  if ('problem' in found) return found;
  const { bytes: _, ...medium } = found;
  return medium;
}

/** Text, which is shown line by line, or a file. */
function addOtherBody(body: XmlElement, nodes: Parts): void {
  const [value] = childrenOf(body, 'text');
  if (value === undefined) return;
  const lines = value.attributes.get('representation') === 'B64' ? [] : allText(value).split(/\r?\n/);
  if (lines.every((line) => line.trim() === '')) nodes.addBody(value);
  else {
    for (const line of lines) {
      nodes.add(0, 'text', line);
      nodes.add(0, 'break');
    }
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
    if (child.name === 'renderMultiMedia') {
      addPictures(child, depth, nodes);
      continue;
    }
    const kind = Object.hasOwn(KINDS, child.name) ? KINDS[child.name] : undefined;
    if (kind === undefined || depth > MOST_DEPTH) {
      addContent(child, depth, nodes);
      continue;
    }
    const isOrdered = kind === 'list' && child.attributes.get('listType') === 'ordered';
    const address = kind === 'link' ? (child.attributes.get('href') ?? '') : '';
    nodes.add(depth, isOrdered ? 'ordered_list' : kind, address, { style: styleOf(child), span: spanOf(child) });
    addContent(child, depth + 1, nodes);
  }
}

/** A reference can name several pictures, which then have one caption. */
function addPictures(reference: XmlElement, depth: number, nodes: Parts): void {
  const caption = textIn(reference, 'caption');
  const ids = (reference.attributes.get('referencedObject') ?? '').split(/\s+/).filter((id) => id !== '');
  if (ids.length === 0) nodes.add(depth, 'missing', 'The document refers to a picture without a name.');
  for (const id of ids) nodes.addReferenced(depth, id, caption);
  addContent(reference, depth, nodes);
}

/** Spaces between their parts mean nothing. */
const BLOCKS = new Set(['text', 'renderMultiMedia', 'list', 'table', 'thead', 'tbody', 'tfoot', 'tr']);

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

/** As many as tables have; a cell that claims more is drawn as one. */
const MOST_SPANNED = 1_000;

function spanOf({ attributes }: XmlElement): NarrativeNode['span'] {
  const [columns = 1, rows = 1] = ['colspan', 'rowspan'].map((name) => {
    const count = Number(attributes.get(name) ?? 1);
    return Number.isInteger(count) && count > 0 && count <= MOST_SPANNED ? count : 1;
  });
  return columns === 1 && rows === 1 ? null : { columns, rows };
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

/** All text of the first child of this name, in one line. */
function textIn(element: XmlElement, name: string): string | undefined {
  const [child] = childrenOf(element, name);
  const text = child && allText(child).replaceAll(/\s+/g, ' ').trim();
  return text === '' ? undefined : text?.slice(0, 4000);
}

function allText({ children }: XmlElement): string {
  return children.map((child) => (typeof child === 'string' ? child : `${allText(child)} `)).join('');
}
