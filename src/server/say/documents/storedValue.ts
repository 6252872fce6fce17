/** Where the bytes of a value lie in a file: pieces that follow each other. Columns, because there may be many. */
export type FilePlaces = {
  readonly starts: Float64Array<ArrayBuffer>;
  /** Exclusive. */
  readonly ends: Float64Array<ArrayBuffer>;
};

/** The bytes of a value: where they lie in the file or, if the file is deflated, the bytes themselves. */
export type StoredValue = { readonly places: FilePlaces } | { readonly bytes: Uint8Array };

export function lengthOfValue(value: StoredValue): number {
  if ('bytes' in value) return value.bytes.length;
  const { starts, ends } = value.places;
  let length = 0;
  for (let at = 0; at < starts.length; at += 1) length += ends[at]! - starts[at]!;
  return length;
}
