/** What the bytes of an encapsulated file are. `file` is everything that no other format recognizes. */
export type ContentFormat = 'pdf' | 'png' | 'jpeg' | 'gif' | 'stl' | 'xml' | 'file';

/** Number of bytes that `sniffContent` looks at. */
export const SNIFFED_BYTES = 1024;

const PNG = '\u0089PNG\r\n\u001a\n';
const JPEG = '\u00ff\u00d8\u00ff';
const GIF = /^GIF8[79]a/;
const UTF8_MARK = '\u00ef\u00bb\u00bf';

/**
 * The format of an encapsulated file, by its first bytes and its length. The media type that an object declares decides
 * nothing: a browser would run HTML that is called so.
 */
export function sniffContent(opening: Uint8Array, length: number): ContentFormat {
  const text = String.fromCharCode(...opening.subarray(0, SNIFFED_BYTES));
  if (text.startsWith(PNG)) return 'png';
  if (text.startsWith(JPEG)) return 'jpeg';
  if (GIF.test(text)) return 'gif';
  // Before the text formats: the 80 bytes before the triangles of an STL file are free.
  if (countBinaryTriangles(opening, length) !== undefined) return 'stl';
  const plain = (text.startsWith(UTF8_MARK) ? text.slice(UTF8_MARK.length) : text).trimStart();
  if (plain.startsWith('%PDF-')) return 'pdf';
  if (/^solid\b/i.test(plain) && /\b(facet|endsolid)\b/i.test(plain)) return 'stl';
  if (/^<(\?xml\s|[a-z_][\w.-]*:?ClinicalDocument\b|ClinicalDocument\b)/i.test(plain)) return 'xml';
  return 'file';
}

const STL_HEADER_BYTES = 84;
const TRIANGLE_BYTES = 50;

/**
 * The number of triangles of a binary STL file: 80 bytes, the number, then 50 bytes for each. Undefined if the length
 * does not agree, as for a text file that begins in the same way.
 */
export function countBinaryTriangles(opening: Uint8Array, length: number): number | undefined {
  if (opening.length < STL_HEADER_BYTES) return undefined;
  const count = new DataView(opening.buffer, opening.byteOffset).getUint32(80, true);
  return length === STL_HEADER_BYTES + count * TRIANGLE_BYTES ? count : undefined;
}
