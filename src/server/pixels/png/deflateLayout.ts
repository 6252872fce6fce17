// Where the tables of deflate.kernel.ts lie in its memory, in bytes. Both TypeScript and AssemblyScript read this file.

/** 286 entries of 4 bytes: the length of a symbol's code, and above LENGTH_BITS the code. */
export const CODES = 0;
/** Four tables of 286 counters of 4 bytes. What was counted of a symbol is the sum of all four. */
export const COUNTS = 2048;
export const COUNT_TABLES = 4;
export const COUNT_TABLE_BYTES = 2048;
/** 259 entries of 4 bytes, by the length of a run: its symbol, and 16 bits up what follows it, as in CODES. */
export const RUNS = 10_240;
/** What `emit` leaves over of a byte: the bits, and how many. */
export const STATE = 12_288;
/** 256 entries of 4 bytes: what a code is multiplied by to stand behind that of a byte. */
export const STEPS = 13_312;
/** 65,536 gray levels, for `lookUp`. */
export const LEVELS = 16_384;
/** 65,536 entries of 4 bytes: the codes of two bytes together, as in CODES, for `emit`. */
export const PAIRS = 81_920;
/** The caller's own memory begins here. */
export const FREE = 344_064;

/** An entry of a table is the length of a code in this many bits, and above them the code. */
export const LENGTH_BITS = 6;
/** The codes of two bytes and their length are 32 bits. */
export const LONGEST_CODE = 13;

/** Symbols of lengths begin above this one. */
export const END_OF_BLOCK = 256;
export const LONGEST_RUN = 258;
