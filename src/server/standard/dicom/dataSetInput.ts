/** Keys are keywords (`PatientName`) or eight hex digits (`00091001`). Undefined values are skipped. */
export type DataSetInput = { readonly [keywordOrTag: string]: ElementInput };

/** Private and unknown tags need `{ vr, value }`. An empty string or list writes an element without a value. */
export type ElementInput = ElementValue | { readonly vr: string; readonly value: ElementValue } | undefined;

/**
 * A Uint8Array holds the stored bytes of the value, unchecked, for any VR; other typed arrays are numbers and are
 * written in the byte order of the transfer syntax.
 */
export type ElementValue =
  | string
  | number
  | bigint
  | readonly (string | number | bigint)[]
  | ArrayBufferView
  | readonly DataSetInput[]
  | EncapsulatedInput;

/** Encapsulated pixel data, PS3.5 A.4. */
export type EncapsulatedInput = {
  readonly fragments: readonly Uint8Array[];
  /** Default `basic`. `none` leaves the basic table empty; `extended` writes (7FE0,0001) and (7FE0,0002) too. */
  readonly offsetTable?: 'none' | 'basic' | 'extended';
  /** Number of fragments in each frame; default one. */
  readonly fragmentsPerFrame?: readonly number[];
};
