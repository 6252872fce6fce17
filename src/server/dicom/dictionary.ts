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
  const { lines, exact, masks } = packed();
  const line = exact.get(tag) ?? masks.find(({ mask, match }) => (tag & mask) >>> 0 === match)?.line;
  return line === undefined ? undefined : unpack(lines[line] ?? '');
}

/** The tag of a keyword such as `PatientName`. For a repeating group, the first tag: 60000010 for OverlayRows. */
export function findTag(keyword: string): number | undefined {
  return keywords().get(keyword);
}

/** The VR of a standard element, a private creator or a group length; undefined for all other elements. */
export function dictionaryVr(tag: number): string | undefined {
  const element = tag & 0xffff;
  if (element === 0) return 'UL';
  if (isPrivate(tag)) return element >= 0x10 && element <= 0xff ? 'LO' : undefined;
  return vrs().get(tag) ?? findDictionaryEntry(tag)?.vr;
}

/** Elements of odd groups are private. PS3.5 7.8. */
export function isPrivate(tag: number): boolean {
  return ((tag >>> 16) & 1) === 1;
}

type Mask = { readonly mask: number; readonly match: number; readonly line: number };
type Packed = { lines: readonly string[]; exact: ReadonlyMap<number, number>; masks: readonly Mask[] };

// Unpacking takes milliseconds, so it is done on first use; the tables do not change afterwards.
const packed = once((): Packed => {
  const lines = PACKED_ELEMENTS.split('\n');
  const exact = new Map<number, number>();
  const masks: Mask[] = [];
  for (const [index, line] of lines.entries()) {
    const digits = line.slice(0, 8);
    if (digits.includes('x')) {
      const mask = parseInt(digits.replace(/[^x]/g, 'F').replaceAll('x', '0'), 16);
      masks.push({ mask, match: parseInt(digits.replaceAll('x', '0'), 16), line: index });
    } else {
      exact.set(parseInt(digits, 16), index);
    }
  }
  return { lines, exact, masks };
});

const keywords = once(() => {
  const tags = new Map<string, number>();
  for (const line of packed().lines)
    tags.set(unpack(line).keyword, parseInt(line.slice(0, 8).replaceAll('x', '0'), 16));
  return tags;
});

const vrs = once(() => {
  const { lines, exact } = packed();
  const found = new Map<number, string>();
  for (const [tag, line] of exact) found.set(tag, unpack(lines[line] ?? '').vr);
  return found;
});

function unpack(line: string): DictionaryEntry {
  const [, vr = '', name = '', keyword] = line.split('|');
  return {
    vr: vr.replace('*', '').replaceAll('/', ' or '),
    keyword: keyword ?? name.replace(/[^A-Za-z0-9]/g, ''),
    name,
    retired: vr.endsWith('*'),
  };
}
