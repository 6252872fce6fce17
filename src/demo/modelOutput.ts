import { gzipSync } from 'node:zlib';
import { CT_SLICE_MM, type CtSlice } from './ct.ts';
import { bitOf, LEFT_KIDNEY, LIVER, LIVER_LESIONS, RIGHT_KIDNEY, SPLEEN } from './structures.ts';

/** In the order of their labels, from 1 on. Where two overlap, the later one counts. */
const PREDICTED = [LIVER, SPLEEN, RIGHT_KIDNEY, LEFT_KIDNEY, LIVER_LESIONS];

const HEADER_BYTES = 352;
const UINT8 = 2;
/** Millimetres. */
const SPACE_UNIT = 2;
const SCANNER_ANATOMY = 1;

/**
 * What a segmentation model would write for the CT: labels as a NIfTI file, packed with gzip. Its borders waver by a few
 * pixels around those of the organs, and it misses the lowest slices of each, as models do.
 */
export function modelOutput(slices: readonly CtSlice[]): Uint8Array {
  const { plane } = slices[0]!;
  const { rows, columns, spacingMm, origin } = plane;
  const file = new Uint8Array(HEADER_BYTES + rows * columns * slices.length);
  const view = new DataView(file.buffer);
  view.setInt32(0, 348, true);
  for (const [at, size] of [3, columns, rows, slices.length, 1, 1, 1, 1].entries()) {
    view.setInt16(40 + 2 * at, size, true);
  }
  view.setInt16(70, UINT8, true);
  view.setInt16(72, 8, true);
  for (const [at, size] of [1, spacingMm, spacingMm, CT_SLICE_MM].entries()) view.setFloat32(76 + 4 * at, size, true);
  view.setFloat32(108, HEADER_BYTES, true);
  view.setUint8(123, SPACE_UNIT);
  view.setInt16(254, SCANNER_ANATOMY, true);
  // NIfTI has x to the right and y to the front, DICOM both the other way.
  const affine = [-spacingMm, 0, 0, -origin[0], 0, -spacingMm, 0, -origin[1], 0, 0, CT_SLICE_MM, origin[2]];
  for (const [at, value] of affine.entries()) view.setFloat32(280 + 4 * at, value, true);
  file.set([0x6e, 0x2b, 0x31, 0], 344);
  for (const [at] of slices.entries()) {
    predict(slices, at, file.subarray(HEADER_BYTES + at * rows * columns, HEADER_BYTES + (at + 1) * rows * columns));
  }
  return gzipSync(file, { level: 6 });
}

/** How far the borders waver, in pixels. */
const WAVER = 2.5;
/** No organ is so near to the border of the image. */
const MARGIN = 3;
/** Slices of each organ that are missed at its lower end. */
const MISSED = 1;

function predict(slices: readonly CtSlice[], at: number, labels: Uint8Array): void {
  const { plane, membership } = slices[at]!;
  const below = slices[at - MISSED]?.membership;
  const { columns } = plane;
  for (const [index, structure] of PREDICTED.entries()) {
    const bit = bitOf(structure);
    const isIn = (bits: number) => (bits & bit) !== 0;
    if (below === undefined || !below.rowBits.some(isIn)) continue;
    const top = membership.rowBits.findIndex(isIn);
    const bottom = membership.rowBits.findLastIndex(isIn);
    for (let row = Math.max(0, top); row <= bottom; row += 1) {
      const shift = Math.round(WAVER * Math.sin(row / 9 + at / 3 + index));
      for (let column = MARGIN; column < columns - MARGIN; column += 1) {
        const to = row * columns + column;
        if (isIn(membership.bits[to + shift]!)) labels[to] = index + 1;
      }
    }
  }
}
