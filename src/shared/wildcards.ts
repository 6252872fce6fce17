/** The characters of a pattern that stand for any text and for any character. */
export type Wildcards = { readonly text: string; readonly character: string };

/** What a text is for a pattern: its UTF-16 units. */
export type TextUnits = { readonly length: number; readonly charCodeAt: (at: number) => number };

const BITS = 32;

/**
 * Returns a function that says whether a text matches the pattern. It reads each unit of the text once, and for each takes
 * one step for every 32 units of the pattern, whatever both contain: a set of bits says how many units of the pattern the
 * text so far may have matched.
 */
export function compileWildcards(
  pattern: string,
  { text: many, character: one }: Wildcards,
): (text: TextUnits) => boolean {
  /** The numbers of matched units after which any text may follow. */
  const pauses: number[] = [];
  const units: string[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === many) pauses.push(units.length);
    else units.push(pattern[at]!);
  }
  const words = Math.floor(units.length / BITS) + 1;
  const anyText = setBits(words, pauses);
  /** The numbers of matched units that any unit of the text can lead to, and those that some can. */
  const ofAny = setBits(
    words,
    [...units.keys()].flatMap((at) => (units[at] === one ? [at + 1] : [])),
  );
  const leads = new Map<number, Uint32Array>();
  for (const [at, unit] of units.entries()) {
    const code = unit.charCodeAt(0);
    const lead = leads.get(code) ?? ofAny.slice();
    if (unit !== one) leads.set(code, setBit(lead, at + 1));
  }

  return (text) => {
    const matched = setBits(words, [0]);
    for (let at = 0; at < text.length; at += 1) {
      const lead = leads.get(text.charCodeAt(at)) ?? ofAny;
      let carry = 0;
      let left = 0;
      for (let word = 0; word < words; word += 1) {
        const before = matched[word]!;
        const after = (((before << 1) | carry) & lead[word]!) | (before & anyText[word]!);
        carry = before >>> (BITS - 1);
        matched[word] = after;
        left |= after;
      }
      if (left === 0) return false;
    }
    return hasBit(matched, units.length);
  };
}

function setBits(words: number, bits: readonly number[]): Uint32Array {
  return bits.reduce(setBit, new Uint32Array(words));
}

function setBit(set: Uint32Array, bit: number): Uint32Array {
  set[Math.floor(bit / BITS)]! |= 1 << (bit % BITS);
  return set;
}

function hasBit(set: Uint32Array, bit: number): boolean {
  return ((set[Math.floor(bit / BITS)]! >>> (bit % BITS)) & 1) === 1;
}
