const NATURAL = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** As people sort names: `2` before `10`, and capitals among small letters. */
export function compareNames(a: string, b: string): number {
  return NATURAL.compare(a, b);
}

/** Letter by letter: dates, and what has one length. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
