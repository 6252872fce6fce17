/** How the samples of a field travel. Integers are those of the volume, floats are its modality values. */
export const FIELD_ENCODINGS = ['uint8', 'int8', 'uint16', 'int16', 'float32'] as const;
export type FieldEncoding = (typeof FIELD_ENCODINGS)[number];
export type FieldSamples = Uint8Array | Int8Array | Uint16Array | Int16Array | Float32Array;

/** Values of a volume on a grid of its own over a picture: as fine as the volume, not as the picture. */
export type FieldItem = {
  readonly rows: number;
  readonly columns: number;
  /** From (column, row) of the grid to those of the picture: `[xx, yx, xy, yy, x, y]`, as a canvas has it. */
  readonly toTarget: readonly [number, number, number, number, number, number];
  /** The value of a sample is `sample * scale + offset`. */
  readonly samples: FieldSamples;
  readonly scale: number;
  readonly offset: number;
  /** Samples in this range mean that nothing is known; NaN always does. */
  readonly missing: { readonly low: number; readonly high: number } | undefined;
  /** Whether values were interpolated between slices or within them. */
  readonly isInterpolated: boolean;
};

/** What a field puts over one picture, whose size is given in pixels; nothing if the two do not meet. */
export type FieldPacket = {
  readonly rows: number;
  readonly columns: number;
  readonly item: FieldItem | undefined;
};

type WireItem = {
  readonly rows: number;
  readonly columns: number;
  readonly to_target: readonly number[];
  readonly encoding: FieldEncoding;
  readonly scale: number;
  readonly offset_value: number;
  readonly missing: readonly [number, number] | null;
  readonly interpolated: boolean;
};
type WireField = {
  readonly layer: number;
  readonly kind: 'field';
  readonly rows: number;
  readonly columns: number;
  readonly items: readonly WireItem[];
};

const LENGTH_BYTES = 4;
const TYPES = {
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  float32: Float32Array,
} as const satisfies Record<FieldEncoding, unknown>;

/**
 * Wire format: the length of the header (32 bits, little endian), the header as JSON, padded with spaces so that the
 * samples begin at a multiple of four bytes, and the samples, little endian, row by row.
 */
export function encodeField(layer: number, { rows, columns, item }: FieldPacket): Uint8Array<ArrayBuffer> {
  const items = item === undefined ? [] : [toWire(item)];
  const header: WireField = { layer, kind: 'field', rows, columns, items };
  const json = JSON.stringify(header);
  const text = json.padEnd(Math.ceil(json.length / 4) * 4);
  const samples = item?.samples;
  const bytes = new Uint8Array(LENGTH_BYTES + text.length + (samples?.byteLength ?? 0));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  for (let at = 0; at < text.length; at += 1) bytes[LENGTH_BYTES + at] = text.charCodeAt(at);
  if (samples !== undefined) {
    bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), LENGTH_BYTES + text.length);
  }
  return bytes;
}

function toWire({ samples, toTarget, missing, ...item }: FieldItem): WireItem {
  return {
    rows: item.rows,
    columns: item.columns,
    to_target: toTarget,
    encoding: FIELD_ENCODINGS.find((name) => samples instanceof TYPES[name]) ?? 'float32',
    scale: item.scale,
    offset_value: item.offset,
    missing: missing === undefined ? null : [missing.low, missing.high],
    interpolated: item.isInterpolated,
  };
}

export function decodeField(buffer: ArrayBuffer): FieldPacket {
  const length = new DataView(buffer).getUint32(0, true);
  let text = '';
  for (const byte of new Uint8Array(buffer, LENGTH_BYTES, length)) text += String.fromCharCode(byte);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by encodeField
  const { rows, columns, items } = JSON.parse(text) as WireField;
  const [wire] = items;
  if (wire === undefined) return { rows, columns, item: undefined };
  const [xx = 1, yx = 0, xy = 0, yy = 1, x = 0, y = 0] = wire.to_target;
  const item: FieldItem = {
    rows: wire.rows,
    columns: wire.columns,
    toTarget: [xx, yx, xy, yy, x, y],
    samples: new TYPES[wire.encoding](buffer, LENGTH_BYTES + length, wire.rows * wire.columns),
    scale: wire.scale,
    offset: wire.offset_value,
    missing: wire.missing === null ? undefined : { low: wire.missing[0], high: wire.missing[1] },
    isInterpolated: wire.interpolated,
  };
  return { rows, columns, item };
}

/** The value at a place of the picture, in pixels from the centre of its first one; undefined where nothing is known. */
export function valueOfField(item: FieldItem, x: number, y: number): number | undefined {
  const [xx, , , yy, left, top] = item.toTarget;
  const [column, row] = [(x - left) / xx, (y - top) / yy];
  const { rows, columns, samples, scale, offset, missing } = item;
  // As the sampler does, a sample reaches half a step beyond the border.
  if (!(column >= -0.5 && row >= -0.5 && column < columns - 0.5 && row < rows - 0.5)) return undefined;
  const isKnown = (value: number) =>
    !Number.isNaN(value) && (missing === undefined || value < missing.low || value > missing.high);
  if (!isKnown(samples[Math.floor(row + 0.5) * columns + Math.floor(column + 0.5)]!)) return undefined;
  const [c, r] = [clamp(column, columns - 1), clamp(row, rows - 1)];
  const [c0, r0] = [Math.floor(c), Math.floor(r)];
  const [c1, r1] = [Math.min(c0 + 1, columns - 1), Math.min(r0 + 1, rows - 1)];
  let [sum, weights] = [0, 0];
  const add = (at: number, weight: number) => {
    const value = samples[at]!;
    if (weight === 0 || !isKnown(value)) return;
    sum += value * weight;
    weights += weight;
  };
  add(r0 * columns + c0, (1 - (c - c0)) * (1 - (r - r0)));
  add(r0 * columns + c1, (c - c0) * (1 - (r - r0)));
  add(r1 * columns + c0, (1 - (c - c0)) * (r - r0));
  add(r1 * columns + c1, (c - c0) * (r - r0));
  return (sum / weights) * scale + offset;
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}
