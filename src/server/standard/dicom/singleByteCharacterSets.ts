/** The upper half of a single-byte character set, bytes 0xA0 to 0xFF, by its defined term without ISO 2022. */
export function singleByteTable(term: string): readonly string[] | undefined {
  const encoding = ENCODINGS[term];
  if (encoding === undefined) return undefined;
  const decoder = new TextDecoder(encoding);
  return Array.from({ length: 96 }, (_, index) => decoder.decode(Uint8Array.of(0xa0 + index)));
}

// PS3.3 C.12.1.1.2. Above 0xA0, WHATWG encodings that are in fact Windows code pages agree with the ISO set.
const ENCODINGS: { readonly [term: string]: string } = {
  'ISO_IR 100': 'iso-8859-1',
  'ISO_IR 101': 'iso-8859-2',
  'ISO_IR 109': 'iso-8859-3',
  'ISO_IR 110': 'iso-8859-4',
  'ISO_IR 144': 'iso-8859-5',
  'ISO_IR 127': 'iso-8859-6',
  'ISO_IR 126': 'iso-8859-7',
  'ISO_IR 138': 'iso-8859-8',
  'ISO_IR 148': 'iso-8859-9',
  'ISO_IR 203': 'iso-8859-15',
  'ISO_IR 13': 'shift_jis',
  'ISO_IR 166': 'windows-874',
};

/** Excludes JIS X 0201 (ISO_IR 13), whose lower half is not ASCII. */
export const SINGLE_BYTE_TERMS: readonly string[] = Object.keys(ENCODINGS).filter((term) => term !== 'ISO_IR 13');
