import { findCodec } from './codecs/registry.ts';

/** Tests whether the first bytes of a fragment begin a frame. */
export type FrameStart = (opening: Uint8Array) => boolean;

/**
 * The test for the first fragment of a frame in a transfer syntax; undefined if each fragment is a frame. See
 * `Codec.beginning`.
 */
export function frameStartOf(transferSyntaxUid: string): FrameStart | undefined {
  const lookup = findCodec(transferSyntaxUid);
  const beginning = lookup.found ? lookup.codec.beginning : undefined;
  return beginning && ((opening) => beginning.signatures.some((signature) => begins(opening, signature)));
}

/** The same, but only for signatures that can be searched for behind other bytes. */
export function searchableStartOf(transferSyntaxUid: string): FrameStart | undefined {
  const lookup = findCodec(transferSyntaxUid);
  return lookup.found && lookup.codec.beginning?.isSearchable === true ? frameStartOf(transferSyntaxUid) : undefined;
}

function begins(opening: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, i) => opening[i] === byte);
}
