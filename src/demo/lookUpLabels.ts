type LookUpInput = { readonly labels: Uint8Array; readonly valueOfLabel: Float32Array; readonly columns: number };

/** Writes the value of each label. */
export function lookUpLabels(values: Float32Array, input: LookUpInput): void {
  // Row by row: a function that is called often is optimized sooner than one long loop.
  for (let from = 0; from < values.length; from += input.columns) lookUpRow(values, from, input);
}

function lookUpRow(values: Float32Array, from: number, { labels, valueOfLabel, columns }: LookUpInput): void {
  for (let i = from; i < from + columns; i++) values[i] = valueOfLabel[labels[i]!]!;
}
