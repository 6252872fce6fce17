/** Indirect segments may not refer to indirect segments, but a hostile file can repeat large ones. */
const MAXIMUM_SEGMENTS = 65_536;

/**
 * Expands a Segmented Palette Color Lookup Table. PS3.3 C.7.9.2: discrete segments list their entries, linear segments
 * interpolate from the last entry to their end value, indirect segments repeat earlier segments. Stops at `count`
 * entries, or at the first segment that is truncated or invalid, and keeps the entries before it.
 */
export function decodeSegments(data: Uint8Array, count: number, bits: number): Uint16Array {
  const entries = new Uint16Array(count);
  let filled = 0;
  let decoded = 0;

  const push = (value: number) => {
    if (filled < count) entries[filled++] = value;
  };

  /** Decodes a number of segments from a byte position. */
  const decode = (start: number, segments: number, nested: boolean): void => {
    const words = createWordReader(data, bits, start);
    for (let i = 0; i < segments; i++) {
      decoded += 1;
      if (filled === count || decoded > MAXIMUM_SEGMENTS) return;
      const opcode = words.next();
      const length = words.next();
      if (opcode === undefined || length === undefined) return;
      if (opcode === 0) {
        const values = words.take(length);
        for (const value of values) push(value);
        if (values.length < length) return;
      } else if (opcode === 1) {
        const end = words.next();
        // A linear segment needs a previous entry to start from.
        if (end === undefined || filled === 0) return;
        const from = entries[filled - 1]!;
        for (let step = 1; step <= length; step++) push(Math.round(from + ((end - from) * step) / length));
      } else if (opcode === 2 && !nested) {
        const target = words.nextOffset();
        if (target === undefined) return;
        decode(target, length, true);
      } else {
        return;
      }
    }
  };

  decode(0, Infinity, false);
  return entries.subarray(0, filled);
}

/** Opcodes, lengths and values have the width of an entry; the offset of an indirect segment always has 32 bits. */
function createWordReader(data: Uint8Array, bits: number, start: number) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const width = bits > 8 ? 2 : 1;
  let at = start;
  const next = (): number | undefined => {
    if (at < 0 || at + width > data.length) return undefined;
    at += width;
    return width === 2 ? view.getUint16(at - 2, true) : view.getUint8(at - 1);
  };
  return {
    next,
    take(length: number): number[] {
      const values: number[] = [];
      while (values.length < length) {
        const value = next();
        if (value === undefined) break;
        values.push(value);
      }
      return values;
    },
    /** Least significant word (or byte) first. The offset counts bytes from the start of the table. */
    nextOffset(): number | undefined {
      if (at + 4 > data.length) return undefined;
      at += 4;
      return view.getUint32(at - 4, true);
    },
  };
}
