/** Position of the first item of each frame, relative to the first item after the basic offset table. */
export type OffsetTable = {
  readonly offsets: Float64Array;
  /** Length of each frame in bytes, in the extended table only; each frame is then one fragment. */
  readonly lengths: Float64Array | undefined;
};

/** The values of Extended Offset Table (7FE0,0001) and Extended Offset Table Lengths (7FE0,0002). */
export type ExtendedOffsets = { readonly offsets: Uint8Array; readonly lengths: Uint8Array };

export type TableBounds = { readonly frames: number; readonly bytes: number };

/** Parses a basic offset table; undefined if the values cannot be valid. PS3.5 A.4. */
export function parseBasicOffsets(value: Uint8Array, bounds: TableBounds): OffsetTable | undefined {
  if (value.length !== bounds.frames * 4) return undefined;
  const view = new DataView(value.buffer, value.byteOffset, value.length);
  const offsets = Float64Array.from({ length: bounds.frames }, (_, i) => view.getUint32(4 * i, true));
  return isPlausible(offsets, bounds) ? { offsets, lengths: undefined } : undefined;
}

/** The same for an extended table. PS3.3 C.7.6.3.1.8. */
export function parseExtendedOffsets(value: ExtendedOffsets, bounds: TableBounds): OffsetTable | undefined {
  if (value.offsets.length !== bounds.frames * 8 || value.lengths.length !== bounds.frames * 8) return undefined;
  const offsets = toNumbers(value.offsets);
  return isPlausible(offsets, bounds) ? { offsets, lengths: toNumbers(value.lengths) } : undefined;
}

/** Offsets must start at 0 and ascend. In a basic table, offsets beyond 4 GiB wrap around and therefore decrease. */
function isPlausible(offsets: Float64Array, { bytes }: TableBounds): boolean {
  if (offsets[0] !== 0) return false;
  // A truncated file keeps the offsets of frames that it no longer holds.
  return offsets.every((offset, i) => i === 0 || offset >= offsets[i - 1]! + 8) && bytes >= 8;
}

function toNumbers(value: Uint8Array): Float64Array {
  const view = new DataView(value.buffer, value.byteOffset, value.length);
  return Float64Array.from({ length: value.length / 8 }, (_, i) => Number(view.getBigUint64(8 * i, true)));
}
