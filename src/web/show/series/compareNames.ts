const NATURAL = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Natural order: `2` before `10`, ignoring case. */
export function compareNames(a: string, b: string): number {
  return NATURAL.compare(a, b);
}
