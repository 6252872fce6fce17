/** Reads bits of a unit of H.264. Bytes 3 after two zeros are left out: they only keep start codes apart (7.4.1). */
export class BitReader {
  readonly #bytes: Uint8Array;
  #bit = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = unescape(bytes);
  }

  bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i += 1) {
      const byte = this.#bytes[this.#bit >> 3] ?? 0;
      value = value * 2 + ((byte >> (7 - (this.#bit & 7))) & 1);
      this.#bit += 1;
    }
    return value;
  }

  /** An unsigned number of variable length. 9.1. Beyond the end of the bytes it is 0. */
  unsigned(): number {
    let zeros = 0;
    while (zeros < 32 && this.#bit < this.#bytes.length * 8 && this.bits(1) === 0) zeros += 1;
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 1 ? (value + 1) / 2 : -value / 2;
  }
}

function unescape(bytes: Uint8Array): Uint8Array {
  const plain: number[] = [];
  let zeros = 0;
  for (const byte of bytes) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    plain.push(byte);
  }
  return Uint8Array.from(plain);
}
