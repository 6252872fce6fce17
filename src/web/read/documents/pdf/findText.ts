/** A piece of text on a page, as the file has it. */
export type TextPiece = { readonly str: string; readonly hasEOL: boolean };

/** A part of one piece. */
export type TextPart = { readonly piece: number; readonly from: number; readonly to: number };

/** Matches that are listed of one page. */
const MOST_MATCHES = 1000;

/**
 * All places of a text on a page, each as parts of pieces. Upper and lower case are the same, and so are a line end, a
 * space and several of them.
 */
export function findText(pieces: readonly TextPiece[], wanted: string): readonly (readonly TextPart[])[] {
  const needle = fold(wanted.trim().replaceAll(/\s+/g, ' '));
  if (needle === '') return [];
  const { text, piece, offset } = joinPieces(pieces);
  const found: TextPart[][] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
    const parts: TextPart[] = [];
    for (let i = at; i < at + needle.length; i += 1) {
      if (offset[i]! < 0) continue;
      const last = parts.at(-1);
      const here = { piece: piece[i]!, from: offset[i]!, to: offset[i]! + 1 };
      if (last !== undefined && last.piece === here.piece) parts[parts.length - 1] = { ...last, to: here.to };
      else parts.push(here);
    }
    found.push(parts);
    if (found.length === MOST_MATCHES) break;
  }
  return found;
}

/** The text of a page with single spaces, and where each of its characters is. A line end has the offset -1. */
function joinPieces(pieces: readonly TextPiece[]) {
  let text = '';
  const piece: number[] = [];
  const offset: number[] = [];
  const add = (character: string, at: number, place: number) => {
    const isSpace = /\s/.test(character);
    if (isSpace && (text === '' || text.endsWith(' '))) return;
    text += isSpace ? ' ' : fold(character);
    piece.push(at);
    offset.push(place);
  };
  for (const [at, { str, hasEOL }] of pieces.entries()) {
    for (let i = 0; i < str.length; i += 1) add(str[i]!, at, i);
    if (hasEOL) add(' ', at, -1);
  }
  return { text, piece, offset };
}

/** In lower case, with as many characters as before. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}
