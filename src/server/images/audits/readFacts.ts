import { createHash } from 'node:crypto';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { profileActionOf } from '../../bytes/masking/maskElement.ts';
import { createReadWindow } from '../../bytes/origins/byteSource.ts';
import { openSame, requireUnchanged } from '../../bytes/origins/origins.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import type { DataElement, DataSet } from '../../standard/dicom/dataSet.ts';
import { findDictionaryEntry, findTag, isPrivate } from '../../standard/dicom/dictionary.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { creatorTag } from '../../standard/dicom/tagTree.ts';
import { readAsOf } from '../../standard/dicom/tagValue.ts';
import { CUT, type FactKey, type FactsInput, type PackedFacts, READ, UNREAD } from './factTasks.ts';
import { createNameSearch, type NameSearch } from './nameSearch.ts';
import { PROTOCOL_ALIASES, PROTOCOL_KEYWORDS, SAID_KEYWORDS } from './protocolKeywords.ts';

/** Elements of one file that are looked at. */
const LIMITS = { maxElements: 100_000 };
/** Longer values are read when they are needed. */
const HELD_BYTES = 4_096;
/** Different values of one element in one file. */
const MOST_OF_ELEMENT = 16;
/** Facts of one file, and of all files that are read together. */
const MOST_FACTS = 8_192;
const MOST_FACTS_TOGETHER = 131_072;
/** Values of an element that are looked at. */
const MOST_VALUES = 32;
/** A longer text is cut, and told from others by a digest. */
const LONGEST_VALUE = 120;
/** What is searched of a text or of private bytes. */
const MOST_SEARCHED = 64 * 1024;

/** Reads what audits need from the headers of files, each once. Implements `readFactsTask`. */
export function readFacts({ files }: FactsInput, { throwIfCancelled, transfer }: TaskContext): PackedFacts {
  const window = createReadWindow();
  const packer = new FactPacker();
  for (const { source, path } of files) {
    throwIfCancelled();
    try {
      const opened = openSame(source, window);
      try {
        const { meta, dataSet } = readDicom(opened, { limits: LIMITS, maxValueBytes: HELD_BYTES });
        collectAll(meta, dataSet, { path, packer });
        requireUnchanged(opened);
        packer.endFile(dataSet.omitted === undefined && !packer.isFull ? READ : CUT);
      } finally {
        opened.close();
      }
    } catch (error) {
      if (!(error instanceof ViewerError || (error instanceof Error && 'syscall' in error))) throw error;
      packer.endFile(UNREAD);
    }
  }
  const { pairs, ends, states, ...lists } = packer.pack();
  return { ...lists, pairs: transfer(pairs), ends: transfer(ends), states: transfer(states) };
}

/** Numbers keys and values in the order in which they come. */
class FactPacker {
  readonly #keys = new Map<string, { readonly key: FactKey; readonly number: number }>();
  readonly #values = new Map<string, number>();
  readonly #pairs: number[] = [];
  readonly #ends: number[] = [];
  readonly #states: number[] = [];
  /** Of the current file: how many values each key has, and which pairs there are. */
  #counts = new Map<number, number>();
  #known = new Set<string>();

  get isFull(): boolean {
    return this.#known.size >= MOST_FACTS || this.#pairs.length / 2 >= MOST_FACTS_TOGETHER;
  }

