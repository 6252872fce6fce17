/** Labels of all samples of a grid, slice after slice. */
export type LabelGridSamples = Uint8Array | Uint16Array;

/** First and last column, row and slice; the first is after the last if there is none. */
export type SampleBox = readonly [number, number, number, number, number, number];

/** Columns, rows and slices. */
export type GridSize = readonly [columns: number, rows: number, slices: number];

/** Between neighbouring columns, rows and slices. */
export type GridSpacingMm = readonly [columns: number, rows: number, slices: number];

/** Two masks on a part of a grid, with an empty sample on all sides. */
export type MaskPair = {
  /** Of the part, without the empty samples around it. */
  readonly size: GridSize;
  /** `TRUTH` and `TEST`, or both, for each sample. */
  readonly samples: Uint8Array;
  /** Whether a row of samples has any of them. */
  readonly rows: Uint8Array;
};

export const TRUTH = 1;
export const TEST = 2;

export type MaskSource = { readonly samples: LabelGridSamples; readonly value: number };

export type MaskPairInput = {
  readonly truth: MaskSource;
  readonly test: MaskSource;
  readonly size: GridSize;
  readonly box: SampleBox;
};

/** Cuts the masks of two labels out of their grid. */
export function cutMaskPair({ truth, test, size, box }: MaskPairInput): MaskPair {
  const [columns, rows] = size;
  const [x0, x1, y0, y1, z0, z1] = box;
  const cut: GridSize = [x1 - x0 + 1, y1 - y0 + 1, z1 - z0 + 1];
  const wide = cut[0] + 2;
  const high = cut[1] + 2;
  const samples = new Uint8Array(wide * high * (cut[2] + 2));
  const flags = new Uint8Array(high * (cut[2] + 2));
  for (let z = 0; z < cut[2]; z += 1) {
    for (let y = 0; y < cut[1]; y += 1) {
      const row = (z + 1) * high + y + 1;
      const from = ((z0 + z) * rows + y0 + y) * columns + x0;
      flags[row] =
        addRow(truth, { from, length: cut[0] }, TRUTH, samples, row * wide + 1) |
        addRow(test, { from, length: cut[0] }, TEST, samples, row * wide + 1);
    }
  }
  return { size: cut, samples, rows: flags };
}

function addRow(
  { samples, value }: MaskSource,
  { from, length }: { readonly from: number; readonly length: number },
  bit: number,
  into: Uint8Array,
  to: number,
): number {
  let found = 0;
  for (let at = 0; at < length; at += 1) {
    if (samples[from + at] !== value) continue;
    into[to + at]! |= bit;
    found = bit;
  }
  return found;
}

/** The smallest box around two; an empty one adds nothing. */
export function joinBoxes(a: SampleBox, b: SampleBox): SampleBox {
  if (isEmptyBox(a)) return b;
  if (isEmptyBox(b)) return a;
  return [
    Math.min(a[0], b[0]),
    Math.max(a[1], b[1]),
    Math.min(a[2], b[2]),
    Math.max(a[3], b[3]),
    Math.min(a[4], b[4]),
    Math.max(a[5], b[5]),
  ];
}

export function isEmptyBox([first, last]: SampleBox): boolean {
  return first > last;
}
