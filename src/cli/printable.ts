const LONGEST = 256;

/**
 * Makes an untrusted name safe for a terminal: characters that could move the cursor, change colours, forge another
 * line or reverse the text direction are written as `\u{..}`, and long text is cut off with an ellipsis at 256
 * characters.
 */
export function printable(text: string): string {
  let shown = '';
  let length = 0;
  let beforeLast = '';
  for (const character of text) {
    const piece = escapeCharacter(character);
    // A character beyond U+FFFF is two units of a string, but one on the screen; an escape is as long as it looks.
    length += piece === character ? 1 : piece.length;
    if (length > LONGEST) return `${beforeLast}…`;
    shown += piece;
    if (length < LONGEST) beforeLast = shown;
  }
  return shown;
}

/** The same without the length limit. Applied to every line that is written, whatever its content. */
export function printableLine(text: string): string {
  return Array.from(text, escapeCharacter).join('');
}

/** One line of JSON in printable ASCII: it parses back exactly, and contains no terminal control characters. */
export function jsonLine(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${hex(unit.charCodeAt(0)).padStart(4, '0')}`,
  );
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return isHarmless(code) ? character : `\\u{${hex(code)}}`;
}

function isHarmless(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return false;
  if (code === 0x2028 || code === 0x2029) return false;
  // Half of a surrogate pair is not a character.
  if (code >= 0xd800 && code <= 0xdfff) return false;
  return !isBidiControl(code);
}

/** Unicode's Bidi_Control: a name that contains one can make the rest of the line read backwards. */
function isBidiControl(code: number): boolean {
  return (
    code === 0x61c ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069)
  );
}

function hex(code: number): string {
  return code.toString(16);
}
