declare const SEALED: unique symbol;

/**
 * The location of a file's bytes. It is plain data that can be sent to other threads, but its type is sealed: only this
 * folder creates one or reads its content, so that a new kind of origin changes no other code.
 */
export type SourceRef = { readonly [SEALED]: 'ref' };

/** The location of a file's bytes, and the identity that the file had when it was scanned. */
export type KnownSource = { readonly [SEALED]: 'known' };
