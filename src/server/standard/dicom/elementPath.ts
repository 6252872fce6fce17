import { dictionaryVr, findDictionaryEntry, findKeyword, findTag, isPrivate } from './dictionary.ts';
import type { PrivateElement } from './privateElement.ts';
import { tagToString } from './tag.ts';
import { resolveChoice, vrTraits } from './vr.ts';

/** An element of a data set: by its tag, or by its place in a private block, whose number differs from file to file. */
export type ElementName = { readonly tag: number } | PrivateElement;

/** A sequence on the way to an element, and which of its items is meant, from 0. */
export type SequenceStep = { readonly element: ElementName; readonly item: number | 'all' };

/** Where the value of a column is: in an element of the data set, or of an item in it. */
export type ElementPath = {
  /** As tables name it: with keywords where there are any. */
  readonly name: string;
  readonly sequences: readonly SequenceStep[];
  readonly element: ElementName;
};

export type ParsedElementPath =
  | { readonly ok: true; readonly path: ElementPath }
  /** What is wrong with it, to be read behind the path. */
  | { readonly ok: false; readonly message: string };

/** Longer paths, through more sequences or to later items, are refused. */
const MOST_CHARACTERS = 512;
const MOST_SEQUENCES = 8;
const LAST_ITEM = 9_999;

const KEYWORD = /[A-Za-z][A-Za-z0-9]*/y;
const TAG = /(\()?([\dA-Fa-f]{4}),([\dA-Fa-f]{4})(\))?/y;
const PRIVATE = /(\()?([\dA-Fa-f]{4}),[xX]{2}([\dA-Fa-f]{2})(\))?@/y;
const ITEM = /\[(\d{1,5}|\*)\]\./y;

/**
 * Parses `EchoTime`, `(0018,9087)`, `SharedFunctionalGroupsSequence[0].PixelMeasuresSequence[0].SliceThickness` or
 * `0019,xx0C@SIEMENS MR HEADER`. Keywords are found without regard to case.
 */
export function parseElementPath(text: string): ParsedElementPath {
  if (text.length > MOST_CHARACTERS) return refuse(`is longer than ${MOST_CHARACTERS} characters`);
  const sequences: SequenceStep[] = [];
  let at = 0;
  for (;;) {
    const read = readElement(text, at);
    if ('problem' in read) return refuse(read.problem);
    const { element } = read;
    at = read.end;
    ITEM.lastIndex = at;
    const item = ITEM.exec(text)?.[1];
    if (item === undefined) {
      if (at < text.length) return refuse(`is not understood from ${JSON.stringify(text.slice(at, at + 20))}`);
      const problem = refuseElement(element);
      return problem === undefined ? { ok: true, path: namePath(sequences, element) } : refuse(problem);
    }
    at = ITEM.lastIndex;
    const vr = vrOf(element);
    if (vr !== undefined && vr !== 'SQ') return refuse(`goes through ${nameOfElement(element)}, which is no sequence`);
    if (item !== '*' && Number(item) > LAST_ITEM) return refuse(`names an item after ${LAST_ITEM}`);
    sequences.push({ element, item: item === '*' ? 'all' : Number(item) });
    if (sequences.length > MOST_SEQUENCES) return refuse(`goes through more than ${MOST_SEQUENCES} sequences`);
  }
}

function refuse(message: string): ParsedElementPath {
  return { ok: false, message };
}

type ReadElement = { readonly element: ElementName; readonly end: number } | { readonly problem: string };

function readElement(text: string, at: number): ReadElement {
  PRIVATE.lastIndex = at;
  const [ofCreator, opened, group = '', element = '', closed] = PRIVATE.exec(text) ?? [];
  if (ofCreator !== undefined && (opened === undefined) === (closed === undefined)) {
    const from = at + ofCreator.length;
    const end = endOfCreator(text, from);
    const creator = text.slice(from, end).trim();
    if (creator === '') return { problem: 'names no private creator after @' };
    const number = parseInt(group, 16);
    if (number % 2 === 0) return { problem: `has the group ${group}, which is not private` };
    return { element: { creator, group: number, element: parseInt(element, 16) }, end };
  }
  TAG.lastIndex = at;
  const [tag, before, high = '', low = '', after] = TAG.exec(text) ?? [];
  if (tag !== undefined && (before === undefined) === (after === undefined)) {
    return { element: { tag: parseInt(high + low, 16) }, end: at + tag.length };
  }
  KEYWORD.lastIndex = at;
  const [keyword] = KEYWORD.exec(text) ?? [];
  const known = keyword === undefined ? undefined : findKeyword(keyword);
  if (keyword === undefined) return { problem: 'is no DICOM keyword, tag or private element' };
  if (known === undefined) return { problem: `has ${keyword}, which is no DICOM keyword` };
  return { element: { tag: findTag(known)! }, end: at + keyword.length };
}

/** A creator may have any characters; it ends before an item, or with the path. */
function endOfCreator(text: string, from: number): number {
  const item = /\[(?:\d{1,5}|\*)\]\./.exec(text.slice(from));
  return item === null ? text.length : from + item.index;
}

/** Why an element has no values that fit into a column. */
function refuseElement(element: ElementName): string | undefined {
  const vr = vrOf(element);
  const kind = vr === undefined ? undefined : vrTraits(vr)?.kind;
  if (kind === 'sequence') return `ends in a sequence; name an element in it, such as ${nameOfElement(element)}[0].…`;
  if (kind === 'bytes') return `is an element with the VR ${vr}, whose values are no texts and no numbers`;
  return undefined;
}

/** The VR of the dictionary; undefined if each file has its own. */
export function vrOf(element: ElementName): string | undefined {
  const vr = 'tag' in element ? dictionaryVr(element.tag) : undefined;
  return vr === undefined || vr.length === 2 ? vr : resolveChoice(vr, false);
}

function namePath(sequences: readonly SequenceStep[], element: ElementName): ElementPath {
  const steps = sequences.map((step) => `${nameOfElement(step.element)}[${step.item === 'all' ? '*' : step.item}].`);
  return { name: steps.join('') + nameOfElement(element), sequences, element };
}

/** How a path names an element. */
export function nameOfElement(element: ElementName): string {
  if (!('tag' in element)) return `${hex(element.group, 4)},xx${hex(element.element, 2)}@${element.creator}`;
  const keyword = findDictionaryEntry(element.tag)?.keyword;
  // A keyword of a repeating group names its first group.
  return keyword !== undefined && findTag(keyword) === element.tag ? keyword : tagToString(element.tag);
}

/** The name of the element as the standard has it. */
export function titleOf({ name, element }: ElementPath): string {
  const entry = 'tag' in element ? findDictionaryEntry(element.tag) : undefined;
  return entry?.name ?? name;
}

function hex(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, '0');
}

/** The path of an element at the top level. */
export function pathOfTag(tag: number): ElementPath {
  return namePath([], { tag });
}

/** Whether an element is of the file meta information. */
export function isOfMeta({ sequences, element }: ElementPath): boolean {
  return sequences.length === 0 && 'tag' in element && element.tag >>> 16 === 2;
}

export function isPrivateElement(element: ElementName): boolean {
  return !('tag' in element) || isPrivate(element.tag);
}
