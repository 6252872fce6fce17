import { singleByteTable } from './singleByteCharacterSets.ts';

/**
 * Encodes text in the character set that Specific Character Set names: UTF-8 or a single-byte set. With several values
 * or a multi-byte set, text beyond ASCII needs code extensions and is refused; pass its bytes instead.
 */
export function encodeText(text: string, characterSets: readonly string[]): Uint8Array {
  if (isAscii(text)) return Uint8Array.from(text, (character) => character.charCodeAt(0));
  const [term = ''] = characterSets;
  if (characterSets.length <= 1 && term === 'ISO_IR 192') return new TextEncoder().encode(text);
  const table = characterSets.length <= 1 ? singleByteTable(term) : undefined;
  if (table === undefined) {
    const named = characterSets.length === 0 ? 'the default character set' : characterSets.join('\\');
    throw new TypeError(`${JSON.stringify(text)} cannot be written in ${named}: give its bytes as a Uint8Array`);
  }
  return Uint8Array.from(Array.from(text), (character) => {
    const byte = character < '\x80' ? character.charCodeAt(0) : 0xa0 + table.indexOf(character);
    if (byte < 0xa0 && character >= '\x80')
      throw new TypeError(`${term} has no character ${JSON.stringify(character)}`);
    return byte;
  });
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(text);
}
