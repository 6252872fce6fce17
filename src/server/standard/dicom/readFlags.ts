/** A deviation of a file from the standard, in spite of which reading continued. */
export type ReadFlag = {
  readonly code: ReadFlagCode;
  /** Position of the first occurrence in the source of the data set. */
  readonly offset: number;
  /** Number of occurrences. */
  readonly count: number;
};

export type ReadFlagCode =
  /** The bytes end inside an element; also set for a value longer than the remaining bytes. */
  | 'truncated'
  /** No 128 bytes before `DICM`, or no `DICM` at all. */
  | 'missing_preamble'
  | 'missing_meta'
  | 'missing_meta_length'
  /** (0002,0000) does not point to the end of the meta information. */
  | 'wrong_meta_length'
  /** No Transfer Syntax UID: the encoding was guessed from the first elements. */
  | 'guessed_transfer_syntax'
  /** The first elements contradict the Transfer Syntax UID; the encoding was taken from the elements. */
  | 'wrong_transfer_syntax'
  | 'odd_length'
  /** The VR differs from the dictionary. */
  | 'vr_mismatch'
  | 'unknown_vr'
  /** An element without a VR in an explicit syntax. */
  | 'implicit_vr_element'
  /** Elements with a VR in an item that should be implicit. */
  | 'explicit_vr_item'
  /** A length that exceeds the enclosing item. */
  | 'length_exceeds_parent'
  | 'undefined_length'
  | 'stray_delimiter'
  | 'missing_delimiter'
  | 'delimiter_length'
  /** Something other than an item in a sequence. */
  | 'bad_item'
  | 'unordered_elements'
  | 'duplicate_element'
  | 'trailing_padding'
  /** The bytes after the last element are not an element. */
  | 'trailing_bytes'
  /** A term of Specific Character Set that the standard does not define. */
  | 'unknown_charset'
  | LimitFlagCode
  /** The deflated data set is damaged, or inflates beyond the limit. */
  | 'inflate_failed'
  | 'inflate_limit';

/** A limit of the reader: elements beyond it are left out. */
export type LimitFlagCode = 'depth_limited' | 'element_limit' | 'byte_limit' | 'fragment_limit';

/** Collects flags: the first position of each, and the number of occurrences. */
export class FlagCollector {
  readonly #flags = new Map<ReadFlagCode, { code: ReadFlagCode; offset: number; count: number }>();

  add(code: ReadFlagCode, offset: number): void {
    const seen = this.#flags.get(code);
    if (seen === undefined) this.#flags.set(code, { code, offset, count: 1 });
    else seen.count += 1;
  }

  has(code: ReadFlagCode): boolean {
    return this.#flags.has(code);
  }

  get isEmpty(): boolean {
    return this.#flags.size === 0;
  }

  toArray(): readonly ReadFlag[] {
    return [...this.#flags.values()];
  }
}
