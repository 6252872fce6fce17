import { SINGLE_BYTE_TERMS, singleByteTable } from './singleByteCharacterSets.ts';

/**
 * One half of the code table in ISO 2022: 94 or 96 characters of one byte, or 94 x 94 characters of two bytes. `decode`
 * receives the bytes as in the left half (0x20 to 0x7F).
 */
export type CodeElement = {
  readonly bytesPerCharacter: 1 | 2;
  readonly decode: (first: number, second: number) => string;
};

/** What a defined term assigns to the left half (G0, default ASCII) and the right half (G1, default nothing). */
export type GraphicSet = { readonly left?: CodeElement; readonly right?: CodeElement };

const katakana: CodeElement = {
  bytesPerCharacter: 1,
  decode: (byte) => (byte >= 0x21 && byte <= 0x5f ? String.fromCharCode(0xff61 + byte - 0x21) : '\ufffd'),
};

/** JIS X 0201 differs from ASCII in two places. */
const romaji: CodeElement = {
  bytesPerCharacter: 1,
  decode: (byte) => (byte === 0x5c ? '\u00a5' : byte === 0x7e ? '\u203e' : String.fromCharCode(byte)),
};

const jisX0208 = twoBytes('euc-jp', [], {
  // In these places the platform's table has the Windows variant of JIS X 0208.
  '\uff5e': '\u301c',
  '\u2225': '\u2016',
  '\uff0d': '\u2212',
  '\uffe0': '\u00a2',
  '\uffe1': '\u00a3',
  '\uffe2': '\u00ac',
});
const jisX0212 = twoBytes('euc-jp', [0x8f], {});
const ksX1001 = twoBytes('euc-kr', [], {});
const gb2312 = twoBytes('gbk', [], {});

const singleByte: ReadonlyMap<string, GraphicSet> = new Map(SINGLE_BYTE_TERMS.map((term) => [term, rightHalf(term)]));

/** Escape sequences of PS3.3 tables C.12-3 and C.12-4, without the ESC byte, as text. */
export const ESCAPES: ReadonlyMap<string, GraphicSet> = new Map<string, GraphicSet>([
  ['(B', { left: { bytesPerCharacter: 1, decode: (byte) => String.fromCharCode(byte) } }],
  ['(J', { left: romaji }],
  [')I', { right: katakana }],
  ['$B', { left: jisX0208 }],
  ['$@', { left: jisX0208 }],
  ['$(D', { left: jisX0212 }],
  ['$)C', { right: ksX1001 }],
  ['$)A', { right: gb2312 }],
  ['-A', rightHalf('ISO_IR 100')],
  ['-B', rightHalf('ISO_IR 101')],
  ['-C', rightHalf('ISO_IR 109')],
  ['-D', rightHalf('ISO_IR 110')],
  ['-F', rightHalf('ISO_IR 126')],
  ['-G', rightHalf('ISO_IR 127')],
  ['-H', rightHalf('ISO_IR 138')],
  ['-L', rightHalf('ISO_IR 144')],
  ['-M', rightHalf('ISO_IR 148')],
  ['-T', rightHalf('ISO_IR 166')],
  ['-b', rightHalf('ISO_IR 203')],
]);

const GRAPHIC_SETS: ReadonlyMap<string, GraphicSet> = new Map<string, GraphicSet>([
  ...singleByte,
  ['', {}],
  ['ISO_IR 6', {}],
  ['ISO_IR 13', { left: romaji, right: katakana }],
  ['ISO_IR 14', { left: romaji }],
  // Multi-byte sets are selected by escape sequences only; if such a set is declared alone, its bytes are decoded
  // anyway.
  ['ISO_IR 87', { right: jisX0208 }],
  ['ISO_IR 159', { right: jisX0212 }],
  ['ISO_IR 149', { right: ksX1001 }],
  ['ISO_IR 58', { right: gb2312 }],
]);

/** The set of a defined term in the form `ISO_IR n`, with or without code extensions. */
export function findGraphicSet(term: string): GraphicSet | undefined {
  return GRAPHIC_SETS.get(term);
}

/** The table is built when its first character is decoded. */
function rightHalf(term: string): GraphicSet {
  let table: readonly string[] | undefined;
  return {
    right: {
      bytesPerCharacter: 1,
      decode: (byte) => (table ??= singleByteTable(term) ?? [])[byte - 0x20] ?? '\ufffd',
    },
  };
}

function twoBytes(encoding: string, prefix: readonly number[], corrections: { [found: string]: string }): CodeElement {
  const decoder = new TextDecoder(encoding);
  return {
    bytesPerCharacter: 2,
    decode: (first, second) => {
      const text = decoder.decode(Uint8Array.of(...prefix, first | 0x80, second | 0x80));
      return corrections[text] ?? text;
    },
  };
}
