export type CsvCell = string | number | undefined;

/** Rows of cells as text. RFC 4180. */
export function formatCsvRows(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((cells) => `${cells.map(formatCell).join(',')}\r\n`).join('');
}

function formatCell(cell: CsvCell): string {
  if (typeof cell !== 'string')
    return cell !== undefined && Number.isFinite(cell) ? String(Number(cell.toPrecision(10))) : '';
  // A spreadsheet would run such a text as a formula, and names come from files.
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
