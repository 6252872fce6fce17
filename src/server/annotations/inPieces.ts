/** In characters. Writing a piece takes about a millisecond. */
export const PIECE_LENGTH = 32 * 2 ** 10;

/** Joins the texts into pieces of about this length. */
export function* inPieces(texts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
