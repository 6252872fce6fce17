/** Limits the size of lists of all frames of a file. No slide has more tiles than this. */
const MOST_FRAMES = 2_000_000;
const FEW_FRAMES = 4096;
/** The size of a fragment header; a deflated empty frame takes more. */
const LEAST_FRAME_BYTES = 8;

/**
 * Maximum number of frames accepted for a file of this size. The declared number, or the number that inflated pixel
 * data has room for, can be thousands of times the number of bytes in the file.
 */
export function mostFrames(fileBytes: number): number {
  return Math.min(MOST_FRAMES, Math.max(FEW_FRAMES, Math.floor(fileBytes / LEAST_FRAME_BYTES)));
}

/** The attributes that determine the size of a native frame. */
export type NativeLayout = {
  readonly rows: number;
  readonly columns: number;
  readonly samplesPerPixel: number;
  readonly bitsAllocated: number;
  readonly photometricInterpretation: string;
  readonly numberOfFrames: number;
};

/**
 * Number of frames within `byteLength` bytes of native pixel data, at most as many as the file declares. A truncated
 * last frame counts if at least one row of it is present.
 */
export function countNativeFrames(layout: NativeLayout, byteLength: number): number {
  const whole = countWholeNativeFrames(layout, byteLength);
  const bits = nativeFrameBits(layout, byteLength);
  const isRowLeft = byteLength * 8 - whole * bits >= bits / layout.rows && bits > 0;
  return Math.min(layout.numberOfFrames, whole + (isRowLeft ? 1 : 0));
}

/** The same without a truncated last frame. */
export function countWholeNativeFrames(layout: NativeLayout, byteLength: number): number {
  return Math.min(layout.numberOfFrames, Math.floor((byteLength * 8) / nativeFrameBits(layout, byteLength)));
}

/**
 * Bits from the start of one frame to the start of the next. One-bit frames need not end on a byte boundary. PS3.5
 * 8.1.1.
 */
export function nativeFrameBits(layout: NativeLayout, byteLength: number): number {
  const { rows, columns, bitsAllocated } = layout;
  const samplesPerPixel = isHalfChroma(layout, byteLength) ? 2 : layout.samplesPerPixel;
  return rows * columns * samplesPerPixel * bitsAllocated;
}

/**
 * Whether two pixels share their chroma samples (4:2:2). Some writers keep the name YBR_FULL_422 for data that they
 * have expanded: then the value is long enough for three samples per pixel.
 */
export function isHalfChroma(layout: NativeLayout, byteLength: number): boolean {
  const { photometricInterpretation, rows, columns, bitsAllocated, numberOfFrames } = layout;
  if (photometricInterpretation !== 'YBR_FULL_422' && photometricInterpretation !== 'YBR_PARTIAL_422') return false;
  const halvedRows = (byteLength * 8) / (columns * 2 * bitsAllocated);
  // If there is at least one row more than 4:2:2 needs, it is expanded data, complete or truncated; less is padding.
  return halvedRows < rows * numberOfFrames + 1;
}
