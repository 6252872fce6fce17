/**
 * Sorts by name in natural order: `IM2` before `IM10`. The order is the same on every machine (no locale) and total:
 * names that differ only in leading zeros are ordered by their characters.
 */
export function sortByName<T extends { readonly name: string }>(things: readonly T[]): T[] {
  const keyed = things.map((thing) => ({ thing, key: naturalKey(thing.name) }));
  keyed.sort((a, b) => compareText(a.key, b.key) || compareText(a.thing.name, b.thing.name));
  return keyed.map(({ thing }) => thing);
}

/**
 * A text whose plain order is the natural order of `name`: each run of digits becomes a zero, the number of its
 * significant digits as one character, and those digits, so that a longer number sorts after a shorter one.
 */
export function naturalKey(name: string): string {
  // A loop: with a regular expression, building the keys of a hundred thousand names would take longer than sorting
  // them.
  let key = '';
  let copied = 0;
  for (let at = 0; at < name.length; at += 1) {
    if (!isDigit(name, at)) continue;
    let first = at;
    while (name.charCodeAt(first) === ZERO && isDigit(name, first + 1)) first += 1;
    let end = first + 1;
    while (isDigit(name, end)) end += 1;
    key += `${name.slice(copied, at)}0${String.fromCharCode(end - first)}${name.slice(first, end)}`;
    copied = end;
    at = end;
  }
  return key + name.slice(copied);
}

/** A text whose plain order is the order in which a scan finds files: each folder at its place among the files beside it. */
export function orderOfPath(path: string): string {
  return naturalKey(path).replaceAll(/[/\\]/g, '\u0001');
}

const ZERO = 0x30;
const NINE = 0x39;

function isDigit(name: string, at: number): boolean {
  const code = name.charCodeAt(at);
  return code >= ZERO && code <= NINE;
}

function compareText(a: string, b: string): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