  /** `id` is different for different keys. */
  add(id: string, value: string, make: () => FactKey): void {
    if (this.isFull) return;
    const key = this.#keys.get(id) ?? { key: make(), number: this.#keys.size };
    this.#keys.set(id, key);
    const count = this.#counts.get(key.number) ?? 0;
    if (count >= MOST_OF_ELEMENT) return;
    const number = this.#values.get(value) ?? this.#values.size;
    const pair = `${key.number} ${number}`;
    if (this.#known.has(pair)) return;
    this.#values.set(value, number);
    this.#known.add(pair);
    this.#counts.set(key.number, count + 1);
    this.#pairs.push(key.number, number);
  }

  endFile(state: number): void {
    const begin = this.#ends.at(-1) ?? 0;
    // What a file said before it turned out to be another one is nothing.
    if (state === UNREAD) this.#pairs.length = begin;
    this.#ends.push(this.#pairs.length);
    this.#states.push(state);
    this.#counts = new Map();
    this.#known = new Set();
  }

  pack(): PackedFacts {
    return {
      keys: Array.from(this.#keys.values(), ({ key }) => key),
      values: [...this.#values.keys()],
      pairs: Uint32Array.from(this.#pairs),
      ends: Uint32Array.from(this.#ends),
      states: Uint8Array.from(this.#states),
    };
  }
}

type Collecting = {
  readonly packer: FactPacker;
  /** Undefined if the file says nothing about its patient. */
  readonly search: NameSearch | undefined;
};

type Place = { readonly path: string; readonly packer: FactPacker };

function collectAll(meta: DataSet, root: DataSet, { path, packer }: Place): void {
  const search = createNameSearch(root);
  if (search?.isIn(path) === true) packer.add('path', '', () => ({ kind: 'path' }));
  collect(meta, { isNested: false, isOfFrames: false }, { packer, search });
  collect(root, { isNested: false, isOfFrames: true }, { packer, search });
}

type Level = {
  readonly isNested: boolean;
  /** In the data set itself or in its functional groups, where the parameters of the acquisition are. */
  readonly isOfFrames: boolean;
};

/** The reader limits the nesting. */
function collect(dataSet: DataSet, level: Level, collecting: Collecting): void {
  for (const element of dataSet) {
    if (collecting.packer.isFull) return;
    const { tag, items } = element;
    if (isEmpty(element)) continue;
    if (isPrivate(tag)) collectPrivate(dataSet, element, level, collecting);
    else collectStandard(dataSet, element, level, collecting);
    const isOfFrames = level.isOfFrames && (level.isNested || FRAME_GROUPS.has(tag));
    for (const item of items ?? []) collect(item, { isNested: true, isOfFrames }, collecting);
  }
}

const FRAME_GROUPS: ReadonlySet<number> = new Set([
  Tag.SharedFunctionalGroupsSequence,
  Tag.PerFrameFunctionalGroupsSequence,
]);

function isEmpty({ length, items }: DataElement): boolean {
  return items === undefined ? length === 0 : items.length === 0;
}

function collectStandard(
  dataSet: DataSet,
  element: DataElement,
  { isNested, isOfFrames }: Level,
  { packer, search }: Collecting,
): void {
  const { tag, items } = element;
  if (isOverlay(tag)) packer.add('overlay', '', () => ({ kind: 'hidden', what: 'overlay' }));
  if (tag === Tag.EncapsulatedDocument) packer.add('document', '', () => ({ kind: 'hidden', what: 'document' }));
  if (tag === Tag.IconImageSequence) packer.add('icon', '', () => ({ kind: 'hidden', what: 'icon' }));
  if (tag === Tag.SequenceOfUltrasoundRegions && !isNested) {
    const keyword = 'SequenceOfUltrasoundRegions';
    packer.add(`said ${keyword}`, 'present', () => ({ kind: 'said', keyword }));
  }
  const vr = items === undefined ? readAsOf(dataSet, element) : 'SQ';
  const keyword = isOfFrames ? keywordOf(tag) : undefined;
  if (keyword !== undefined) {
    const value = valueOf(dataSet, element, vr);
    const kind = !isNested && SAID.has(tag) ? 'said' : 'protocol';
    if (value !== '' && kind === 'said') packer.add(`said ${keyword}`, value, () => ({ kind, keyword }));
    if (value !== '' && PROTOCOL.has(tag))
      packer.add(`protocol ${keyword}`, value, () => ({ kind: 'protocol', keyword }));
  }
  const action = profileActionOf(tag);
  const isName = vr === 'PN';
  if (action !== undefined || isName) {
    const value = items === undefined ? valueOf(dataSet, element, vr) : '';
    if (value !== '' || items !== undefined || !isReadable(vr)) {
      const id = `element ${tag} ${isNested ? 'nested' : ''}`;
      packer.add(id, value, () => ({ kind: 'element', tag, vr, action, isNested }));
    }
  }
  if (search !== undefined && FREE_TEXT.has(vr) && !OF_PATIENT.has(tag)) {
    const text = dataSet.strings(tag, MOST_VALUES).join('\\');
    if (search.isIn(text.slice(0, MOST_SEARCHED))) {
      const key = () => ({ kind: 'text', tag, creator: undefined, isNested }) as const;
      packer.add(`text ${tag} ${isNested ? 'nested' : ''}`, shorten(text), key);
    }
  }
}

function collectPrivate(
  dataSet: DataSet,
  element: DataElement,
  { isNested }: Level,
  { packer, search }: Collecting,
): void {
  const { tag, items } = element;
  const place = tag & 0xffff;
  // The creators themselves, and the length of the group.
  if (place <= 0xff) return;
  const creator = dataSet.string(creatorTag(tag));
  const group = tag >>> 16;
  const name = `xx${(place & 0xff).toString(16).toUpperCase().padStart(2, '0')}`;
  packer.add(`private ${group} ${creator ?? ''}`, name, () => ({ kind: 'private', creator, group }));
  if (search === undefined || items !== undefined) return;
  const vr = readAsOf(dataSet, element);
  const isText = FREE_TEXT.has(vr);
  if (!isText && !OPAQUE.has(vr)) return;
  const text = isText
    ? dataSet.strings(tag, MOST_VALUES).join('\\')
    : Buffer.from(dataSet.bytes(tag, MOST_SEARCHED) ?? []).toString('latin1');
  if (!search.isIn(text.slice(0, MOST_SEARCHED))) return;
  const id = `text ${group} ${creator ?? ''} ${name} ${isNested ? 'nested' : ''}`;
  // Of bytes only that it is there.
  packer.add(id, isText ? shorten(text) : '', () => ({ kind: 'text', tag, creator: creator ?? '', isNested }));
}

function isOverlay(tag: number): boolean {
  const group = tag >>> 16;
  return group >= 0x6000 && group <= 0x60ff && (tag & 0xffff) === 0x3000;
}

const FREE_TEXT: ReadonlySet<string> = new Set(['LO', 'SH', 'ST', 'LT', 'UT', 'UC', 'PN', 'UR', 'AE']);
/** Private values whose VR says nothing about what they are. */
const OPAQUE: ReadonlySet<string> = new Set(['UN', 'OB']);

function tagsOf(keywords: Iterable<string>): ReadonlySet<number> {
  return new Set([...keywords].flatMap((keyword) => findTag(keyword) ?? []));
}

/** Where the name and the IDs of the patient belong. */
const OF_PATIENT = tagsOf([
  'PatientName',
  'PatientID',
  'OtherPatientIDs',
  'OtherPatientNames',
  'PatientBirthName',
  'PatientMotherBirthName',
]);
const PROTOCOL = tagsOf([...PROTOCOL_KEYWORDS, ...PROTOCOL_ALIASES.keys()]);
const SAID = tagsOf(SAID_KEYWORDS);

/** The name under which a parameter is compared. */
function keywordOf(tag: number): string | undefined {
  if (!PROTOCOL.has(tag) && !SAID.has(tag)) return undefined;
  const keyword = findDictionaryEntry(tag)?.keyword;
  return keyword === undefined ? undefined : (PROTOCOL_ALIASES.get(keyword) ?? keyword);
}

function isReadable(vr: string): boolean {
  return !vr.startsWith('O') && vr !== 'UN' && vr !== 'SQ';
}

/** All values of an element as one text, as DICOM writes them. Empty for bytes. */
function valueOf(dataSet: DataSet, { tag }: DataElement, vr: string): string {
  if (!isReadable(vr)) return '';
  const text = dataSet
    .strings(tag, MOST_VALUES)
    .map((value) => value.trim())
    .join('\\');
  // A name of separators alone.
  return /^[\^=\s\\]*$/.test(text) ? '' : shorten(text);
}

function shorten(text: string): string {
  if (text.length <= LONGEST_VALUE) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${text.slice(0, LONGEST_VALUE)}… (${digest})`;
}
