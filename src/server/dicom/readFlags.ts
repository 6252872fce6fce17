/** Something about a file that is not as the standard asks, and that reading went on in spite of. */
export type ReadFlag = {
  readonly code: ReadFlagCode;
  /** Position in the data set's source where it was seen first. */
  readonly offset: number;
  /** How often it was seen. */
  readonly count: number;
};

export type ReadFlagCode =
  /** The bytes end inside an element; a value longer than what is left counts too. */
  | 'truncated'
  /** No 128 bytes before `DICM`, or no `DICM` at all. */
  | 'missing_preamble'
  | 'missing_meta'
  | 'missing_meta_length'
  /** (0002,0000) does not lead to the end of the meta information. */
  | 'wrong_meta_length'
  /** No Transfer Syntax UID: the encoding was found out from the first elements. */
  | 'guessed_transfer_syntax'
  /** The first elements contradict the Transfer Syntax UID, and were believed. */
  | 'wrong_transfer_syntax'
  | 'odd_length'
  /** The VR is not the dictionary's. */
  | 'vr_mismatch'
  | 'unknown_vr'
  /** An element without a VR in an explicit syntax. */
  | 'implicit_vr_element'
  /** Elements with a VR in an item that should have none. */
  | 'explicit_vr_item'
  /** A length that leads out of the item around it. */
  | 'length_exceeds_parent'
  | 'undefined_length'
  | 'stray_delimiter'
  | 'missing_delimiter'
  | 'delimiter_length'
  /** Something else than an item in a sequence. */
  | 'bad_item'
  | 'unordered_elements'
  | 'duplicate_element'
  | 'trailing_padding'
  /** What follows the last element is no element. */
  | 'trailing_bytes'
  /** A term of Specific Character Set that the standard does not define. */
  | 'unknown_charset'
  | LimitFlagCode
  /** The deflated data set is damaged, or inflates beyond what is allowed. */
  | 'inflate_failed'
  | 'inflate_limit';

/** A limit of the reader: what lies beyond is left out. */
export type LimitFlagCode = 'depth_limited' | 'element_limit' | 'byte_limit' | 'fragment_limit';

/** Collects flags: the first place of each, and how often. */
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
