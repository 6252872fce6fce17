/**
 * Orders named things as a person counts: `IM2` before `IM10`. The order is the same on every machine (no locale) and
 * total: names that differ only in leading zeros are told apart by their characters.
 */
export function sortByName<T extends { readonly name: string }>(things: readonly T[]): T[] {
  const keyed = things.map((thing) => ({ thing, key: naturalKey(thing.name) }));
  keyed.sort((a, b) => compareText(a.key, b.key) || compareText(a.thing.name, b.thing.name));
  return keyed.map(({ thing }) => thing);
}

/**
 * A text whose plain order is the natural order of `name`: each run of digits becomes a zero, the number of its
 * significant digits as one character, and those digits. A longer number is the larger one.
 */
function naturalKey(name: string): string {
  return name.replace(/\d+/g, (digits) => {
    const significant = digits.replace(/^0+(?=\d)/, '');
    return `0${String.fromCharCode(significant.length)}${significant}`;
  });
}

function compareText(a: string, b: string): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
