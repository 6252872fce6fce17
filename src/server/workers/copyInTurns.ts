import { setImmediate as nextTurn } from 'node:timers/promises';
import { type TransferableView, viewLike } from './transferable.ts';

/** Copied in one or two milliseconds, memory that is touched for the first time included. */
export const PIECE_BYTES = 4 * 2 ** 20;

export type OwnCopy<View> = { readonly copy: View; readonly buffer: ArrayBuffer };

/**
 * A copy that can be handed to a worker, made piece by piece with a turn of the event loop in between: as part of a message
 * a frame of 40 MB would be copied at once, and hold up everybody for 20 ms.
 */
export async function copyInTurns<View extends TransferableView>(view: View): Promise<OwnCopy<View>> {
  const from = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  // Not filled with zeros, which are replaced; and not a part of the pool that Node has for small ones.
  const { buffer } = Buffer.allocUnsafeSlow(from.length);
  const to = new Uint8Array(buffer);
  for (let at = 0; at < from.length; at += PIECE_BYTES) {
    if (at > 0) await nextTurn();
    to.set(from.subarray(at, at + PIECE_BYTES), at);
  }
  return { copy: viewLike(view, buffer), buffer };
}
