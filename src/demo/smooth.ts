/** Mixes each value with its eight neighbours in the proportion 4 : 2 : 1, in place; the border stays. */
export function smooth(values: Float32Array, columns: number): void {
  const rows = values.length / columns;
  let above = values.slice(0, columns);
  let here = new Float32Array(columns);
  for (let row = 1; row < rows - 1; row++) {
    const line = values.subarray(row * columns, (row + 1) * columns);
    const below = values.subarray((row + 1) * columns, (row + 2) * columns);
    here.set(line);
    smoothRow(line, { above, here, below });
    [above, here] = [here, above];
  }
}

type Neighbours = { readonly above: Float32Array; readonly here: Float32Array; readonly below: Float32Array };

function smoothRow(line: Float32Array, { above, here, below }: Neighbours): void {
  let left = above[0]! + 2 * here[0]! + below[0]!;
  let middle = above[1]! + 2 * here[1]! + below[1]!;
  for (let column = 1; column < line.length - 1; column++) {
    const right = above[column + 1]! + 2 * here[column + 1]! + below[column + 1]!;
    line[column] = (left + 2 * middle + right) / 16;
    left = middle;
    middle = right;
  }
}
