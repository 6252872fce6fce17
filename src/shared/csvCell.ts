/** A cell of CSV. RFC 4180. */
export function formatCsvText(text: string): string {
  // A spreadsheet would run such a text as a formula, unless it is a number, and texts come from files.
  const isNumber = /^-?[\d.]+(?:e[+-]?\d+)?$/i.test(text);
  const safe = /^[=+\-@\t\r]/.test(text) && !isNumber ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function formatCsvLine(cells: readonly string[]): string {
  return `${cells.map(formatCsvText).join(',')}\r\n`;
}
