import { PACKED_ELEMENTS } from './elements.generated.ts';
import { once } from './once.ts';

export type DictionaryEntry = {
  /** As PS3.6 prints it: one VR, or a choice such as `US or SS`. */
  readonly vr: string;
  readonly keyword: string;
  readonly name: string;
  readonly retired: boolean;
};

/** The dictionary entry of a standard element. An entry of a repeating group (60xx) applies to each of its groups. */
export function findDictionaryEntry(tag: number): DictionaryEntry | undefined {
  const line = findLine(tag) ?? masks().find(({ mask, match }) => (tag & mask) >>> 0 === match)?.line;
  return line === undefined ? undefined : unpack(line);
}

/** The tag of a keyword such as `PatientName`. For a repeating group, the first tag: 60000010 for OverlayRows. */
export function findTag(keyword: string): number | undefined {
  return keywords().get(keyword);
}

/** The keyword as the standard writes it, found without regard to case. */
export function findKeyword(name: string): string | undefined {
  return keywords().has(name) ? name : spellings().get(name.toLowerCase());
}

/** The VR of a standard element, a private creator or a group length; undefined for all other elements. */
export function dictionaryVr(tag: number): string | undefined {
  const element = tag & 0xffff;
  if (element === 0) return 'UL';
  if (isPrivate(tag)) return element >= 0x10 && element <= 0xff ? 'LO' : undefined;
  const known = vrs.get(tag);
  if (known !== undefined) return known;
  const found = findDictionaryEntry(tag)?.vr;
  if (found !== undefined) vrs.set(tag, found);
  return found;
}

/** VRs that were looked up. There is one for each element of the standard at most, because unknown tags are left out. */
const vrs = new Map<number, string>();

/** Elements of odd groups are private. PS3.5 7.8. */
export function isPrivate(tag: number): boolean {
  return ((tag >>> 16) & 1) === 1;
}

/**
 * The line of a tag, found in the packed text by bisection: a new thread needs a hundred of the five thousand lines, and
 * unpacking all of them would take longer than all else that it does for its first file.
 */
function findLine(tag: number): string | undefined {
  const digits = tag.toString(16).toUpperCase().padStart(8, '0');
  let from = 0;
  let to = PACKED_ELEMENTS.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    // The line around the middle. It does not begin before `from`, which is the beginning of a line.
    const start = PACKED_ELEMENTS.lastIndexOf('\n', middle - 1) + 1;
    const newline = PACKED_ELEMENTS.indexOf('\n', start);
    const end = newline < 0 ? PACKED_ELEMENTS.length : newline;
    const found = PACKED_ELEMENTS.slice(start, start + 8);
    if (found === digits) return PACKED_ELEMENTS.slice(start, end);
    if (found < digits) from = end + 1;
    else to = start;
  }
  return undefined;
}

type Mask = { readonly mask: number; readonly match: number; readonly line: string };

/** The lines of repeating groups, such as `60xx0010`. */
const masks = once((): readonly Mask[] =>
  [...PACKED_ELEMENTS.matchAll(/^([\dA-F]*x[\dA-Fx]*)\|.*$/gm)].map(([line, digits = '']) => ({
    mask: parseInt(digits.replace(/[^x]/g, 'F').replaceAll('x', '0'), 16),
    match: parseInt(digits.replaceAll('x', '0'), 16),
    line,
  })),
);

const keywords = once(() => {
  const tags = new Map<string, number>();
  for (const line of PACKED_ELEMENTS.split('\n'))
    tags.set(unpack(line).keyword, parseInt(line.slice(0, 8).replaceAll('x', '0'), 16));
  return tags;
});

const spellings = once(() => new Map([...keywords().keys()].map((keyword) => [keyword.toLowerCase(), keyword])));

function unpack(line: string): DictionaryEntry {
  const [, vr = '', name = '', keyword] = line.split('|');
  return {
    vr: vr.replace('*', '').replaceAll('/', ' or '),
    keyword: keyword ?? name.replace(/[^A-Za-z0-9]/g, ''),
    name,
    retired: vr.endsWith('*'),
  };
}
