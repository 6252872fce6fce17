/** A part of a frame. */
export type MaskBox = { readonly top: number; readonly left: number; readonly rows: number; readonly columns: number };

/** The smallest box around the samples that are not 0; `values` has what samples stand for. */
export function findBox(
  samples: Uint8Array | Uint16Array,
  columns: number,
  values?: Uint8Array | Uint16Array,
): MaskBox | undefined {
  let [top, bottom, left, right] = [-1, -1, columns, -1];
  for (let row = 0, at = 0; at < samples.length; row += 1) {
    for (let column = 0; column < columns; column++, at++) {
      const value = values === undefined ? samples[at]! : values[samples[at]!]!;
      if (value === 0) continue;
      if (top < 0) top = row;
      bottom = row;
      if (column < left) left = column;
      if (column > right) right = column;
    }
  }
  return bottom < 0 ? undefined : { top, left, rows: bottom - top + 1, columns: right - left + 1 };
}
