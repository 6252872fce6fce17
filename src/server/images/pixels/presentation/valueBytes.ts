import type { DataSet } from '../../../standard/dicom/dataSet.ts';

/** The first bytes of a value that consists of 16-bit words, converted to little-endian. */
export function wordBytes(dataSet: DataSet, tag: number, most: number): Uint8Array | undefined {
  const bytes = dataSet.bytes(tag, most);
  if (bytes === undefined || dataSet.context.littleEndian || dataSet.readAs(tag) === 'OB') return bytes;
  return swapWords(bytes);
}

function swapWords(bytes: Uint8Array): Uint8Array {
  const swapped = bytes.slice();
  for (let i = 0; i + 1 < swapped.length; i += 2) {
    swapped[i] = bytes[i + 1]!;
    swapped[i + 1] = bytes[i]!;
  }
  return swapped;
}
