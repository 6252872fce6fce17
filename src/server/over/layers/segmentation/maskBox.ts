/** A part of a frame. */
export type MaskBox = { readonly top: number; readonly left: number; readonly rows: number; readonly columns: number };

/** The smallest box around the samples that are not 0; `values` has what samples stand for. */
export function findBox(
  samples: Uint8Array | Uint16Array,
  columns: number,
  values?: Uint8Array | Uint16Array,
): MaskBox | undefined {
  let [top, bottom, left, right] = [-1, -1, columns, -1];
  for (let row = 0, start = 0; start < samples.length; row += 1, start += columns) {
    const end = Math.min(samples.length, start + columns);
    let first = start;
    if (values === undefined) while (first < end && samples[first] === 0) first++;
    else while (first < end && values[samples[first]!] === 0) first++;
    if (first === end) continue;
    let last = end - 1;
    while (values === undefined ? samples[last] === 0 : values[samples[last]!] === 0) last--;
    if (top < 0) top = row;
    bottom = row;
    left = Math.min(left, first - start);
    right = Math.max(right, last - start);
  }
  return bottom < 0 ? undefined : { top, left, rows: bottom - top + 1, columns: right - left + 1 };
}
