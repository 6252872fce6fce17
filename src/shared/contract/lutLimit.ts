// Apart from the schemas, so that a server which has just started does not load the schema library for it.

/** The most values that a lookup table can have: its length and its inputs are 16-bit numbers. */
export const MOST_LUT_VALUES = 65_536;
