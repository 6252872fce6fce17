/** The attributes that say how large one native frame is. */
export type NativeLayout = {
  readonly rows: number;
  readonly columns: number;
  readonly samplesPerPixel: number;
  readonly bitsAllocated: number;
  readonly photometricInterpretation: string;
  readonly numberOfFrames: number;
};

/** Frames that lie whole within `byteLength` bytes of native pixel data, at most as many as the file declares. */
export function countNativeFrames(layout: NativeLayout, byteLength: number): number {
  const bits = nativeFrameBits(layout, byteLength);
  return Math.min(layout.numberOfFrames, Math.floor((byteLength * 8) / bits));
}

/** Bits from the start of one frame to the start of the next. One-bit frames need not end on a byte. PS3.5 8.1.1. */
export function nativeFrameBits(layout: NativeLayout, byteLength: number): number {
  const { rows, columns, bitsAllocated } = layout;
  const samplesPerPixel = isHalfChroma(layout, byteLength) ? 2 : layout.samplesPerPixel;
  return rows * columns * samplesPerPixel * bitsAllocated;
}

/**
 * Whether two pixels share their chroma samples (4:2:2). Some writers keep the name YBR_FULL_422 for data that they have
 * expanded: then the value is long enough for three samples a pixel.
 */
export function isHalfChroma(layout: NativeLayout, byteLength: number): boolean {
  const { photometricInterpretation, rows, columns, bitsAllocated, numberOfFrames } = layout;
  if (photometricInterpretation !== 'YBR_FULL_422' && photometricInterpretation !== 'YBR_PARTIAL_422') return false;
  return byteLength * 8 < rows * columns * 3 * bitsAllocated * numberOfFrames;
}
