import type { Options } from 'csv-parse';

/**
 * A row may be as long as the largest payload that PUT accepts, written out. The limit prevents an unclosed quote from
 * pulling the whole file into memory.
 */
export const MAX_RECORD_BYTES = 8 * 2 ** 20;

/**
 * RFC 4180 with any kind of line break, including mixed ones. The number of cells is checked by the code that uses the
 * row.
 */
export const CSV_DIALECT = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: MAX_RECORD_BYTES,
} as const satisfies Options;

/** Explains the parser's error codes to the author of the file. */
export function describeCsvError(code: string): string {
  switch (code) {
    case 'INVALID_OPENING_QUOTE':
      return 'a quote inside a cell that does not begin with one; quote the whole cell and double the quotes inside it';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'text after the closing quote of a cell; double the quotes inside a quoted cell';
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted cell that is never closed';
    case 'CSV_MAX_RECORD_SIZE':
      return `a row longer than ${MAX_RECORD_BYTES / 2 ** 20} MiB; is a quoted cell not closed?`;
    default:
      return `not CSV (${code})`;
  }
}
