type UnpackedWords = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** Unpacks samples of any width that are stored without gaps, lowest bit first. PS3.5 8.1.1 and Annex D. */
export function unpackBits(packed: Uint8Array, count: number, bits: number): UnpackedWords {
  if (bits === 1) return unpackSingleBits(packed, count);
  if (bits > 32) return unpackLongWords(packed, count, bits);
  const words = bits <= 8 ? new Uint8Array(count) : bits <= 16 ? new Uint16Array(count) : new Uint32Array(count);
  for (let i = 0, at = 0; i < count; i++, at += bits) {
    let word = 0;
    // Added rather than shifted: a sample that starts inside a byte can span 40 bits.
    for (let got = 0, bit = at; got < bits;) {
      const inByte = bit % 8;
      const take = Math.min(8 - inByte, bits - got);
      word += ((packed[Math.floor(bit / 8)]! >>> inByte) & (2 ** take - 1)) * 2 ** got;
      got += take;
      bit += take;
    }
    words[i] = word;
  }
  return words;
}

/** Shifts the bits down by `firstBit` (0 to 7), so that the first wanted bit is the lowest bit of the first byte. */
export function alignBits(bytes: Uint8Array, firstBit: number): Uint8Array {
  if (firstBit === 0) return bytes;
  const aligned = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) {
    aligned[i] = (bytes[i]! >>> firstBit) | ((bytes[i + 1] ?? 0) << (8 - firstBit));
  }
  return aligned;
}

/** Unpacks one-bit samples to one byte each. Bytes of zeros, of which most masks consist, are passed over. */
export function unpackSingleBits(packed: Uint8Array, count: number): Uint8Array {
  const words = new Uint8Array(count);
  const bytes = Math.ceil(count / 8);
  for (let byte = 0; byte < bytes; byte += 1) {
    const bits = packed[byte]!;
    if (bits === 0) continue;
    const at = byte * 8;
    const end = Math.min(8, count - at);
    for (let bit = 0; bit < end; bit += 1) words[at + bit] = (bits >>> bit) & 1;
  }
  return words;
}

function unpackLongWords(packed: Uint8Array, count: number, bits: number): BigUint64Array {
  const words = new BigUint64Array(count);
  for (let i = 0; i < count; i++) {
    let word = 0n;
    for (let got = 0; got < bits;) {
      const bit = i * bits + got;
      const inByte = bit % 8;
      const take = Math.min(8 - inByte, bits - got);
      word |= BigInt((packed[Math.floor(bit / 8)]! >>> inByte) & (2 ** take - 1)) << BigInt(got);
      got += take;
    }
    words[i] = word;
  }
  return words;
}
