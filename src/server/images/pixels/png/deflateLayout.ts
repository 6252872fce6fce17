// Addresses, in bytes, of the tables in the memory of deflate.kernel.ts. This file is compiled as both TypeScript and
// AssemblyScript.

/** 286 entries of 4 bytes: the length of a symbol's code in the low LENGTH_BITS, and the code above them. */
export const CODES = 0;
/** Four tables of 286 counters of 4 bytes. The count of a symbol is the sum of all four. */
export const COUNTS = 2048;
export const COUNT_TABLES = 4;
export const COUNT_TABLE_BYTES = 2048;
/**
 * 259 entries of 4 bytes, indexed by the length of a run: its symbol, and in the upper 16 bits what follows it, as in
 * CODES.
 */
export const RUNS = 10_240;
/** The bits of an incomplete byte that `emit` leaves, and their number. */
export const STATE = 12_288;
/** 256 entries of 4 bytes: the factor that moves a code behind the code of a byte. */
export const STEPS = 13_312;
/** 65,536 gray levels, for `lookUp`. */
export const LEVELS = 16_384;
/** 65,536 entries of 4 bytes: the combined codes of two bytes, as in CODES, for `emit`. */
export const PAIRS = 81_920;
/** Start of the memory for the caller. */
export const FREE = 344_064;

/** A table entry is the length of a code in this many bits, and the code above them. */
export const LENGTH_BITS = 6;
/** Two codes of this length and their combined length fit in 32 bits. */
export const LONGEST_CODE = 13;

/** Symbols for lengths begin after this one. */
export const END_OF_BLOCK = 256;
export const LONGEST_RUN = 258;
