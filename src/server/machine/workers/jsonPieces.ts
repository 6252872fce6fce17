/**
 * Long JSON is written by generators of texts, so that it is never held as a whole and the event loop gets a turn
 * between two pieces. A generator yields texts of any length; whatever consumes them joins them with `inPieces`.
 */

/** In characters. Writing a piece takes about a millisecond. A piece may be up to twice as long. */
export const PIECE_LENGTH = 64 * 2 ** 10;

/** A piece whose texts take longer to find is shorter. */
const PIECE_MS = 2;

type PieceLimits = { readonly length: number; readonly ms: number };

const PIECE: PieceLimits = { length: PIECE_LENGTH, ms: PIECE_MS };

function isComplete(piece: string, begunMs: number, { length, ms }: PieceLimits = PIECE): boolean {
  return piece.length >= length || (ms !== Infinity && piece !== '' && performance.now() - begunMs > ms);
}

/** Joins texts into pieces of about this length, or of this time. Returns what `texts` returns. */
export function* inPieces<Result>(
  texts: Iterable<string, Result>,
  limits: PieceLimits = PIECE,
): Generator<string, Result> {
  const iterator = texts[Symbol.iterator]();
  let piece = '';
  let begunMs = performance.now();
  for (;;) {
    const next = iterator.next();
    if (next.done === true) {
      if (piece !== '') yield piece;
      return next.value;
    }
    piece += next.value;
    if (!isComplete(piece, begunMs, limits)) continue;
    yield piece;
    piece = '';
    begunMs = performance.now();
  }
}

/** UTF-8 of the texts, encoded while they are written. No other work waits for a turn. */
export function encodeTexts(texts: Iterable<string, void>): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const pieces = Array.from(inPieces(texts, { length: PIECE_LENGTH, ms: Infinity }), (piece) => encoder.encode(piece));
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** An object that is left open, because more members follow. */
export function openObject(members: object): string {
  return JSON.stringify(members).slice(0, -1);
}

/** The last members of an object that was left open, at least one, and its end. */
export function closeObject(members: object): string {
  return `,${JSON.stringify(members).slice(1)}`;
}

/** An array. `write` returns the JSON of a value as one text if it is short, and as several texts if it may be long. */
export function* writeArray<Value>(
  values: Iterable<Value>,
  write: (value: Value, position: number) => string | Iterable<string>,
): Generator<string> {
  let piece = '[';
  let position = 0;
  let begunMs = performance.now();
  for (const value of values) {
    if (position > 0) piece += ',';
    const json = write(value, position);
    position += 1;
    if (typeof json === 'string') {
      piece += json;
    } else {
      for (const text of json) {
        piece += text;
        if (!isComplete(piece, begunMs)) continue;
        yield piece;
        piece = '';
        begunMs = performance.now();
      }
    }
    if (!isComplete(piece, begunMs)) continue;
    yield piece;
    piece = '';
    begunMs = performance.now();
  }
  yield `${piece}]`;
}

/** A list that need not be an array. */
export type NumberList = { readonly length: number; at(position: number): number | undefined };

/** Much less than a piece, because such texts are joined to others. */
const INTEGERS_LENGTH = PIECE_LENGTH / 4;
/** The digits of a number below 2^32, and a comma. */
const LONGEST = 11;
const ZERO = '0'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);

/** An array of whole numbers from 0 to below 2^32, several times as fast as `writeArray`. */
export function* writeIntegers(numbers: NumberList): Generator<string> {
  const bytes = Buffer.allocUnsafe(Math.min(INTEGERS_LENGTH, numbers.length * LONGEST));
  let end = 0;
  yield '[';
  for (let place = 0; place < numbers.length; place += 1) {
    if (end + LONGEST > bytes.length) {
      yield bytes.toString('latin1', 0, end);
      end = 0;
    }
    if (place > 0) bytes[end++] = COMMA;
    end = writeInteger(bytes, end, numbers.at(place) ?? 0);
  }
  if (end > 0) yield bytes.toString('latin1', 0, end);
  yield ']';
}

/** Returns the offset after the number. */
function writeInteger(bytes: Uint8Array, start: number, number: number): number {
  let end = start + 1;
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) end += 1;
  let rest = number;
  for (let at = end - 1; at >= start; at -= 1) {
    bytes[at] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return end;
}
