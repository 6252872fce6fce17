/**
 * Splits names of columns that commas separate, such as `Modality,(0018,9087),0019,xx0C@SIEMENS MR HEADER`. The comma of a
 * tag separates nothing. A name with other commas stands in double quotes.
 */
export function splitColumnNames(text: string): string[] {
  return [...text.matchAll(NAME)].map(
    ([, sign = '', quoted, plain = '']) => sign + (quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')),
  );
}

/** A minus before a name is part of the text: it sorts downwards. */
const NAME = /(?:^|,)\s*(-?)(?:"((?:[^"]|"")*)"\s*(?=,|$)|((?:\b[\dA-Fa-f]{4},[\dA-Fa-fxX]{4}\b|[^,])*))/g;

export function joinColumnNames(names: readonly string[]): string {
  return names
    .map((name) => (splitColumnNames(name)[0] === name && !name.startsWith('-') ? name : quote(name)))
    .join(',');
}

/** The name as a condition writes it. */
export function writeColumnName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quote(name);
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
