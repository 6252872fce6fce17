/** Rows of a PNG, each after the number of its filter. */
export type FilteredRows = {
  readonly rows: number;
  /** Bytes of a row. */
  readonly width: number;
  /** Bytes of a pixel, at least 1. */
  readonly step: number;
};

const MOST_FILTER = 4;

/** Takes back the filters of PNG. Throws if a row has none of them. */
export function unfilterRows(bytes: Uint8Array, { rows, width, step }: FilteredRows): Uint8Array {
  const out = new Uint8Array(rows * width);
  for (let row = 0; row < rows; row += 1) {
    const from = row * (width + 1);
    const to = row * width;
    const filter = bytes[from] ?? Infinity;
    if (filter > MOST_FILTER) throw new Error('there is no such filter');
    for (let x = 0; x < width; x += 1) {
      const left = x >= step ? out[to + x - step]! : 0;
      const up = row > 0 ? out[to + x - width]! : 0;
      const corner = row > 0 && x >= step ? out[to + x - width - step]! : 0;
      out[to + x] = bytes[from + 1 + x]! + predict(filter, left, up, corner);
    }
  }
  return out;
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const estimate = left + up - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
