import { decodeCodeExtensions } from './codeExtensions.ts';
import { findGraphicSet, type GraphicSet } from './graphicSets.ts';

/** How the text of a data set is decoded, from its Specific Character Set. */
export type CharacterSet = {
  /** The first values of one text element. */
  decode(bytes: Uint8Array, options: DecodeOptions): string[];
};

export type DecodeOptions = {
  /** Values are separated by a backslash. */
  readonly multiple: boolean;
  /** Person names: `^` and `=` delimit components. */
  readonly personName: boolean;
  /** Values that are wanted; what follows them is not decoded into values. */
  readonly most: number;
  /** The bytes are the beginning of a longer value, and may end inside a character. */
  readonly isCut: boolean;
};

const WHOLE_ENCODINGS: { readonly [term: string]: string } = {
  'ISO_IR 192': 'utf-8',
  GB18030: 'gb18030',
  GBK: 'gbk',
};

/** Builds the decoder for the values of (0008,0005); none of them means the default repertoire. PS3.3 C.12.1.1.2. */
export function createCharacterSet(terms: readonly string[]): CharacterSet {
  const normalized = terms.map(normalizeTerm);
  const whole = normalized.map((term) => WHOLE_ENCODINGS[term]).find((encoding) => encoding !== undefined);
  if (whole !== undefined) return { decode: wholeDecoder(whole) };

  const sets = normalized.map((term) => findGraphicSet(term)).filter((set) => set !== undefined);
  const initial: GraphicSet = findGraphicSet(normalized[0] ?? '') ?? {};
  if (sets.every((set) => set.right === undefined && set.left === undefined)) {
    return { decode: undeclaredDecoder() };
  }
  return {
    decode: (bytes, options) =>
      isPlainAscii(bytes) && initial.left === undefined
        ? splitValues(decodeLatin1(bytes), options)
        : decodeCodeExtensions(bytes, { initial, declared: sets, ...options }),
  };
}

/** Terms that the standard does not define. Text then falls back to the terms that it does, or to the default. */
export function findUnknownTerms(terms: readonly string[]): readonly string[] {
  return terms.filter((term) => !isKnownTerm(normalizeTerm(term)));
}

/** `ISO 2022 IR 87` and its misspellings (`ISO-2022-IR-87`, `ISO_IR_87`) as the term without code extensions. */
function normalizeTerm(term: string): string {
  const upper = term.trim().toUpperCase();
  const number = /^ISO[ _-]?(?:2022)?[ _-]*(?:IR)?[ _-]*(\d+)$/.exec(upper)?.[1];
  if (number !== undefined) return `ISO_IR ${number}`;
  return upper.replace(/^ISO[ _-]2022[ _-](GBK|GB18030)$/, '$1').replace(/^UTF-?8$/, 'ISO_IR 192');
}

function isKnownTerm(term: string): boolean {
  return term === '' || WHOLE_ENCODINGS[term] !== undefined || findGraphicSet(term) !== undefined;
}

/** Encodings where a backslash byte can be half of a character: decode first, split then. */
function wholeDecoder(encoding: string): CharacterSet['decode'] {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (bytes, options) => {
    if (isPlainAscii(bytes)) return splitValues(decodeLatin1(bytes), options);
    return splitValues(options.isCut ? decodeCut(bytes, encoding, { fatal: false }) : decoder.decode(bytes), options);
  };
}

/** Bytes above ASCII without a declared character set: UTF-8 where they are valid UTF-8, else Latin-1. */
function undeclaredDecoder(): CharacterSet['decode'] {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (bytes, options) => {
    if (isPlainAscii(bytes)) return splitValues(decodeLatin1(bytes), options);
    try {
      return splitValues(options.isCut ? decodeCut(bytes, 'utf-8', { fatal: true }) : utf8.decode(bytes), options);
    } catch {
      return splitValues(decodeLatin1(bytes), options);
    }
  };
}

/** Without the half character at the end. A decoder of its own, because it keeps that half. */
function decodeCut(bytes: Uint8Array, encoding: string, { fatal }: { readonly fatal: boolean }): string {
  return new TextDecoder(encoding, { fatal, ignoreBOM: true }).decode(bytes, { stream: true });
}

export function splitValues(text: string, { multiple, most }: { multiple: boolean; most: number }): string[] {
  // Most texts are one value, and to split those costs more than to look.
  return multiple && text.includes('\\') ? text.split('\\', most) : [text];
}

/** The bytes up to `end`, each as the character of its number. */
export function decodeLatin1(bytes: Uint8Array, end = bytes.length): string {
  if (end > SHORT_TEXT.length) return Buffer.from(bytes.buffer, bytes.byteOffset, end).toString('latin1');
  for (let index = 0; index < end; index += 1) SHORT_TEXT[index] = bytes[index]!;
  return SHORT_TEXT.toString('latin1', 0, end);
}

/** Most values are short: to copy one into a Buffer that is there takes half as long as to make a Buffer of its own. */
const SHORT_TEXT = Buffer.allocUnsafeSlow(64);

function isPlainAscii(bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte >= 0x80 || byte === 0x1b) return false;
  }
  return true;
}
