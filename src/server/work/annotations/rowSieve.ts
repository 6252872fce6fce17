import { findNextLine, MAX_RECORD_BYTES, RecordScanner } from '../../machine/workers/csvRecords.ts';

/** Removes rows from a CSV before it is parsed. */
export type RowSieve = {
  /**
   * Takes the bytes from `start` on. Each chunk is used only until the next one is requested. Yields whole rows, or all
   * remaining bytes once rows cannot be told apart.
   */
  readonly sift: (chunks: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;
  /** Number of rows left out, not counting blank lines. */
  readonly leftOut: () => number;
  /** Converts an offset in the yielded bytes to an offset in the file. */
  readonly fileOffset: (yielded: number) => number;
};

export type RowSieveOptions = {
  /** Offset in the file of the first input byte. */
  readonly start: number;
  /** The position of the cell that decides, counted from 0. */
  readonly cell: number;
  readonly isWanted: (text: string) => boolean;
};

/**
 * The sieve leaves out unwanted rows, whatever their other cells contain. An unwanted row with a quote that is not closed
 * ends with its line, so that it hides no other row. From the first other row on whose end cannot be determined, or that
 * is too long, everything passes, so that the parser decides.
 */
export function createRowSieve({ start, cell, isWanted }: RowSieveOptions): RowSieve {
  const scanner = new RecordScanner(cell);
  const yieldedStarts: number[] = [];
  const fileStarts: number[] = [];
  let yieldedBytes = 0;
  let rows = 0;
  let isOpen = false;

  const keep = (bytes: Buffer, fileStart: number): Buffer => {
    yieldedStarts.push(yieldedBytes);
    fileStarts.push(fileStart);
    yieldedBytes += bytes.length;
    return Buffer.from(bytes);
  };

  /**
   * Yields the wanted rows among the complete rows in these bytes, and returns the start of the first unfinished row.
   */
  function* siftRows(bytes: Buffer, fileStart: number, isWhole: boolean): Generator<Buffer, number> {
    let at = 0;
    let keptFrom = 0;
    while (at < bytes.length && !isOpen) {
      const isTooLong = bytes.length - at > MAX_RECORD_BYTES;
      let state = scanner.scan(bytes, at, isWhole);
      if (state === 'unfinished' && !isTooLong) break;
      if (state === 'unfinished') state = scanner.scan(bytes, at, true);
      const isLost = state === 'lost';
      const end = isLost ? findNextLine(bytes, at) : scanner.end;
      const mayBeWanted = isLost && (scanner.cellStart === -1 || isWanted(cellText(bytes, scanner)));
      isOpen = mayBeWanted || end - at > MAX_RECORD_BYTES;
      if (isOpen) break;
      const isLeftOut = isLost || state === 'blank' || !isWanted(cellText(bytes, scanner));
      if (isLeftOut) {
        if (keptFrom < at) yield keep(bytes.subarray(keptFrom, at), fileStart + keptFrom);
        keptFrom = end;
        if (state !== 'blank') rows += 1;
      }
      at = end;
    }
    if (keptFrom < at) yield keep(bytes.subarray(keptFrom, at), fileStart + keptFrom);
    return at;
  }

  return {
    async *sift(chunks) {
      let held = Buffer.alloc(0);
      let length = 0;
      let fileStart = start;
      for await (const chunk of chunks) {
        if (length + chunk.length > held.length) held = enlarge(held, length + chunk.length);
        chunk.copy(held, length);
        length += chunk.length;
        let done = yield* siftRows(held.subarray(0, length), fileStart, false);
        if (isOpen && done < length) {
          yield keep(held.subarray(done, length), fileStart + done);
          done = length;
        }
        held.copyWithin(0, done, length);
        length -= done;
        fileStart += done;
      }
      const rest = held.subarray(0, length);
      const done = yield* siftRows(rest, fileStart, true);
      if (done < length) yield keep(rest.subarray(done), fileStart + done);
    },
    leftOut: () => rows,
    fileOffset: (yielded) => {
      const piece = yieldedStarts.findLastIndex((pieceStart) => pieceStart <= yielded);
      return (fileStarts[piece] ?? start) + yielded - (yieldedStarts[piece] ?? 0);
    },
  };
}

/** Twice the needed size, so that a row that spans many chunks is not copied for each of them. */
function enlarge(held: Buffer, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(needed * 2);
  held.copy(larger);
  return larger;
}

function cellText(bytes: Buffer, { cellStart, cellEnd, cellQuoted }: RecordScanner): string {
  if (cellStart === -1) return '';
  const text = bytes.toString('utf8', cellStart, cellEnd);
  return cellQuoted ? text.replaceAll('""', '"') : text;
}
