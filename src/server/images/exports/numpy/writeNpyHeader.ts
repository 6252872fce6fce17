import type { SampleStorage } from '../../volumes/volume.ts';

/** What NumPy calls the types of samples. */
export const NPY_TYPES: Readonly<Record<SampleStorage, string>> = {
  uint8: '|u1',
  int8: '|i1',
  uint16: '<u2',
  int16: '<i2',
  uint32: '<u4',
  int32: '<i4',
  float32: '<f4',
  float64: '<f8',
};

/** What is before the elements of a NumPy file: version 1.0, the last axis of the shape runs fastest. */
export function writeNpyHeader(storage: SampleStorage, shape: readonly number[]): Uint8Array<ArrayBuffer> {
  // A tuple of one number ends with a comma.
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${NPY_TYPES[storage]}', 'fortran_order': False, 'shape': (${sizes}), }`;
  // Elements begin at a multiple of 64 bytes, and a line break ends the text.
  const length = Math.ceil((10 + text.length + 1) / 64) * 64;
  const bytes = new Uint8Array(length).fill(0x20);
  bytes.set([0x93, ...new TextEncoder().encode('NUMPY'), 1, 0]);
  new DataView(bytes.buffer).setUint16(8, length - 10, true);
  bytes.set(new TextEncoder().encode(text), 10);
  bytes[length - 1] = 0x0a;
  return bytes;
}
