/** The polynomial of CRC-32, lowest power in the highest bit. */
const POLYNOMIAL = 0xed_b8_83_20;

/**
 * The CRC-32 of two parts, of which only the sums and the length of the second are known: parts that are packed by several
 * threads need no common pass over their bytes. As in zlib, polynomials are multiplied modulo that of the sum.
 */
export function joinCrc32(first: number, second: number, secondBytes: number): number {
  return (multiply(powerOf(8 * secondBytes), first) ^ second) >>> 0;
}

/** x to this power. Counts in doubles, because the bits of a long file are more than 32 bits can count. */
function powerOf(exponent: number): number {
  let result = 0x80_00_00_00;
  let square = 0x40_00_00_00;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiply(square, result);
    square = multiply(square, square);
  }
  return result;
}

function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = 31; bit >= 0; bit -= 1) {
    if (((a >>> bit) & 1) === 1) product ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product;
}
