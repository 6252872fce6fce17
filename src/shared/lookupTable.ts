/** A modality, VOI or palette lookup table. Its entries are unsigned. PS3.3 C.11.1.1, C.11.2.1.1 and C.7.6.3.1.5. */
export type LookupTable = {
  /** The input that the first entry stands for. Lower inputs get the first entry, too high ones the last. */
  readonly firstValue: number;
  readonly entries: Uint8Array | Uint16Array;
  /** Bits of one entry, 8 to 16: the largest output is 2^bits - 1. */
  readonly bits: number;
};

export type LookupTableAttributes = {
  /** Number of entries, first value mapped, bits per entry: the three values of a LUT Descriptor. */
  readonly descriptor: readonly number[];
  /** LUT Data, little endian. */
  readonly data: Uint8Array;
  /** Whether the inputs can be negative: then the descriptor's second value is signed, whatever VR it came with. */
  readonly signedInput: boolean;
};

/** Undefined where descriptor and data do not make a table. Data shorter than described gives the entries it has. */
export function parseLookupTable({ descriptor, data, signedInput }: LookupTableAttributes): LookupTable | undefined {
  const [count, firstValue, bits] = descriptor;
  if (count === undefined || firstValue === undefined || bits === undefined) return undefined;
  const entries = parseEntries(data, entryCount(count), bits);
  if (entries.length === 0) return undefined;
  return { firstValue: toSignedness(firstValue, signedInput), entries, bits: clampBits(bits) };
}

/** The descriptor's first value, where 0 stands for 65,536, which does not fit into 16 bits. */
export function entryCount(described: number): number {
  // A writer that gave the descriptor the VR SS turns 32,768 and above into negative numbers.
  return (described & 0xffff) === 0 ? 65_536 : described & 0xffff;
}

export function lookUp({ firstValue, entries }: LookupTable, value: number): number {
  const position = Math.floor(value + 0.5) - firstValue;
  const last = entries.length - 1;
  return entries[position <= 0 ? 0 : position >= last ? last : position] ?? 0;
}

/**
 * Entries of 8 bits are packed two to a word, or have a word each: the standard's own note says that the length tells.
 */
export function parseEntries(data: Uint8Array, count: number, bits: number): Uint8Array | Uint16Array {
  if (bits <= 8 && data.length < count * 2) return data.slice(0, count);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const entries = new Uint16Array(Math.min(count, data.length >> 1));
  for (let i = 0; i < entries.length; i++) entries[i] = view.getUint16(i * 2, true);
  return entries;
}

export function toSignedness(value: number, signed: boolean): number {
  return signed ? (value << 16) >> 16 : value & 0xffff;
}

function clampBits(bits: number): number {
  return Math.min(Math.max(bits, 8), 16);
}
