import { type CodeElement, ESCAPES, findGraphicSet, type GraphicSet } from './graphicSets.ts';

/** Decodes the text of a data set according to its Specific Character Set. */
export type CharacterSet = {
  /** Decodes the first values of one text element. */
  decode(bytes: Uint8Array, options: TextOptions): string[];
};

type TextOptions = {
  /** Values are separated by a backslash. */
  readonly multiple: boolean;
  /** Person names: `^` and `=` delimit components. */
  readonly personName: boolean;
  /** Number of values wanted; the text after them is not decoded into values. */
  readonly most: number;
  /** The bytes are the beginning of a longer value and may end inside a character. */
  readonly isCut: boolean;
};

const WHOLE_ENCODINGS: { readonly [term: string]: string } = {
  'ISO_IR 192': 'utf-8',
  GB18030: 'gb18030',
  GBK: 'gbk',
};

/** Builds the decoder for the values of (0008,0005). No values mean the default repertoire. PS3.3 C.12.1.1.2. */
export function createCharacterSet(terms: readonly string[]): CharacterSet {
  const normalized = terms.map(normalizeTerm);
  const whole = normalized.map((term) => WHOLE_ENCODINGS[term]).find((encoding) => encoding !== undefined);
  if (whole !== undefined) return { decode: wholeDecoder(whole) };

  const sets = normalized.map((term) => findGraphicSet(term)).filter((set) => set !== undefined);
  const initial: GraphicSet = findGraphicSet(normalized[0] ?? '') ?? {};
  if (sets.every((set) => set.right === undefined && set.left === undefined)) return { decode: undeclaredDecoder() };
  return {
    decode: (bytes, options) =>
      isPlainAscii(bytes) && initial.left === undefined
        ? splitValues(decodeLatin1(bytes), options)
        : decodeCodeExtensions(bytes, { initial, declared: sets, ...options }),
  };
}

/** Terms that the standard does not define. Text is then decoded by the defined terms, or by the default. */
export function findUnknownTerms(terms: readonly string[]): readonly string[] {
  return terms.filter((term) => !isKnownTerm(normalizeTerm(term)));
}

/** Converts `ISO 2022 IR 87` and misspellings (`ISO-2022-IR-87`, `ISO_IR_87`) to the term without code extensions. */
function normalizeTerm(term: string): string {
  const upper = term.trim().toUpperCase();
  const number = /^ISO[ _-]?(?:2022)?[ _-]*(?:IR)?[ _-]*(\d+)$/.exec(upper)?.[1];
  if (number !== undefined) return `ISO_IR ${number}`;
  return upper.replace(/^ISO[ _-]2022[ _-](GBK|GB18030)$/, '$1').replace(/^UTF-?8$/, 'ISO_IR 192');
}

function isKnownTerm(term: string): boolean {
  return term === '' || WHOLE_ENCODINGS[term] !== undefined || findGraphicSet(term) !== undefined;
}

/** For encodings where a backslash byte can be half of a character: decodes first and splits afterwards. */
function wholeDecoder(encoding: string): CharacterSet['decode'] {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (bytes, options) => {
    if (isPlainAscii(bytes)) return splitValues(decodeLatin1(bytes), options);
    return splitValues(options.isCut ? decodeCut(bytes, encoding, { fatal: false }) : decoder.decode(bytes), options);
  };
}

/**
 * Decodes bytes above ASCII without a declared character set: as UTF-8 if they are valid UTF-8, otherwise as Latin-1.
 */
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

/**
 * Decodes without the partial character at the end. Uses a new decoder, because a decoder keeps that partial character.
 */
function decodeCut(bytes: Uint8Array, encoding: string, { fatal }: { readonly fatal: boolean }): string {
  return new TextDecoder(encoding, { fatal, ignoreBOM: true }).decode(bytes, { stream: true });
}

export function splitValues(text: string, { multiple, most }: { multiple: boolean; most: number }): string[] {
  // Most texts are one value, and splitting costs more than searching for a separator.
  return multiple && text.includes('\\') ? text.split('\\', most) : [text];
}

/** Decodes the bytes up to `end`, each as the character with that code. */
export function decodeLatin1(bytes: Uint8Array, end = bytes.length): string {
  if (end > SHORT_TEXT.length) return Buffer.from(bytes.buffer, bytes.byteOffset, end).toString('latin1');
  for (let index = 0; index < end; index += 1) SHORT_TEXT[index] = bytes[index]!;
  return SHORT_TEXT.toString('latin1', 0, end);
}

/** Most values are short, and copying one into an existing Buffer takes half as long as creating a Buffer for it. */
const SHORT_TEXT = Buffer.allocUnsafeSlow(64);

function isPlainAscii(bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte >= 0x80 || byte === 0x1b) return false;
  }
  return true;
}

const ESC = 0x1b;

/**
 * Decodes text with ISO 2022 code extensions and splits it into its first values. The first declared set becomes active
 * again after every TAB, LF, FF, CR and delimiter, whether or not the writer switched back before it. PS3.5 6.1.2.5.3.
 */
function decodeCodeExtensions(
  bytes: Uint8Array,
  {
    initial,
    declared,
    multiple,
    personName,
    most,
  }: { initial: GraphicSet; declared: readonly GraphicSet[] } & TextOptions,
): string[] {
  // Some writers omit the escape sequence of the only set they declare, so its right half is active from the start.
  const fallback = declared.find((set) => set.right !== undefined)?.right;
  const values: string[] = [];
  let text = '';
  let left: CodeElement | undefined = initial.left;
  let right: CodeElement | undefined = initial.right ?? fallback;
  const reset = () => {
    left = initial.left;
    right = initial.right ?? fallback;
  };

  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0;
    if (byte === ESC) {
      const escape = findEscape(bytes, at + 1);
      at += 1 + escape.length;
      const set = ESCAPES.get(escape);
      if (set === undefined) text += '\ufffd';
      left = set?.left ?? left;
      right = set?.right ?? right;
    } else if (byte <= 0x20 || byte === 0x7f) {
      if (byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d) reset();
      text += String.fromCharCode(byte);
      at += 1;
    } else {
      const element: CodeElement | undefined = byte < 0x80 ? left : right;
      if (element?.bytesPerCharacter === 2) {
        const second = bytes[at + 1] ?? 0;
        // Both bytes of a character are in the same half of the code table.
        const complete = second >= 0x80 === byte >= 0x80 && (second & 0x7f) > 0x20;
        text += complete ? element.decode(byte & 0x7f, second & 0x7f) : '\ufffd';
        at += complete ? 2 : 1;
        continue;
      }
      at += 1;
      if (multiple && byte === 0x5c) {
        values.push(text);
        if (values.length >= most) return values;
        text = '';
        reset();
      } else {
        if (personName && (byte === 0x5e || byte === 0x3d)) reset();
        if (byte < 0x80) text += element === undefined ? String.fromCharCode(byte) : element.decode(byte, 0);
        else text += element === undefined ? '\ufffd' : element.decode(byte & 0x7f, 0);
      }
    }
  }
  values.push(text);
  return values;
}

/** The escape sequence at a position, without ESC; empty if DICOM does not define it. */
function findEscape(bytes: Uint8Array, at: number): string {
  const three = String.fromCharCode(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0);
  if (ESCAPES.has(three)) return three;
  return ESCAPES.has(three.slice(0, 2)) ? three.slice(0, 2) : '';
}
