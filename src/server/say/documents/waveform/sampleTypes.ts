/** Numbers of samples, one after another. */
export type WaveformArray = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | Float64Array;

/** How samples are stored. */
export type SampleType = {
  /** Bytes of a sample. */
  readonly width: 1 | 2 | 4 | 8;
  /** Decodes bytes in the byte order of this machine, which begin at the start of their buffer. */
  readonly decode: (bytes: Uint8Array<ArrayBuffer>, count: number) => WaveformArray;
};

/** The values of Waveform Sample Interpretation, PS3.3 C.10.9.1.5. */
const SAMPLE_TYPES: Readonly<Record<string, SampleType>> = {
  SB: { width: 1, decode: ({ buffer }, count) => new Int8Array(buffer, 0, count) },
  UB: { width: 1, decode: ({ buffer }, count) => new Uint8Array(buffer, 0, count) },
  MB: { width: 1, decode: (bytes, count) => expand(bytes, count, MU_LAW) },
  AB: { width: 1, decode: (bytes, count) => expand(bytes, count, A_LAW) },
  SS: { width: 2, decode: ({ buffer }, count) => new Int16Array(buffer, 0, count) },
  US: { width: 2, decode: ({ buffer }, count) => new Uint16Array(buffer, 0, count) },
  SL: { width: 4, decode: ({ buffer }, count) => new Int32Array(buffer, 0, count) },
  UL: { width: 4, decode: ({ buffer }, count) => new Uint32Array(buffer, 0, count) },
  SV: { width: 8, decode: ({ buffer }, count) => Float64Array.from(new BigInt64Array(buffer, 0, count), Number) },
  UV: { width: 8, decode: ({ buffer }, count) => Float64Array.from(new BigUint64Array(buffer, 0, count), Number) },
};

export function findSampleType(interpretation: string): SampleType | undefined {
  return Object.hasOwn(SAMPLE_TYPES, interpretation) ? SAMPLE_TYPES[interpretation] : undefined;
}

/** All whole samples of bytes as they are stored. */
export function decodeSamples(stored: Uint8Array, { width, decode }: SampleType, littleEndian: boolean): WaveformArray {
  const count = Math.floor(stored.length / width);
  // A copy, because typed arrays need their bytes at a multiple of the width.
  const bytes = new Uint8Array(stored.subarray(0, count * width));
  const swapped = Buffer.from(bytes.buffer);
  if (littleEndian !== IS_LITTLE_ENDIAN) {
    if (width === 2) swapped.swap16();
    else if (width === 4) swapped.swap32();
    else if (width === 8) swapped.swap64();
  }
  return decode(bytes, count);
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function expand(bytes: Uint8Array, count: number, table: Int16Array): Int16Array {
  return Int16Array.from({ length: count }, (_, at) => table[bytes[at]!]!);
}

/** ITU-T G.711, table 2a: eight segments of 16 steps, up to 8,031; all bits are stored inverted. */
const MU_LAW = Int16Array.from({ length: 256 }, (_, code) => {
  const bits = ~code & 0xff;
  const [segment, step] = [(bits >> 4) & 7, bits & 15];
  const magnitude = ((2 * step + 33) << segment) - 33;
  return bits & 0x80 ? -magnitude : magnitude;
});

/** ITU-T G.711, table 1a: the first two segments have the same steps, up to 4,032; even bits are stored inverted. */
const A_LAW = Int16Array.from({ length: 256 }, (_, code) => {
  const bits = code ^ 0x55;
  const [segment, step] = [(bits >> 4) & 7, bits & 15];
  const magnitude = segment === 0 ? 2 * step + 1 : (2 * step + 33) << (segment - 1);
  return bits & 0x80 ? magnitude : -magnitude;
});
