/** The tables of ITU-T T.81 annex K, which encoders use unless they measure the picture. */

/** Table K.1, row by row. */
export const QUANTA_LUMA: readonly number[] = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];

/** Table K.2. */
export const QUANTA_CHROMA: readonly number[] = [
  17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99,
];

export type HuffmanTable = {
  /** 0: first coefficients, 1: the others. */
  readonly kind: 0 | 1;
  readonly id: 0 | 1;
  /** Number of codes of 1 to 16 bits. */
  readonly counts: readonly number[];
  readonly symbols: readonly number[];
  /** By symbol. */
  readonly codes: Uint16Array;
  readonly lengths: Uint8Array;
};

/** Table K.3. */
export const DC_LUMA = buildTable({ kind: 0, id: 0 }, '00010501010101010100000000000000', '000102030405060708090a0b');
/** Table K.4. */
export const DC_CHROMA = buildTable({ kind: 0, id: 1 }, '00030101010101010101010000000000', '000102030405060708090a0b');
/** Table K.5. */
export const AC_LUMA = buildTable(
  { kind: 1, id: 0 },
  '0002010303020403050504040000017d',
  '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738' +
    '393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5' +
    'a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
);
/** Table K.6. */
export const AC_CHROMA = buildTable(
  { kind: 1, id: 1 },
  '00020102040403040705040400010277',
  '000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a353637' +
    '38393a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3' +
    'a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
);

/** T.81 annex C: codes of the same length follow each other. */
function buildTable(name: Pick<HuffmanTable, 'kind' | 'id'>, counts: string, symbols: string): HuffmanTable {
  const table = { ...name, counts: parseBytes(counts), symbols: parseBytes(symbols) };
  const codes = new Uint16Array(256);
  const lengths = new Uint8Array(256);
  let code = 0;
  let at = 0;
  for (const [index, count] of table.counts.entries()) {
    for (let left = count; left > 0; left -= 1) {
      const symbol = table.symbols[at++]!;
      codes[symbol] = code++;
      lengths[symbol] = index + 1;
    }
    code *= 2;
  }
  return { ...table, codes, lengths };
}

function parseBytes(hex: string): number[] {
  return [...Buffer.from(hex, 'hex')];
}
