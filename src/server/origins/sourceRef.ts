declare const SEALED: unique symbol;

/**
 * Where the bytes of a file are. It is plain data that crosses threads, but its type is sealed: only this folder makes one
 * or looks inside, so that a new kind of origin changes no code outside.
 */
export type SourceRef = { readonly [SEALED]: 'ref' };

/** Where the bytes of a file are, and the identity that the file had when it was scanned. */
export type KnownSource = { readonly [SEALED]: 'known' };
