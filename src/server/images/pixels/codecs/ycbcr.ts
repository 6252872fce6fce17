/** Number of fraction bits in the fixed-point factors. */
const SCALE = 16;
const HALF = 2 ** (SCALE - 1);

/**
 * Converts interleaved YCbCr samples of a JPEG to RGB, in place. The factors are those of JFIF (ITU-R BT.601, full
 * range) in the fixed-point precision of the IJG decoder, so that the result equals that of common decoders bit for
 * bit.
 */
export function convertYcbcrToRgb(samples: Uint8Array | Uint16Array, precision: number): void {
  const maximum = 2 ** precision - 1;
  const center = 2 ** (precision - 1);
  const tables = buildTables(maximum, center);
  const clamp = (value: number) => (value < 0 ? 0 : value > maximum ? maximum : value);
  for (let i = 0; i + 2 < samples.length; i += 3) {
    const y = samples[i]!;
    const cb = samples[i + 1]!;
    const cr = samples[i + 2]!;
    samples[i] = clamp(y + tables.redFromCr[cr]!);
    samples[i + 1] = clamp(y + ((tables.greenFromCb[cb]! + tables.greenFromCr[cr]!) >> SCALE));
    samples[i + 2] = clamp(y + tables.blueFromCb[cb]!);
  }
}

function fix(factor: number): number {
  return Math.round(factor * 2 ** SCALE);
}

function buildTables(maximum: number, center: number) {
  const table = (entry: (chroma: number) => number) =>
    Int32Array.from({ length: maximum + 1 }, (_, i) => entry(i - center));
  return {
    redFromCr: table((cr) => (fix(1.402) * cr + HALF) >> SCALE),
    blueFromCb: table((cb) => (fix(1.772) * cb + HALF) >> SCALE),
    greenFromCr: table((cr) => -fix(0.71414) * cr),
    greenFromCb: table((cb) => -fix(0.34414) * cb + HALF),
  };
}
