/** Mixes each value with its eight neighbours in the proportion 4 : 2 : 1, in place; the border stays. */
export function smooth(values: Float32Array, columns: number): void {
  const rows = values.length / columns;
  let above = values.slice(0, columns);
  let here = new Float32Array(columns);
  for (let row = 1; row < rows - 1; row++) {
    const from = row * columns;
    here.set(values.subarray(from, from + columns));
    let left = above[0]! + 2 * here[0]! + values[from + columns]!;
    let middle = above[1]! + 2 * here[1]! + values[from + columns + 1]!;
    for (let column = 1; column < columns - 1; column++) {
      const next = column + 1;
      const right = above[next]! + 2 * here[next]! + values[from + columns + next]!;
      values[from + column] = (left + 2 * middle + right) / 16;
      left = middle;
      middle = right;
    }
    [above, here] = [here, above];
  }
}
