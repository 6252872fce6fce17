/** Averages each value with its eight neighbours with weights 4 : 2 : 1, in place; the border is unchanged. */
export function smooth(values: Float32Array, columns: number): void {
  let above = values.slice(0, columns);
  let here = new Float32Array(columns);
  for (let from = columns; from < values.length - columns; from += columns) {
    here.set(values.subarray(from, from + columns));
    smoothRow(values, from, { above, here });
    [above, here] = [here, above];
  }
}

function smoothRow(
  values: Float32Array,
  from: number,
  { above, here }: { above: Float32Array; here: Float32Array },
): void {
  const columns = here.length;
  const below = from + columns;
  let left = above[0]! + 2 * here[0]! + values[below]!;
  let middle = above[1]! + 2 * here[1]! + values[below + 1]!;
  for (let column = 1; column < columns - 1; column++) {
    const right = above[column + 1]! + 2 * here[column + 1]! + values[below + column + 1]!;
    values[from + column] = (left + 2 * middle + right) / 16;
    left = middle;
    middle = right;
  }
}
