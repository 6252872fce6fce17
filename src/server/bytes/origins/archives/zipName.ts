const IS_UTF8 = 0x0800;
const STRICT = new TextDecoder('utf-8', { fatal: true });

/** Code page 437 from 0x80 on, the encoding of names without a mark. */
const UPPER_HALF =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/**
 * The name of a member. Many programs write UTF-8 without saying so, and text of another encoding is almost never valid
 * UTF-8. Some write backslashes. No path has a NUL.
 */
export function decodeZipName(bytes: Uint8Array, flags: number): string {
  let name: string;
  try {
    name = STRICT.decode(bytes);
  } catch {
    name =
      (flags & IS_UTF8) !== 0
        ? new TextDecoder().decode(bytes)
        : Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : UPPER_HALF[byte - 0x80])).join('');
  }
  return name.replaceAll('\\', '/').replaceAll('\0', '\ufffd');
}
