import { formatCsvText } from '../../../shared/csvCell.ts';

export type CsvCell = string | number | undefined;

/** Rows of cells as text. RFC 4180. */
export function formatCsvRows(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((cells) => `${cells.map(formatCell).join(',')}\r\n`).join('');
}

function formatCell(cell: CsvCell): string {
  if (typeof cell !== 'string')
    return cell !== undefined && Number.isFinite(cell) ? String(Number(cell.toPrecision(10))) : '';
  return formatCsvText(cell);
}
