import type { Options } from 'csv-parse';

const COMMA = 0x2c;
const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/**
 * `irregular`: a quote where RFC 4180 allows none; read as text, it leaves no doubt where the record ends. `lost`: a
 * quote that is never closed, or one that is closed lines later in the middle of a cell, so that rows may be hidden
 * between the two. `unfinished`: the record continues beyond these bytes.
 */
export type RecordState = 'record' | 'blank' | 'irregular' | 'lost' | 'unfinished';

/**
 * Finds the end of each CSV record and the position of one cell, without parsing the rest. This is about ten times as
 * fast as parsing, which matters for the millions of rows that belong to no open file. The parser interprets the cells.
 */
export class RecordScanner {
  /** After `record`, `blank` and `irregular`: the start of the next record. */
  end = 0;
  /**
   * After `record` and `irregular`: the content of the wanted cell, without its quotes. Both are -1 if the record has
   * fewer cells, and after `lost` if the wanted cell does not come before the quote in question.
   */
  cellStart = -1;
  cellEnd = -1;
  cellQuoted = false;
  readonly #wanted: number;

  /** @param wantedCell counts from 0 */
  constructor(wantedCell = 0) {
    this.#wanted = wantedCell;
  }

  /** @param isWhole no more bytes follow, so the end of the bytes ends the record */
  scan(bytes: Uint8Array, start: number, isWhole: boolean): RecordState {
    const length = bytes.length;
    let at = start;
    let isIrregular = false;
    this.cellStart = this.cellEnd = -1;
    for (let cell = 0; ; cell += 1) {
      const quoted = bytes[at] === QUOTE;
      const cellStart = quoted ? at + 1 : at;
      at = quoted ? findClosingQuote(bytes, cellStart) : findCellEnd(bytes, at);
      // The byte after a quote shows whether it closes the cell or is the first half of a doubled quote.
      if (!isWhole && at + (quoted ? 1 : 0) >= length) return 'unfinished';
      if (quoted && at >= length) return 'lost';
      const contentEnd = at;
      if (quoted) at += 1;
      if (at < length && !isCellEnd(bytes[at])) {
        if (quoted && hasLineBreak(bytes, cellStart, contentEnd)) return 'lost';
        isIrregular = true;
        while (at < length && !isCellEnd(bytes[at])) at += 1;
        if (!isWhole && at >= length) return 'unfinished';
      }
      if (cell === this.#wanted) {
        this.cellStart = cellStart;
        this.cellEnd = quoted ? contentEnd : at;
        this.cellQuoted = quoted;
      }
      if (at < length && bytes[at] === COMMA) {
        at += 1;
        continue;
      }
      const isBlank = cell === 0 && !quoted && at === start;
      if (!isWhole && at + 1 >= length && bytes[at] === CR) return 'unfinished';
      this.end = at + (bytes[at] === CR && bytes[at + 1] === LF ? 2 : at < length ? 1 : 0);
      return isIrregular ? 'irregular' : isBlank ? 'blank' : 'record';
    }
  }
}

/** The start of the line after the one that begins here; the end of the bytes if there is none. */
export function findNextLine(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    if (bytes[at] === LF) return at + 1;
    if (bytes[at] === CR) return bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  return bytes.length;
}

function isCellEnd(byte: number | undefined): boolean {
  return byte === COMMA || byte === LF || byte === CR;
}

function hasLineBreak(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] === LF || bytes[at] === CR) return true;
  return false;
}

/** The end of the cell, or the first quote in it. */
function findCellEnd(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === COMMA || byte === LF || byte === CR || byte === QUOTE) return at;
  }
  return bytes.length;
}

/** The first quote that is not doubled, or the end of the bytes. */
function findClosingQuote(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    if (bytes[at] !== QUOTE) continue;
    if (bytes[at + 1] !== QUOTE) return at;
    at += 1;
  }
  return bytes.length;
}

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
