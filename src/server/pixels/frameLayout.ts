/** Lists are made of all frames of a file, so their number has a bound: more than any slide has tiles. */
const MOST_FRAMES = 2_000_000;
const FEW_FRAMES = 4096;
/** The header of a fragment; a deflated empty frame takes more. */
const LEAST_FRAME_BYTES = 8;

/**
 * Frames that a file of so many bytes is believed to have. What it declares, and what its inflated pixel data would be
 * enough for, can be thousands of times as many as it has bytes.
 */
export function mostFrames(fileBytes: number): number {
  return Math.min(MOST_FRAMES, Math.max(FEW_FRAMES, Math.floor(fileBytes / LEAST_FRAME_BYTES)));
}

/** The attributes that say how large one native frame is. */
export type NativeLayout = {
  readonly rows: number;
  readonly columns: number;
  readonly samplesPerPixel: number;
  readonly bitsAllocated: number;
  readonly photometricInterpretation: string;
  readonly numberOfFrames: number;
};

/**
 * Frames within `byteLength` bytes of native pixel data, at most as many as the file declares. A last one that is cut
 * counts where at least a row of it is there.
 */
export function countNativeFrames(layout: NativeLayout, byteLength: number): number {
  const whole = countWholeNativeFrames(layout, byteLength);
  const bits = nativeFrameBits(layout, byteLength);
  const isRowLeft = byteLength * 8 - whole * bits >= bits / layout.rows && bits > 0;
  return Math.min(layout.numberOfFrames, whole + (isRowLeft ? 1 : 0));
}

/** Those of them of which nothing is missing. */
export function countWholeNativeFrames(layout: NativeLayout, byteLength: number): number {
  return Math.min(layout.numberOfFrames, Math.floor((byteLength * 8) / nativeFrameBits(layout, byteLength)));
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
  const halvedRows = (byteLength * 8) / (columns * 2 * bitsAllocated);
  // Where at least a row more is there than 4:2:2 needs, it is expanded data, whole or cut; less is padding.
  return halvedRows < rows * numberOfFrames + 1;
}
