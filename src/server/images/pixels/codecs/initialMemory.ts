const MEMORY_SECTION = 5;

/**
 * Returns the same WebAssembly module with a smaller initial memory (in pages of 64 KiB); it grows on demand. Some
 * modules are built to reserve hundreds of MiB at once, which the memory limits of a worker count as used.
 */
export function lowerInitialMemory(module: Uint8Array, pages: number): Uint8Array {
  const lowered = Uint8Array.from(module);
  let at = 8; // After the magic number and the version.
  while (at < lowered.length) {
    const section = lowered[at]!;
    const length = readNumber(lowered, at + 1);
    if (section === MEMORY_SECTION) {
      // The number of memories, a byte of flags, and the minimum number of pages.
      const least = readNumber(lowered, readNumber(lowered, length.end).end + 1);
      if (least.value > pages) writeNumber(lowered, least, pages);
      return lowered;
    }
    at = length.end + length.value;
  }
  return lowered;
}

type EncodedNumber = { readonly start: number; readonly end: number; readonly value: number };

/** LEB128: seven bits per byte, lowest first; the top bit says that another byte follows. */
function readNumber(bytes: Uint8Array, start: number): EncodedNumber {
  let value = 0;
  let end = start;
  let byte: number;
  do {
    byte = bytes[end] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (end - start));
    end++;
  } while (byte >= 0x80);
  return { start, end, value };
}

/** Writes a smaller number in the same number of bytes: leading zeros are allowed. */
function writeNumber(bytes: Uint8Array, { start, end }: EncodedNumber, value: number): void {
  for (let at = start; at < end; at++) {
    const isLast = at === end - 1;
    bytes[at] = (Math.floor(value / 2 ** (7 * (at - start))) & 0x7f) | (isLast ? 0 : 0x80);
  }
}
