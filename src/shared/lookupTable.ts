/** A modality, VOI or palette lookup table. Its entries are unsigned. PS3.3 C.11.1.1, C.11.2.1.1 and C.7.6.3.1.5. */
export type LookupTable = {
  /** The input that maps to the first entry. Lower inputs get the first entry, inputs beyond the end get the last. */
  readonly firstValue: number;
  readonly entries: Uint8Array | Uint16Array;
  /** Bits of one entry, 8 to 16: the largest output is 2^bits - 1. */
  readonly bits: number;
};

export type LookupTableAttributes = {
  /** The three values of a LUT Descriptor: number of entries, first value mapped, bits per entry. */
  readonly descriptor: readonly number[];
  /** LUT Data, little endian. */
  readonly data: Uint8Array;
  /** Whether inputs can be negative. If so, the second value of the descriptor is signed, whatever its VR. */
  readonly signedInput: boolean;
};

/**
 * Undefined if descriptor and data do not form a table. If the data is too short, the table has the entries that exist.
 */
export function parseLookupTable({ descriptor, data, signedInput }: LookupTableAttributes): LookupTable | undefined {
  const [count, firstValue, bits] = descriptor;
  if (count === undefined || firstValue === undefined || bits === undefined) return undefined;
  const entries = parseEntries(data, entryCount(count), bits);
  if (entries.length === 0) return undefined;
  return { firstValue: toSignedness(firstValue, signedInput), entries, bits: Math.min(Math.max(bits, 8), 16) };
}

/** The first value of the descriptor, where 0 means 65,536, which does not fit into 16 bits. */
export function entryCount(described: number): number {
  // If the writer used VR SS for the descriptor, 32,768 and above appear as negative numbers.
  return (described & 0xffff) === 0 ? 65_536 : described & 0xffff;
}

export function lookUp({ firstValue, entries }: LookupTable, value: number): number {
  const position = Math.floor(value + 0.5) - firstValue;
  const last = entries.length - 1;
  return entries[position <= 0 ? 0 : position >= last ? last : position] ?? 0;
}

/**
 * 8-bit entries are packed two to a word, or use one word each: according to a note in the standard, the length of the
 * data decides.
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
