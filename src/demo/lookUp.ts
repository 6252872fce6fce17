type LookUpInput = { readonly labels: Uint8Array; readonly valueOfLabel: Float32Array; readonly columns: number };

/** The value that stands for each label. */
export function lookUp(values: Float32Array, { labels, valueOfLabel, columns }: LookUpInput): void {
  // Row by row: a function that is called often is compiled for speed sooner than one long loop.
  for (let from = 0; from < values.length; from += columns) {
    lookUpRow(values.subarray(from, from + columns), labels.subarray(from, from + columns), valueOfLabel);
  }
}

function lookUpRow(values: Float32Array, labels: Uint8Array, valueOfLabel: Float32Array): void {
  for (let i = 0; i < values.length; i++) values[i] = valueOfLabel[labels[i]!]!;
}
