import type { FieldItem, FieldPacket } from '../../../../shared/fieldPacket.ts';

/** The values of a field at the pixels of a picture, or at parts of them; NaN where nothing is known. */
export type SpreadField = {
  /** In parts of pixels from the corner of the picture. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Parts of a pixel along each side. */
  readonly parts: number;
  /** Row by row. */
  readonly values: Float32Array;
};

/** A picture with fewer pixels is divided, so that colors and lines are as smooth as the values. */
const FINE = 480;
const MOST_PARTS = 8;
const MOST_VALUES = 2 ** 21;

/**
 * Interpolates values and not colors, because between two colors there may be one that means a value that is nowhere.
 * Missing samples are not mixed with others: what is nearest to one is missing.
 */
export function spreadField({ rows, columns, item }: FieldPacket): SpreadField | undefined {
  if (item === undefined) return undefined;
  const wanted = Math.min(MOST_PARTS, Math.max(1, Math.round(FINE / Math.max(rows, columns))));
  const parts = rows * columns > MOST_VALUES ? Math.sqrt(MOST_VALUES / (rows * columns)) : wanted;
  const [xx, , , yy, x, y] = item.toTarget;
  const across = spreadAxis({ step: xx, start: x, samples: item.columns, pixels: columns, parts });
  const down = spreadAxis({ step: yy, start: y, samples: item.rows, pixels: rows, parts });
  if (across.count <= 0 || down.count <= 0) return undefined;
  const values = new Float32Array(across.count * down.count);
  fill(values, item, across, down);
  return { left: across.first, top: down.first, width: across.count, height: down.count, parts, values };
}

type Axis = {
  /** First place and number of places that the samples reach. */
  readonly first: number;
  readonly count: number;
  readonly lower: Int32Array;
  readonly upper: Int32Array;
  readonly nearest: Int32Array;
  readonly weight: Float64Array;
};

type AxisInput = {
  readonly step: number;
  readonly start: number;
  readonly samples: number;
  readonly pixels: number;
  readonly parts: number;
};

/** For each place along one axis of the picture, the two samples around it and the weight of the second. */
function spreadAxis({ step, start, samples, pixels, parts }: AxisInput): Axis {
  // A place is the centre of a part: place i lies at pixel (i + 0.5) / parts - 0.5. Samples reach half a step out.
  const toPlace = (sample: number) => (sample * step + start + 0.5) * parts - 0.5;
  const first = Math.max(0, Math.ceil(toPlace(-0.5)));
  const end = Math.min(Math.floor(pixels * parts), Math.ceil(toPlace(samples - 0.5)));
  const count = Math.max(0, end - first);
  const [lower, upper, nearest] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  const weight = new Float64Array(count);
  for (let at = 0; at < count; at += 1) {
    const sample = ((first + at + 0.5) / parts - 0.5 - start) / step;
    const inside = Math.min(Math.max(sample, 0), samples - 1);
    lower[at] = Math.floor(inside);
    upper[at] = Math.min(lower[at]! + 1, samples - 1);
    nearest[at] = Math.min(Math.max(Math.floor(sample + 0.5), 0), samples - 1);
    weight[at] = inside - lower[at]!;
  }
  return { first, count, lower, upper, nearest, weight };
}

function fill(values: Float32Array, item: FieldItem, across: Axis, down: Axis): void {
  const { columns, scale, offset } = item;
  const samples = toValues(item);
  let at = 0;
  for (let y = 0; y < down.count; y += 1) {
    const [above, below, middle] = [down.lower[y]! * columns, down.upper[y]! * columns, down.nearest[y]! * columns];
    const v = down.weight[y]!;
    for (let x = 0; x < across.count; x += 1, at += 1) {
      const [left, right, u] = [across.lower[x]!, across.upper[x]!, across.weight[x]!];
      const [a, b] = [samples[above + left]!, samples[above + right]!];
      const [c, d] = [samples[below + left]!, samples[below + right]!];
      let value = (a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v;
      if (Number.isNaN(value) && !Number.isNaN(samples[middle + across.nearest[x]!]!))
        value = mixKnown(a, b, c, d, u, v);
      values[at] = value * scale + offset;
    }
  }
}

function mixKnown(a: number, b: number, c: number, d: number, u: number, v: number): number {
  let [sum, weights] = [0, 0];
  const add = (value: number, weight: number) => {
    if (Number.isNaN(value)) return;
    sum += value * weight;
    weights += weight;
  };
  add(a, (1 - u) * (1 - v));
  add(b, u * (1 - v));
  add(c, (1 - u) * v);
  add(d, u * v);
  return weights === 0 ? NaN : sum / weights;
}

/** The samples with NaN for those that mean nothing. */
function toValues({ samples, missing }: FieldItem): Float64Array {
  const values = Float64Array.from(samples);
  if (missing === undefined) return values;
  for (let at = 0; at < values.length; at += 1) {
    if (values[at]! >= missing.low && values[at]! <= missing.high) values[at] = NaN;
  }
  return values;
}
