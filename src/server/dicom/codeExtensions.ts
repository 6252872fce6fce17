import type { DecodeOptions } from './characterSet.ts';
import { type CodeElement, ESCAPES, type GraphicSet } from './graphicSets.ts';

const ESC = 0x1b;

/**
 * Decodes text with ISO 2022 code extensions and splits it into its first values. The first declared set becomes active
 * again after every TAB, LF, FF, CR and delimiter, whether or not the writer switched back before it. PS3.5 6.1.2.5.3.
 */
export function decodeCodeExtensions(
  bytes: Uint8Array,
  {
    initial,
    declared,
    multiple,
    personName,
    most,
  }: { initial: GraphicSet; declared: readonly GraphicSet[] } & DecodeOptions,
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
