import { describe, expect, test } from 'vitest';
import { createCharacterSet, findUnknownTerms } from './characterSet.ts';

const ESC = '\x1b';
const WHOLE = { most: 1000, isCut: false };

/** Bytes written as text: each character up to 0xFF is one byte. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

function decodeName(terms: readonly string[], stored: string): string[] {
  return createCharacterSet(terms).decode(bytesOf(stored), { ...WHOLE, multiple: true, personName: true });
}

function decodeText(terms: readonly string[], stored: string): string[] {
  return createCharacterSet(terms).decode(bytesOf(stored), { ...WHOLE, multiple: false, personName: false });
}

describe('the examples of the standard', () => {
  test('PS3.5 H.3.1: Japanese in kanji and hiragana by escape', () => {
    const stored = `Yamada^Tarou=${ESC}$B;3ED${ESC}(B^${ESC}$BB@O:${ESC}(B=${ESC}$B$d$^$@${ESC}(B^${ESC}$B$?$m$&${ESC}(B`;
    expect(decodeName(['', 'ISO 2022 IR 87'], stored)).toEqual(['Yamada^Tarou=山田^太郎=やまだ^たろう']);
  });

  test('PS3.5 H.3.2: Japanese with half-width katakana as the first set', () => {
    const stored =
      `\xd4\xcf\xc0\xde^\xc0\xdb\xb3=${ESC}$B;3ED${ESC}(J^${ESC}$BB@O:${ESC}(J` +
      `=${ESC}$B$d$^$@${ESC}(J^${ESC}$B$?$m$&${ESC}(J`;
    expect(decodeName(['ISO 2022 IR 13', 'ISO 2022 IR 87'], stored)).toEqual(['ﾔﾏﾀﾞ^ﾀﾛｳ=山田^太郎=やまだ^たろう']);
  });

  test('PS3.5 I.2: Korean, with an escape sequence in every component', () => {
    const stored = `Hong^Gildong=${ESC}$)C\xfb\xf3^${ESC}$)C\xd1\xce\xd4\xd7=${ESC}$)C\xc8\xab^${ESC}$)C\xb1\xe6\xb5\xbf`;
    expect(decodeName(['', 'ISO 2022 IR 149'], stored)).toEqual(['Hong^Gildong=洪^吉洞=홍^길동']);
  });

  test('PS3.5 J.1 and J.2: Chinese in UTF-8 and in GB18030', () => {
    const utf8 = Buffer.from('Wang^XiaoDong=王^小東', 'utf8').toString('latin1');
    expect(decodeName(['ISO_IR 192'], utf8)).toEqual(['Wang^XiaoDong=王^小東']);
    expect(decodeName(['GB18030'], 'Wang^XiaoDong=\xcd\xf5^\xd0\xa1\xb6\xab')).toEqual(['Wang^XiaoDong=王^小东']);
    expect(decodeName(['GBK'], 'Wang^XiaoDong=\xcd\xf5^\xd0\xa1\xb6\xab')).toEqual(['Wang^XiaoDong=王^小东']);
  });

  test('PS3.5 K.2: Chinese in GB 2312 by escape', () => {
    const stored = `Zhang^XiaoDong=${ESC}$)A\xd5\xc5^${ESC}$)A\xd0\xa1\xb6\xab=`;
    expect(decodeName(['', 'ISO 2022 IR 58'], stored)).toEqual(['Zhang^XiaoDong=张^小东=']);
  });
});

// The same byte in each single-byte set of PS3.3 table C.12-2, according to the ISO registrations.
describe('single-byte sets', () => {
  test.each([
    ['ISO_IR 100', '\xe9', 'é'],
    ['ISO_IR 101', '\xb1', 'ą'],
    ['ISO_IR 109', '\xa1', 'Ħ'],
    ['ISO_IR 110', '\xb1', 'ą'],
    ['ISO_IR 144', '\xbb', 'Л'],
    ['ISO_IR 127', '\xc7', 'ا'],
    ['ISO_IR 126', '\xc4', 'Δ'],
    ['ISO_IR 138', '\xf9', 'ש'],
    ['ISO_IR 148', '\xfd', 'ı'],
    ['ISO_IR 203', '\xa4', '€'],
    ['ISO_IR 166', '\xa1', 'ก'],
    ['ISO_IR 13', '\xb1', 'ｱ'],
  ])('%s', (term, stored, expected) => {
    expect(decodeText([term], stored)).toEqual([expected]);
    expect(decodeText([term.replace('ISO_IR', 'ISO 2022 IR')], stored)).toEqual([expected]);
  });

  test('JIS X 0201 has a yen sign and an overline where ASCII has a backslash and a tilde', () => {
    expect(decodeText(['ISO_IR 13'], 'a\\b~')).toEqual(['a¥b‾']);
    expect(decodeName(['ISO_IR 13'], 'a\\b')).toEqual(['a', 'b']);
  });

  test('Greek by escape into the right half', () => {
    const stored = `Dionysios=${ESC}-F\xc4\xe9\xef\xed`;
    expect(decodeName(['ISO 2022 IR 100', 'ISO 2022 IR 126'], stored)).toEqual(['Dionysios=Διον']);
  });
});

describe('code extensions end', () => {
  const terms = ['ISO 2022 IR 100', 'ISO 2022 IR 126'];

  test.each([
    ['at a line feed', `${ESC}-F\xc4\n\xe9`, ['Δ\né']],
    ['at a form feed', `${ESC}-F\xc4\f\xe9`, ['Δ\fé']],
    ['at a tab', `${ESC}-F\xc4\t\xe9`, ['Δ\té']],
    ['at the end of a value', `${ESC}-F\xc4\\\xe9`, ['Δ', 'é']],
    ['at the end of a name component', `${ESC}-F\xc4^\xe9`, ['Δ^é']],
    ['at the end of a name component group', `${ESC}-F\xc4=\xe9`, ['Δ=é']],
  ])('%s', (_, stored, expected) => {
    expect(decodeName(terms, stored)).toEqual(expected);
  });

  test('but not at ^ in text that is not a name', () => {
    const text = createCharacterSet(terms).decode(bytesOf(`${ESC}-F\xc4^\xe9`), {
      ...WHOLE,
      multiple: true,
      personName: false,
    });
    expect(text).toEqual(['Δ^ι']);
  });

  test('and a backslash byte inside a two-byte character is not a separator', () => {
    // JIS X 0208 0x305C and GBK 0x815C, as Python's iso2022_jp and gbk decode them.
    expect(decodeName(['', 'ISO 2022 IR 87'], `${ESC}$B0\\${ESC}(B\\b`)).toEqual(['移', 'b']);
    expect(decodeName(['GBK'], '\x81\x5c\\b')).toEqual(['乗', 'b']);
  });
});

describe('text that the standard does not allow', () => {
  test('bytes above ASCII without a declared set are UTF-8 if valid, otherwise Latin-1', () => {
    expect(decodeText([], Buffer.from('Müller').toString('latin1'))).toEqual(['Müller']);
    expect(decodeText([], 'M\xfcller')).toEqual(['Müller']);
  });

  test('an unknown term is reported, and the rest is still decoded', () => {
    expect(findUnknownTerms(['ISO_IR 100', 'ISO_IR 999', ''])).toEqual(['ISO_IR 999']);
    expect(decodeText(['ISO_IR 999'], 'abc')).toEqual(['abc']);
  });

  test.each(['ISO-IR 100', 'ISO IR 100', 'iso_ir 100', 'ISO_IR_100', 'ISO2022 IR 100'])('%s is understood', (term) => {
    expect(findUnknownTerms([term])).toEqual([]);
    expect(decodeText([term], '\xe9')).toEqual(['é']);
  });

  test('incomplete characters and invalid escape sequences become replacement characters', () => {
    expect(decodeText(['', 'ISO 2022 IR 149'], `${ESC}$)C\xb1`)).toEqual(['\ufffd']);
    expect(decodeText(['ISO 2022 IR 100', 'ISO 2022 IR 126'], `a${ESC}zb`)).toEqual(['a\ufffdzb']);
  });

  test('Korean without its escape sequence is decoded with the only declared set', () => {
    expect(decodeName(['', 'ISO 2022 IR 149'], '\xb1\xe8')).toEqual(['김']);
  });
});

test('invalid and truncated text that is declared as UTF-8 has replacement characters', () => {
  const options = { multiple: false, personName: false, most: 1, isCut: true };
  expect(createCharacterSet(['ISO_IR 192']).decode(bytesOf('a\xffb'), options)).toEqual(['a\ufffdb']);
});
