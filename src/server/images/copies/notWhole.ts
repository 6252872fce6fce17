/** A file cannot be read to its end for certain, so that there is no copy of it. The message says where it stops. */
export class NotWhole extends Error {
  override readonly name = 'NotWhole';
}
