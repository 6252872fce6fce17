/** How one sample is stored. */
export type SampleType = {
  /** Bytes of a sample. */
  readonly width: 1 | 2 | 4 | 8;
  /** The value of the sample at an offset. */
  readonly read: (view: DataView, offset: number, littleEndian: boolean) => number;
};

/** The values of Waveform Sample Interpretation, PS3.3 C.10.9.1.5. */
const SAMPLE_TYPES: Readonly<Record<string, SampleType>> = {
  SB: { width: 1, read: (view, offset) => view.getInt8(offset) },
  UB: { width: 1, read: (view, offset) => view.getUint8(offset) },
  MB: { width: 1, read: (view, offset) => MU_LAW[view.getUint8(offset)] ?? 0 },
  AB: { width: 1, read: (view, offset) => A_LAW[view.getUint8(offset)] ?? 0 },
  SS: { width: 2, read: (view, offset, littleEndian) => view.getInt16(offset, littleEndian) },
  US: { width: 2, read: (view, offset, littleEndian) => view.getUint16(offset, littleEndian) },
  SL: { width: 4, read: (view, offset, littleEndian) => view.getInt32(offset, littleEndian) },
  UL: { width: 4, read: (view, offset, littleEndian) => view.getUint32(offset, littleEndian) },
  SV: { width: 8, read: (view, offset, littleEndian) => Number(view.getBigInt64(offset, littleEndian)) },
  UV: { width: 8, read: (view, offset, littleEndian) => Number(view.getBigUint64(offset, littleEndian)) },
};

export function findSampleType(interpretation: string): SampleType | undefined {
  return Object.hasOwn(SAMPLE_TYPES, interpretation) ? SAMPLE_TYPES[interpretation] : undefined;
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
