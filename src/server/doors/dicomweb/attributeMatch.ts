import { compileWildcards } from '../../../shared/wildcards.ts';
import { parseNumber } from '../../standard/dicom/decodeValue.ts';
import { vrTraits } from '../../standard/dicom/vr.ts';

const WILDCARDS = { text: '*', character: '?' };

/** What a query wants of one attribute: that it equals one of the values. PS3.4 C.2.2.2. */
export type AttributeMatch = {
  /** The tag, after those of the sequences that it is in. */
  readonly path: readonly number[];
  readonly vr: string;
  readonly values: readonly string[];
};

/** Whether one of the values of an attribute is wanted. An attribute without a value has an empty list. */
export function matchesValues(texts: readonly string[], { vr, values }: AttributeMatch): boolean {
  return values.some((wanted) => isUniversal(wanted, vr) || texts.some((text) => matchesText(text, wanted, vr)));
}

/** Matches everything, also an absent attribute. */
function isUniversal(wanted: string, vr: string): boolean {
  return wanted === '' || (takesWildcards(vr) && /^\*+$/.test(wanted));
}

function takesWildcards(vr: string): boolean {
  return WILDCARD_VRS.has(vr);
}

const WILDCARD_VRS: ReadonlySet<string> = new Set('AE CS LO LT PN SH ST UC UR UT'.split(' '));

function matchesText(text: string, wanted: string, vr: string): boolean {
  if (vr === 'UI') return text === wanted;
  if (vr === 'PN') return matchesName(text, wanted);
  if (RANGE_VRS.has(vr)) return matchesRange(toPlain(text, vr), wanted, vr);
  const { kind } = vrTraits(vr) ?? {};
  if (kind === 'number' || kind === 'numeric text') return parseNumber(text) === parseNumber(wanted);
  return takesWildcards(vr) ? matchesPattern(text, wanted) : text === wanted;
}

/** A query holds the same patterns against the values of many files. */
const compiled = new Map<string, ReturnType<typeof compileWildcards>>();
/** Characters of all of them: a compiled pattern takes up to a hundred bytes for each. */
const MOST_COMPILED = 65_536;
let compiledLength = 0;

function matchesPattern(text: string, pattern: string): boolean {
  const known = compiled.get(pattern);
  if (known !== undefined) return known(text);
  if (compiledLength + pattern.length > MOST_COMPILED) {
    compiled.clear();
    compiledLength = 0;
  }
  const matches = compileWildcards(pattern, WILDCARDS);
  compiled.set(pattern, matches);
  compiledLength += pattern.length;
  return matches(text);
}

/** Without regard to case, as PS3.4 C.2.2.2.1 allows. A name matches by any of its component groups. */
function matchesName(text: string, wanted: string): boolean {
  const pattern = toPlainName(wanted);
  const name = toPlainName(text);
  if (matchesPattern(name, pattern)) return true;
  return !pattern.includes('=') && name.split('=').some((group) => matchesPattern(toPlainName(group), pattern));
}

/** Delimiters at the end of a name mean nothing. PS3.5 6.2.1.1. */
function toPlainName(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === '^' || name[end - 1] === '=' || name[end - 1] === ' ')) end -= 1;
  return name.slice(0, end).normalize('NFC').toLowerCase();
}

const RANGE_VRS: ReadonlySet<string> = new Set(['DA', 'TM', 'DT']);

/** Dates as older writers print them: 2024.01.31; times with colons. */
function toPlain(text: string, vr: string): string {
  return vr === 'DA' ? text.replaceAll('.', '') : vr === 'TM' ? text.replaceAll(':', '') : text;
}

/** `A`, `A-B`, `A-` and `-B`. An end without its last digits includes all that begins with it. */
function matchesRange(text: string, wanted: string, vr: string): boolean {
  if (text === '') return false;
  const [first, last] = splitRange(wanted, vr).map((end) => toPlain(end, vr));
  if (first === undefined) return false;
  if (last === undefined) return vr === 'DA' ? text === first : text.startsWith(first) || isSameTime(text, first);
  return (first === '' || text >= first) && (last === '' || text.slice(0, last.length) <= last);
}

/** The hyphen of a date-time may also begin its offset from UTC, of four digits, as in `20240131120000-0500`. */
function splitRange(wanted: string, vr: string): readonly string[] {
  const [, first, last] =
    (vr === 'DT' ? /^([\d.]*(?:[+-]\d{4})?)-(\d{4}[\d.+-]*|)$/ : /^([\d.:]*)-([\d.:]*)$/).exec(wanted) ?? [];
  return first === undefined || last === undefined ? [wanted] : [first, last];
}

/** 1030 and 103000.000 are the same time. */
function isSameTime(text: string, wanted: string): boolean {
  const [a, b] = [text, wanted].map((time) => time.replace(/\.0*$/, '').padEnd(6, '0'));
  return a === b;
}
