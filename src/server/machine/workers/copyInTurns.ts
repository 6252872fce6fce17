import { setImmediate as nextTurn } from 'node:timers/promises';
import { type TransferableView, viewLike } from './transferable.ts';

/** Takes one or two milliseconds to copy, even into memory that is touched for the first time. */
export const PIECE_BYTES = 4 * 2 ** 20;

export type OwnCopy<View> = { readonly copy: View; readonly buffer: ArrayBuffer };

/**
 * Copies a view so that the copy can be transferred to a worker. The copy is made in pieces, with a turn of the event
 * loop between them: if a frame of 40 MB were copied as part of a message, it would block the event loop for 20 ms.
 */
export async function copyInTurns<View extends TransferableView>(view: View): Promise<OwnCopy<View>> {
  const from = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  // Not zero-filled, because all bytes are overwritten, and not part of the pool that Node uses for small buffers.
  const { buffer } = Buffer.allocUnsafeSlow(from.length);
  const to = new Uint8Array(buffer);
  for (let at = 0; at < from.length; at += PIECE_BYTES) {
    if (at > 0) await nextTurn();
    to.set(from.subarray(at, at + PIECE_BYTES), at);
  }
  return { copy: viewLike(view, buffer), buffer };
}
