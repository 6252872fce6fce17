/** A view of bytes that can be transferred to another thread with its buffer. */
export type TransferableView =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array
  | Uint8ClampedArray;

/** A view of all of `buffer` with the type of `view`. A Buffer becomes a Uint8Array, as it does in another thread. */
export function viewLike<View extends TransferableView>(view: View, buffer: ArrayBuffer): View {
  const Like = Buffer.isBuffer(view) ? Uint8Array : view.constructor;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the constructor of the view's own class
  return new (Like as new (buffer: ArrayBuffer) => View)(buffer);
}
