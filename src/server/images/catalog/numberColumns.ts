/**
 * Columns of numbers, each as narrow as its values allow: a value that all rows share takes no room, whole numbers that are close
 * to each other one or two bytes a row. Files of one batch differ in few of their numbers. All columns are views of one shared
 * buffer, so that sending them to another thread copies nothing.
 */
export type NumberColumns = {
  /** How each column is stored. */
  readonly kinds: Uint8Array<SharedArrayBuffer>;
  /** Where each column begins in the view of its kind. */
  readonly starts: Uint32Array<SharedArrayBuffer>;
  /** The value of a column that has only one, or what is added to the whole numbers of a column. */
  readonly bases: Float64Array<SharedArrayBuffer>;
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly shorts: Uint16Array<SharedArrayBuffer>;
  readonly words: Uint32Array<SharedArrayBuffer>;
  readonly doubles: Float64Array<SharedArrayBuffer>;
};

/** In the order of their bytes a row. */
const [SAME, BYTES, SHORTS, WORDS, DOUBLES] = [0, 1, 2, 3, 4] as const;
type Kind = typeof SAME | typeof BYTES | typeof SHORTS | typeof WORDS | typeof DOUBLES;

const KIND_BYTES: Readonly<Record<Kind, number>> = { [SAME]: 0, [BYTES]: 1, [SHORTS]: 2, [WORDS]: 4, [DOUBLES]: 8 };

/** Takes numbers row by row, a number for each column; NaN if absent. */
export function packNumbers(numbers: Float64Array, columnCount: number): NumberColumns {
  const rowCount = numbers.length / columnCount;
  const plans = Array.from({ length: columnCount }, (_, column) => planColumn(numbers, column, columnCount));
  const rows: Record<Kind, number> = { [SAME]: 0, [BYTES]: 0, [SHORTS]: 0, [WORDS]: 0, [DOUBLES]: 0 };
  const starts = plans.map(({ kind }) => {
    const start = rows[kind];
    rows[kind] += rowCount;
    return start;
  });
  const columns = createColumns(columnCount, rows);
  columns.kinds.set(plans.map(({ kind }) => kind));
  columns.starts.set(starts);
  columns.bases.set(plans.map(({ base }) => base));
  for (const [column, { kind, base }] of plans.entries()) {
    if (kind === SAME) continue;
    const view = {
      [BYTES]: columns.bytes,
      [SHORTS]: columns.shorts,
      [WORDS]: columns.words,
      [DOUBLES]: columns.doubles,
    }[kind];
    for (let row = 0, at = starts[column]!; row < rowCount; row += 1, at += 1) {
      const value = numbers[row * columnCount + column]!;
      view[at] = kind === DOUBLES ? value : Number.isNaN(value) ? 0 : value - base;
    }
  }
  return columns;
}

/** NaN if absent. */
export function numberOfRow(columns: NumberColumns, column: number, row: number): number {
  const kind = columns.kinds[column];
  const base = columns.bases[column]!;
  if (kind === SAME) return base;
  const at = columns.starts[column]! + row;
  if (kind === DOUBLES) return columns.doubles[at]!;
  const stored = (kind === BYTES ? columns.bytes : kind === SHORTS ? columns.shorts : columns.words)[at]!;
  return stored === 0 ? NaN : base + stored;
}

function planColumn(numbers: Float64Array, column: number, columnCount: number): { kind: Kind; base: number } {
  const first = numbers[column] ?? NaN;
  let isSame = true;
  let isWhole = true;
  let least = Infinity;
  let most = -Infinity;
  for (let at = column; at < numbers.length; at += columnCount) {
    const value = numbers[at]!;
    isSame &&= Object.is(value, first);
    if (Number.isNaN(value)) continue;
    // A sum never gives -0.
    isWhole &&= Number.isSafeInteger(value) && !Object.is(value, -0);
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (isSame) return { kind: SAME, base: first };
  // 0 stands for an absent number.
  const base = least - 1;
  const largest = most - base;
  if (!isWhole || !Number.isSafeInteger(base) || largest >= 2 ** 32) return { kind: DOUBLES, base: NaN };
  return { kind: largest < 2 ** 8 ? BYTES : largest < 2 ** 16 ? SHORTS : WORDS, base };
}

function createColumns(columnCount: number, rows: Readonly<Record<Kind, number>>): NumberColumns {
  const doubleBytes = (columnCount + rows[DOUBLES]) * KIND_BYTES[DOUBLES];
  const wordBytes = (columnCount + rows[WORDS]) * KIND_BYTES[WORDS];
  const shortBytes = rows[SHORTS] * KIND_BYTES[SHORTS];
  const buffer = new SharedArrayBuffer(doubleBytes + wordBytes + shortBytes + columnCount + rows[BYTES]);
  // The widest first, so that each view is aligned.
  const shortStart = doubleBytes + wordBytes;
  const byteStart = shortStart + shortBytes;
  return {
    bases: new Float64Array(buffer, 0, columnCount),
    doubles: new Float64Array(buffer, columnCount * KIND_BYTES[DOUBLES], rows[DOUBLES]),
    starts: new Uint32Array(buffer, doubleBytes, columnCount),
    words: new Uint32Array(buffer, doubleBytes + columnCount * KIND_BYTES[WORDS], rows[WORDS]),
    shorts: new Uint16Array(buffer, shortStart, rows[SHORTS]),
    kinds: new Uint8Array(buffer, byteStart, columnCount),
    bytes: new Uint8Array(buffer, byteStart + columnCount, rows[BYTES]),
  };
}
