// Separate from the schemas, so that a server that has just started does not load the schema library for it.

/** Maximum number of values of a lookup table, because its length and its inputs are 16-bit numbers. */
export const MOST_LUT_VALUES = 65_536;
