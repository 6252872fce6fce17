import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { LONG_LENGTH, lengthFormOfVr, SHORT_LENGTH } from './vrCodes.ts';

export const UNDEFINED_LENGTH = 0xffffffff;

/** An irregularity in the header of an element. */
export type HeaderOddity = 'implicit_vr_element' | 'unknown_vr';

/**
 * Reads element headers at positions of a source. The fields hold the header that `readHeader` read last. They are
 * reused so that scanning many files creates no garbage.
 */
export class ElementCursor {
  readonly source: ByteSource;
  tag = 0;
  /** The VR as two ASCII codes, the first in the upper byte; 0 if the header has none. */
  vrCode = 0;
  length = 0;
  valueOffset = 0;
  oddity: HeaderOddity | undefined;
  #window: Uint8Array = new Uint8Array(0);
  #start = 0;

  constructor(source: ByteSource) {
    this.source = source;
  }

  /** Returns false if fewer bytes are left than a header takes. */
  readHeader(position: number, explicit: boolean, littleEndian: boolean): boolean {
    let at = position - this.#start;
    if (at < 0 || at + 12 > this.#window.length) {
      this.#window = this.source.peek(position, 12);
      this.#start = position;
      at = 0;
      if (this.#window.length < 8) return false;
    }
    const bytes = this.#window;
    this.oddity = undefined;
    const first = uint16(bytes, at, littleEndian);
    this.tag = first * 0x10000 + uint16(bytes, at + 2, littleEndian);
    // Items and delimiters have no VR in any transfer syntax.
    if (!explicit || first === 0xfffe) return this.#finish(position, 0, uint32(bytes, at + 4, littleEndian), 8);

    const vrCode = (bytes[at + 4] ?? 0) * 0x100 + (bytes[at + 5] ?? 0);
    switch (lengthFormOfVr(vrCode)) {
      case SHORT_LENGTH:
        return this.#finish(position, vrCode, uint16(bytes, at + 6, littleEndian), 8);
      case LONG_LENGTH:
        if (at + 12 > bytes.length) return false;
        return this.#finish(position, vrCode, uint32(bytes, at + 8, littleEndian), 12);
      default:
        return this.#readUnknown(position, at, vrCode, littleEndian);
    }
  }

  /** The tag at a position, without changing the fields; undefined at the end of the source. */
  peekTag(position: number, littleEndian: boolean): number | undefined {
    let at = position - this.#start;
    if (at < 0 || at + 4 > this.#window.length) {
      this.#window = this.source.peek(position, 12);
      this.#start = position;
      at = 0;
      if (this.#window.length < 4) return undefined;
    }
    return uint16(this.#window, at, littleEndian) * 0x10000 + uint16(this.#window, at + 2, littleEndian);
  }

  /** Bytes that contain a value, and its index in them; too few at the end of the source. Valid until the next call. */
  findValue(offset: number, length: number): readonly [bytes: Uint8Array, from: number] {
    const at = offset - this.#start;
    if (at >= 0 && at + length <= this.#window.length) return [this.#window, at];
    // Reading may move the bytes of the window, so the next header is read again.
    this.#window = new Uint8Array(0);
    return [this.source.read(offset, length), 0];
  }

  #finish(position: number, vrCode: number, length: number, headerLength: number): true {
    this.vrCode = vrCode;
    this.length = length;
    this.valueOffset = position + headerLength;
    return true;
  }

  /**
   * Handles bytes that are not a standard VR where a VR is expected. Two capital letters are taken as an unknown VR,
   * and unknown VRs have the short length in practice; anything else is an implicit element inside an explicit data
   * set.
   */
  #readUnknown(position: number, at: number, vrCode: number, littleEndian: boolean): true {
    if (!isCapital(vrCode >> 8) || !isCapital(vrCode & 0xff)) {
      this.oddity = 'implicit_vr_element';
      return this.#finish(position, 0, uint32(this.#window, at + 4, littleEndian), 8);
    }
    this.oddity = 'unknown_vr';
    return this.#finish(position, vrCode, uint16(this.#window, at + 6, littleEndian), 8);
  }
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

function uint16(bytes: Uint8Array, at: number, littleEndian: boolean): number {
  const first = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  return littleEndian ? second * 0x100 + first : first * 0x100 + second;
}

function uint32(bytes: Uint8Array, at: number, littleEndian: boolean): number {
  const first = uint16(bytes, at, littleEndian);
  const second = uint16(bytes, at + 2, littleEndian);
  return littleEndian ? second * 0x10000 + first : first * 0x10000 + second;
}
