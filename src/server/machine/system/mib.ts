/** Bytes of a mebibyte. */
export const MIB = 2 ** 20;
